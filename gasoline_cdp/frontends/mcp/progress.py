"""Progress of a call, told to the client that asked for it, from tools that do not wait for it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import trio

from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.nurseries import open_hidden_nursery
from gasoline_cdp.operations.client import Progress, no_progress


@asynccontextmanager
async def open_progress(ctx: Any) -> AsyncIterator[Progress]:
    """Where a call says how far it is. Only the newest word is sent, seldom, growing, and never after the block."""
    if not ctx.meta or ctx.meta.get("progress_token") is None:
        yield no_progress
        return
    reports = _Reports()
    async with open_hidden_nursery() as nursery:
        nursery.start_soon(_send_forever, ctx.session, reports)
        yield reports.report
        nursery.cancel_scope.cancel()
    # A short call says all it has to say before the task above had its turn.
    await reports.send(ctx.session)


class _Reports:
    """The newest word that has not been sent. The protocol wants progress to grow: what does not is left out."""

    def __init__(self) -> None:
        self.arrived = trio.Event()
        self._newest: tuple[float, float | None, str] | None = None
        self._sent = float("-inf")

    def report(self, done: float, total: float | None, message: str) -> None:
        if done > self._sent:
            self._newest = (done, total, message[: frontend_limits.PROGRESS_CHARS])
            self.arrived.set()

    async def send(self, session: Any) -> None:
        newest, self._newest = self._newest, None
        if newest is not None:
            self._sent = newest[0]
            await session.report_progress(*newest)


async def _send_forever(session: Any, reports: _Reports) -> None:
    while True:
        await reports.arrived.wait()
        reports.arrived = trio.Event()
        await reports.send(session)
        await trio.sleep(frontend_limits.PROGRESS_SECONDS)
