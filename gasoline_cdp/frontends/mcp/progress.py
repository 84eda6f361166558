"""Sends the progress of a call to the client that asked for it. Tools do not wait for the sending."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import trio

from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.nurseries import open_hidden_nursery
from gasoline_cdp.operations.client import Progress, no_progress


@asynccontextmanager
async def open_progress(ctx: Any) -> AsyncIterator[Progress]:
    """The progress callback of a call. Sends only the newest report, with a limited rate, and never after the block."""
    if not ctx.meta or ctx.meta.get("progress_token") is None:
        yield no_progress
        return
    reports = _Reports()
    async with open_hidden_nursery() as nursery:
        nursery.start_soon(_send_forever, ctx.session, reports)
        yield reports.report
        nursery.cancel_scope.cancel()
    # A short call may finish before the task above has run.
    await reports.send(ctx.session)


class _Reports:
    """The newest report that was not sent. The protocol requires growing progress: other reports are left out."""

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
