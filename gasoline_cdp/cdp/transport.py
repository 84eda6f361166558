"""Two ways to carry messages to and from Chrome: its debugging pipe, and a WebSocket."""

import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Protocol

import trio
from websockets.client import ClientProtocol
from websockets.exceptions import InvalidURI
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import State
from websockets.uri import parse_uri

from gasoline_cdp import limits
from gasoline_cdp.errors import Code, GasolineError


class Transport(Protocol):
    """Whole messages in both directions; one task sends, one receives."""

    async def send(self, messages: Sequence[bytes]) -> None:
        """Write messages; raise `trio.BrokenResourceError` or `trio.ClosedResourceError` when Chrome is gone."""

    async def receive(self) -> list[bytes]:
        """Wait for one message or more; an empty list means that Chrome has closed its end."""


class PipeTransport:
    """JSON separated by NUL bytes over two pipes. There is no limit to a message's size."""

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

        While events flood in, let them gather for a moment: one wake-up for many messages costs a third of the
        CPU. Replies are never held up, since a read that held one ends the flood.
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


class WebSocketTransport:
    """The Sans-I/O core of `websockets` on a trio stream: a third of the CPU of its trio client, no size limit."""

    def __init__(self, stream: trio.abc.Stream, protocol: ClientProtocol) -> None:
        self._stream = stream
        self._protocol = protocol
        self._partial: list[bytes] = []
        # Both tasks write: the sender commands, the receiver answers to pings.
        self._writing = trio.Lock()

    async def _flush(self) -> None:
        async with self._writing:
            for data in self._protocol.data_to_send():
                if data:
                    await self._stream.send_all(data)

    async def send(self, messages: Sequence[bytes]) -> None:
        """See `Transport`."""
        if self._protocol.state is not State.OPEN:
            raise trio.ClosedResourceError
        for message in messages:
            self._protocol.send_text(message)
        await self._flush()

    async def receive(self) -> list[bytes]:
        """See `Transport`."""
        while True:
            try:
                chunk = await self._stream.receive_some(limits.READ_BYTES)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return []
            if chunk:
                self._protocol.receive_data(bytes(chunk))
            else:
                self._protocol.receive_eof()
            messages = self._messages()
            try:
                await self._flush()
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return []
            if messages or not chunk or self._protocol.state is State.CLOSED:
                return messages

    def _messages(self) -> list[bytes]:
        messages = []
        for event in self._protocol.events_received():
            if isinstance(event, Frame) and event.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                self._partial.append(bytes(event.data))
                if event.fin:
                    messages.append(b"".join(self._partial))
                    self._partial.clear()
        return messages


def _refused(address: str, reason: str) -> GasolineError:
    return GasolineError(
        Code.NO_BROWSER,
        f"Cannot speak to a browser at {address}: {reason}. Is it running with --remote-debugging-port, "
        "and is the address right?",
        address=address,
    )


@asynccontextmanager
async def open_websocket(address: str) -> AsyncIterator[WebSocketTransport]:
    """Connect to a browser's debugging socket; closes the socket, never the browser."""
    try:
        uri = parse_uri(address)
    except InvalidURI as error:
        raise _refused(address, "it is not a ws:// address") from error
    try:
        stream: trio.abc.Stream = await trio.open_tcp_stream(uri.host, uri.port)
    except OSError as error:
        raise _refused(address, "nothing answers there") from error
    if uri.secure:
        stream = trio.SSLStream(stream, ssl.create_default_context(), server_hostname=uri.host, https_compatible=True)
    async with stream:
        # No extensions: compression would double Chrome's CPU. No Origin header: Chrome refuses any.
        protocol = ClientProtocol(uri, max_size=None)
        await _shake_hands(stream, protocol, address)
        yield WebSocketTransport(stream, protocol)


async def _shake_hands(stream: trio.abc.Stream, protocol: ClientProtocol, address: str) -> None:
    protocol.send_request(protocol.connect())
    for data in protocol.data_to_send():
        await stream.send_all(data)
    while protocol.state is State.CONNECTING:
        try:
            chunk = await stream.receive_some(limits.READ_BYTES)
        except trio.BrokenResourceError:
            chunk = b""
        if not chunk:
            raise _refused(address, "it closed the connection")
        protocol.receive_data(bytes(chunk))
        for event in protocol.events_received():
            if isinstance(event, Response) and event.status_code != 101:
                raise _refused(address, f"it answered HTTP {event.status_code}")
        if protocol.handshake_exc is not None:
            raise _refused(address, "it does not speak WebSocket") from protocol.handshake_exc
