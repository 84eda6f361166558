"""Sends and receives messages over Chrome's debugging pipe. `cdp/websocket.py` does it over a WebSocket."""

from collections.abc import Sequence
from typing import Literal, Protocol

import trio
from attrs import frozen

from gasoline_cdp import limits


@frozen
class SocketEnd:
    """How a WebSocket ended, if not by us: the other side closed it for good, or it broke, or it fell silent."""

    kind: Literal["closed", "broken", "silent"]
    reason: str


class Transport(Protocol):
    """Whole messages in both directions. One task sends, one receives."""

    async def send(self, messages: Sequence[bytes]) -> None:
        """Write messages. Raises `trio.BrokenResourceError` or `trio.ClosedResourceError` if Chrome is gone."""

    async def receive(self) -> list[bytes]:
        """Wait for one or more messages. An empty list means that Chrome has closed its end."""


class PipeTransport:
    """JSON separated by NUL bytes over two pipes. Messages may have any size."""

    def __init__(self, to_chrome: trio.abc.SendStream, from_chrome: trio.abc.ReceiveStream) -> None:
        self._to_chrome = to_chrome
        self._from_chrome = from_chrome
        self._partial: list[bytes] = []
        self._flood = False
        self._last_read = 0.0

    async def send(self, messages: Sequence[bytes]) -> None:
        """See `Transport`."""
        await self._to_chrome.send_all(b"".join(message + b"\0" for message in messages))

    async def receive(self) -> list[bytes]:
        """See `Transport`.

        During a flood of events, let them gather for a moment: one wake-up for many messages saves two thirds of the
        CPU. Replies are never delayed, since a read that contained one ends the flood.
        """
        if self._flood and trio.current_time() - self._last_read < limits.COALESCE_WITHIN_SECONDS:
            await trio.sleep(limits.COALESCE_WAIT_SECONDS)
        while True:
            try:
                chunk = await self._from_chrome.receive_some(limits.READ_BYTES)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return []
            if not chunk:
                return []
            head, *rest = bytes(chunk).split(b"\0")
            self._partial.append(head)
            if not rest:
                continue
            messages = [b"".join(self._partial), *rest[:-1]]
            self._partial = [rest[-1]]
            self._flood = not any(message.startswith(b'{"id"') for message in messages)
            self._last_read = trio.current_time()
            return messages
