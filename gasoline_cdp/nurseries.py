"""A nursery for use inside a context manager: callers get their own exception, not an exception group."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

# From the arrival of a reply to the one who waits for it: read, dispatched, woken, and the same once more.
_TURNS = 10


def lone_exception(error: BaseException) -> BaseException:
    """The only exception in a (nested) group of one; otherwise the error itself."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


@asynccontextmanager
async def open_hidden_nursery() -> AsyncIterator[trio.Nursery]:
    """Open a nursery that unwraps exception groups of one."""
    try:
        async with trio.open_nursery() as nursery:
            yield nursery
    except BaseExceptionGroup as group:
        lone = lone_exception(group)
        if lone is group:
            raise
        context = lone.__context__
        try:
            raise lone
        finally:
            # Raising inside `except` would set the group as the context of its own member.
            lone.__context__ = context


@asynccontextmanager
async def move_on_when_late(seconds: float) -> AsyncIterator[trio.CancelScope]:
    """Cancel the block after so long, but handle first what has arrived by then.

    On a busy machine this process may have stood still itself: the reply is there, and only the time is over.
    """
    async with open_hidden_nursery() as nursery:

        async def end() -> None:
            await trio.sleep(seconds)
            for _ in range(_TURNS):
                await trio.lowlevel.checkpoint()
            late.cancel()

        nursery.start_soon(end)
        with trio.CancelScope() as late:
            yield late
        nursery.cancel_scope.cancel()
