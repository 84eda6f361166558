"""Limits the requests of one MCP client before they reach the library. Messages are always read."""

from collections import Counter, deque
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import trio
from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.lines import Lines
from gasoline_cdp.nurseries import open_hidden_nursery

# The memory of a waiting line beside its bytes.
_LINE_OVERHEAD = 200
# Answered only when the client disconnects or cancels it.
_UNENDING = "subscriptions/listen"
_CANCELLED = "notifications/cancelled"

_BUSY = (
    f"{frontend_limits.CLIENT_REQUESTS} requests of this client are under way, and as many more wait as may. "
    "Wait for answers, or cancel what is no longer needed, and send this one again."
)
_LISTENING = (
    f"This client listens on {frontend_limits.CLIENT_REQUESTS} streams already. "
    "Cancel one, or ask for all that is wanted in one request."
)


class Messages(Protocol):
    """The connections of the limiter: to the library and to the client."""

    def read(self, line: bytes) -> Any:
        """Parse a line into the library's envelope; None if it is malformed."""

    async def refuse_malformed(self, line: bytes) -> None:
        """Answer a line that the library would drop."""

    async def pass_on(self, message: Any) -> None:
        """Pass a message to the library."""

    async def refuse(self, request: Any, words: str) -> None:
        """Answer a request with an error, without the library."""


@frozen
class _Waiting:
    """A waiting request, as bytes: a parsed message takes ten times as much memory."""

    key: str
    line: bytes

    @property
    def weight(self) -> int:
        """The memory that it takes."""
        return len(self.line) + _LINE_OVERHEAD


class RequestLimiter:
    """Passes a client's messages to the library. Limits concurrent requests; further ones wait in a bounded queue.

    Reading never waits for an answer, so that a cancellation, a ping or a reply always gets through. A request that
    does not fit into the queue is refused at once: a client that floods gets errors, and nobody else is affected.
    """

    def __init__(self, messages: Messages) -> None:
        self._messages = messages
        # The number of pending requests by id: a client may use an id twice.
        self._under_way: Counter[str] = Counter()
        self._listening: Counter[str] = Counter()
        self._waiting: deque[_Waiting] = deque()
        self._waiting_bytes = 0
        self._changed = trio.Event()

    async def run(self, opening: list[bytes], lines: trio.MemoryReceiveChannel[bytes]) -> None:
        """Read all lines, then wait for the last answers, since the library drops pending requests at the end."""
        async with open_hidden_nursery() as nursery:
            nursery.start_soon(self._release)
            for line in opening:
                await self._take(line)
            async for line in lines:
                await self._take(line)
            # A shell closes its pipe at once, but still wants its answers.
            with trio.move_on_after(limits.TOOL_SECONDS):
                while self._under_way or self._waiting:
                    await self._changed.wait()
            nursery.cancel_scope.cancel()

    def done(self, request: Any) -> None:
        """A request was answered or cancelled."""
        key = str(request)
        for counted in (self._under_way, self._listening):
            if key in counted:
                counted[key] -= 1
                if not counted[key]:
                    del counted[key]
                self._stir()
                return

    async def _take(self, line: bytes) -> None:
        envelope = self._messages.read(line)
        if envelope is None:
            await self._messages.refuse_malformed(line)
            return
        message = envelope.message
        method, request = getattr(message, "method", None), getattr(message, "id", None)
        # The library treats 5 and "5" as the same id, so a cancellation may name either.
        key = str(request)
        if method is None or request is None:
            cancelled_id = (getattr(message, "params", None) or {}).get("requestId") if method == _CANCELLED else None
            if cancelled_id is None or not self._cancel(str(cancelled_id)):
                await self._messages.pass_on(envelope)
        elif method == _UNENDING:
            if self._listening.total() >= frontend_limits.CLIENT_REQUESTS:
                await self._messages.refuse(request, _LISTENING)
                return
            self._listening[key] += 1
            await self._messages.pass_on(envelope)
        elif self._has_slot(ping=method == "ping"):
            self._under_way[key] += 1
            await self._messages.pass_on(envelope)
        else:
            await self._hold(_Waiting(key, line), request)

    def _has_slot(self, *, ping: bool = False) -> bool:
        if ping:
            # Answer pings even when all slots are taken. The limit is for clients that read no answers.
            return self._under_way.total() < 2 * frontend_limits.CLIENT_REQUESTS
        return not self._waiting and self._under_way.total() < frontend_limits.CLIENT_REQUESTS

    async def _hold(self, waiting: _Waiting, request: Any) -> None:
        if self._waiting_bytes + waiting.weight > frontend_limits.CLIENT_WAITING_BYTES:
            await self._messages.refuse(request, _BUSY)
            return
        self._waiting.append(waiting)
        self._waiting_bytes += waiting.weight

    def _cancel(self, key: str) -> bool:
        """Drop a waiting request; or free the slot of a pending one, since it will not be answered."""
        for waiting in self._waiting:
            if waiting.key == key:
                self._waiting.remove(waiting)
                self._waiting_bytes -= waiting.weight
                self._stir()
                return True
        self.done(key)
        return False

    async def _release(self) -> None:
        while True:
            while self._waiting and self._under_way.total() < frontend_limits.CLIENT_REQUESTS:
                waiting = self._waiting.popleft()
                self._waiting_bytes -= waiting.weight
                self._under_way[waiting.key] += 1
                await self._messages.pass_on(self._messages.read(waiting.line))
            await self._changed.wait()

    def _stir(self) -> None:
        self._changed.set()
        self._changed = trio.Event()


async def read_lines(
    receive: trio.abc.ReceiveStream, out: trio.MemorySendChannel[bytes], skipped: Callable[[], Awaitable[None]]
) -> None:
    """Split the client's bytes into lines. `skipped` is called for a line that is too long and left out."""
    lines = Lines()
    async with out:
        while True:
            try:
                chunk = await receive.receive_some(65536)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return
            if not chunk:
                return
            for line in lines.cut(bytes(chunk)):
                if line.strip():
                    await out.send(line)
            if lines.skipped:
                lines.skipped = False
                await skipped()
