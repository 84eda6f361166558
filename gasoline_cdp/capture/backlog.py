"""Work that the reader of Chrome leaves to a task: bounded, counted, and something that others can wait for."""

from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

import trio

J = TypeVar("J", bound=Hashable)


class Backlog(Generic[J]):
    """Jobs from the moment they are offered until they are done. A job is in it once at a time."""

    def __init__(self, limit: int) -> None:
        # Jobs that found it full.
        self.skipped = 0
        self._send, self._receive = trio.open_memory_channel[J](limit)
        # Each job under way, and until when it is waited for: set by the first who waits.
        self._deadlines: dict[J, float | None] = {}
        self._one_done = trio.Event()

    def __len__(self) -> int:
        """How many jobs wait or are being done."""
        return len(self._deadlines)

    def offer(self, job: J) -> bool:
        """Leave a job to the task that serves this backlog; False, and counted, if it is full. Never blocks."""
        try:
            self._send.send_nowait(job)
        except trio.WouldBlock:
            self.skipped += 1
            return False
        self._deadlines[job] = None
        return True

    def announce(self, job: J) -> None:
        """Count a job that is going to be sent in a moment: see `send`."""
        self._deadlines[job] = None

    async def send(self, job: J) -> None:
        """Leave an announced job to the task once there is room for it."""
        await self._send.send(job)

    async def receive(self) -> J:
        """The next job. Whoever takes it says when it is `done`."""
        return await self._receive.receive()

    def done(self, job: J) -> None:
        """A job has come to its end, with or without a result."""
        del self._deadlines[job]
        self._one_done.set()
        self._one_done = trio.Event()

    async def serve(self, do: Callable[[J], Awaitable[None]], *, pause_seconds: float = 0.0) -> None:
        """Do one job after the other until cancelled. Several tasks may serve the same backlog."""
        while True:
            job = await self.receive()
            try:
                await do(job)
            finally:
                self.done(job)
            if pause_seconds:
                await trio.sleep(pause_seconds)

    async def wait_idle(self) -> None:
        """Wait until every job is done, also those that come meanwhile."""
        while self._deadlines:
            await self._one_done.wait()

    async def wait_for_current(self, seconds: float) -> None:
        """Wait for the jobs that are under way now, for each `seconds` at most after anybody first waited for it.

        So one that hangs delays those who ask within that time, and nobody after them.
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
