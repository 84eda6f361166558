"""Runs the long-running commands until they are done or a signal ends them."""

import signal
from collections.abc import Awaitable, Callable

import trio

from gasoline_cdp.nurseries import lone_exception


def run_until_signal(work: Callable[..., Awaitable[None]], *arguments: object) -> int:
    """Run until the work is done or a signal cancels it. The context managers close the browser."""
    signals = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP"):
        signals.append(signal.SIGHUP)

    async def supervise() -> None:
        with trio.open_signal_receiver(*signals) as received:
            async with trio.open_nursery() as nursery:

                async def finish() -> None:
                    await work(*arguments)
                    nursery.cancel_scope.cancel()

                nursery.start_soon(finish)
                async for _ in received:
                    nursery.cancel_scope.cancel()
                    break

    try:
        trio.run(supervise)
    except BaseExceptionGroup as group:
        raise lone_exception(group) from None
    return 0
