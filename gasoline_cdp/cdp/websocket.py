"""Sends and receives messages of a browser with a debugging port.

Imported only if needed: with its library it takes 3 MB, and a browser that we start has a pipe.
"""

import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import trio
from websockets.client import ClientProtocol
from websockets.exceptions import InvalidURI
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import State
from websockets.uri import parse_uri

from gasoline_cdp import limits
from gasoline_cdp.cdp.plain_frames import PlainFrames
from gasoline_cdp.errors import Code, GasolineError


class WebSocketTransport:
    """The Sans-I/O core of `websockets` on a trio stream: a third of the CPU of its trio client, no size limit."""

    def __init__(self, stream: trio.abc.Stream, protocol: ClientProtocol) -> None:
        self._stream = stream
        self._protocol = protocol
        self._partial: list[bytes] = []
        self._frames = PlainFrames(self._pass_on)
        # Both tasks write: the sender sends commands, the receiver answers pings.
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
                messages = self._frames.take(bytes(chunk))
            else:
                self._protocol.receive_eof()
                messages = self._messages()
            try:
                # The library answers only what it got, and it gets little.
                if self._frames.passed_on or not chunk:
                    await self._flush()
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return []
            if messages or not chunk or self._protocol.state is State.CLOSED:
                return messages

    def _pass_on(self, data: bytes) -> list[bytes]:
        self._protocol.receive_data(data)
        return self._messages()

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
    """Connect to a browser's debugging socket. Closes the socket, never the browser."""
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
