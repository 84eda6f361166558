"""Work that the reader of Chrome's events leaves to a task: bounded, counted, and possible to wait for."""

from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

import trio

J = TypeVar("J", bound=Hashable)


class Backlog(Generic[J]):
    """Jobs from when they are offered until they are done. A job is in it at most once."""

    def __init__(self, limit: int) -> None:
        # Jobs that were rejected because it was full.
        self.skipped = 0
        self._send, self._receive = trio.open_memory_channel[J](limit)
        # Unfinished jobs, each with the deadline of those who wait for it. The first waiter sets it.
        self._deadlines: dict[J, float | None] = {}
        self._one_done = trio.Event()

    def __len__(self) -> int:
        """How many jobs are waiting or running."""
        return len(self._deadlines)

    def offer(self, job: J) -> bool:
        """Leave a job to the serving task. False, and counted, if the backlog is full. Never blocks."""
        try:
            self._send.send_nowait(job)
        except trio.WouldBlock:
            self.skipped += 1
            return False
        self._deadlines[job] = None
        return True

    def announce(self, job: J) -> None:
        """Count a job that will be sent soon: see `send`."""
        self._deadlines[job] = None

    async def send(self, job: J) -> None:
        """Send an announced job as soon as there is room."""
        await self._send.send(job)

    async def receive(self) -> J:
        """The next job. The receiver calls `done` for it."""
        return await self._receive.receive()

    def done(self, job: J) -> None:
        """A job has ended, with or without a result."""
        del self._deadlines[job]
        self._one_done.set()
        self._one_done = trio.Event()

    async def serve(self, do: Callable[[J], Awaitable[None]], *, pause_seconds: float = 0.0) -> None:
        """Run one job after the other until cancelled. Several tasks may serve the same backlog."""
        while True:
            job = await self.receive()
            try:
                await do(job)
            finally:
                self.done(job)
            if pause_seconds:
                await trio.sleep(pause_seconds)

    async def wait_idle(self) -> None:
        """Wait until every job is done, including those that arrive meanwhile."""
        while self._deadlines:
            await self._one_done.wait()

    async def wait_for_current(self, seconds: float) -> None:
        """Wait for the current jobs, each at most `seconds` after somebody first waited for it.

        So a job that hangs delays only those who ask within that time.
        """
        now = trio.current_time()
        for job, deadline in self._deadlines.items():
            if deadline is None:
                self._deadlines[job] = now + seconds
        current = list(self._deadlines)
        while waited_for := [deadline for job in current if (deadline := self._deadlines.get(job)) is not None]:
            with trio.move_on_at(max(waited_for)) as waiting:
                await self._one_done.wait()
            if waiting.cancelled_caught:
                return
