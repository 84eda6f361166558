"""Sends and receives messages of a browser with a debugging port.

Imported only if needed: with its library it takes 3 MB, and a browser that we start has a pipe.
"""

import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from typing import Literal

import trio
from websockets.client import ClientProtocol
from websockets.exceptions import InvalidURI
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.uri import parse_uri

from gasoline_cdp import limits, remote_limits
from gasoline_cdp.cdp.endpoint import Endpoint
from gasoline_cdp.cdp.plain_frames import PlainFrames
from gasoline_cdp.cdp.transport import SocketEnd
from gasoline_cdp.cdp.websocket_refusals import closed_while_connecting, refused, refused_tls, refused_with_status
from gasoline_cdp.nurseries import open_hidden_nursery
from gasoline_cdp.redact import safe_text

# Close codes by which a server says that it does not expect us again. It chooses those from 3000 on itself.
_FINAL_CODES = {1000, 1008, *range(3000, 5000)}
_REASON_CHARS = 100


class WebSocketTransport:
    """The Sans-I/O core of `websockets` on a trio stream: a third of the CPU of its trio client, no size limit."""

    def __init__(self, stream: trio.abc.Stream, protocol: ClientProtocol, arrived: bytes = b"") -> None:
        self._stream = stream
        # What came together with the answer of the handshake.
        self._arrived = arrived
        self._protocol = protocol
        self._partial: list[bytes] = []
        self._frames = PlainFrames(self._pass_on)
        # Several tasks write: the sender sends commands, the receiver answers pings, and we ping.
        self._writing = trio.Lock()
        self._reads = 0
        self._pongs = 0
        self._silent = False

    def end(self) -> SocketEnd:
        """How the connection ended. Call it after `receive` has returned nothing."""
        if self._silent:
            return SocketEnd(
                "silent", f"it was silent for {remote_limits.PING_SECONDS * remote_limits.PINGS_MISSED:.0f} s"
            )
        close = self._protocol.close_rcvd
        if close is None:
            return SocketEnd("broken", "the connection broke")
        reason = f": {safe_text(close.reason, _REASON_CHARS)}" if close.reason else ""
        kind: Literal["closed", "broken"] = "closed" if close.code in _FINAL_CODES else "broken"
        return SocketEnd(kind, f"the other side closed the connection (code {close.code}{reason})")

    async def keep_alive(self) -> None:
        """Ping when nothing arrives, and end a connection that stays silent.

        A ping of the WebSocket is no command: it keeps no session alive that its owner has abandoned. A peer that has
        never answered a ping is not judged by it. Rounds are counted, not seconds: after this machine has slept, the
        receiver gets its turn first.
        """
        missed = 0
        async with open_hidden_nursery() as nursery:
            while missed < remote_limits.PINGS_MISSED:
                if (missed or not self._pongs) and not self._writing.locked():
                    self._protocol.send_ping(b"")
                    nursery.start_soon(self._flush_quietly)
                reads = self._reads
                await trio.sleep(remote_limits.PING_SECONDS)
                if self._protocol.state is not State.OPEN:
                    return
                missed = missed + 1 if self._pongs and self._reads == reads else 0
            self._silent = True
            # This wakes the receiver, which finds the connection closed.
            await trio.aclose_forcefully(self._stream)
            nursery.cancel_scope.cancel()

    async def _flush_quietly(self) -> None:
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            await self._flush()

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
                chunk = self._arrived or await self._stream.receive_some(limits.READ_BYTES)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return []
            self._arrived = b""
            self._reads += 1
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
            if isinstance(event, Frame) and event.opcode is Opcode.PONG:
                self._pongs += 1
            elif isinstance(event, Frame) and event.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                self._partial.append(bytes(event.data))
                if event.fin:
                    messages.append(b"".join(self._partial))
                    self._partial.clear()
        return messages


@asynccontextmanager
async def open_websocket(
    address: str | Endpoint, *, patience: float = remote_limits.CONNECT_SECONDS, keep_alive: bool = False
) -> AsyncIterator[WebSocketTransport]:
    """Connect to a browser's debugging socket, within `patience` seconds. Closes the socket, never the browser."""
    endpoint = Endpoint(address=address) if isinstance(address, str) else address
    try:
        uri = parse_uri(endpoint.address)
    except InvalidURI as error:
        raise refused(endpoint, "it is not a ws:// address", final=True) from error
    stream: trio.abc.Stream | None = None
    try:
        # No extensions: compression would double Chrome's CPU. No Origin header: Chrome refuses any.
        protocol = ClientProtocol(uri, max_size=None)
        try:
            with trio.fail_after(patience):
                stream = await _connect(endpoint, uri.host, uri.port, secure=uri.secure)
                arrived = await _shake_hands(stream, protocol, endpoint)
        except trio.TooSlowError as error:
            raise refused(endpoint, f"it did not answer within {patience:.0f} s") from error
        transport = WebSocketTransport(stream, protocol, arrived)
        async with open_hidden_nursery() as nursery:
            if keep_alive:
                nursery.start_soon(transport.keep_alive)
            yield transport
            nursery.cancel_scope.cancel()
    finally:
        if stream is not None:
            # Without waiting for a TLS goodbye: the other side may be gone.
            await trio.aclose_forcefully(stream)


async def _connect(endpoint: Endpoint, host: str, port: int, *, secure: bool) -> trio.abc.Stream:
    context = _tls_context(endpoint, endpoint.ca_file) if secure else None
    try:
        stream = await trio.open_tcp_stream(host, port)
    except OSError as error:
        raise refused(endpoint, "nothing answers there", refused=_nobody_listens(endpoint, error)) from error
    if context is None:
        return stream
    secured = trio.SSLStream(stream, context, server_hostname=host, https_compatible=True)
    try:
        await secured.do_handshake()
    except trio.BrokenResourceError as error:
        await trio.aclose_forcefully(secured)
        raise refused_tls(endpoint, error.__cause__) from error
    except BaseException:
        await trio.aclose_forcefully(secured)
        raise
    return secured


def _nobody_listens(endpoint: Endpoint, error: OSError) -> bool:
    """Whether a port of this machine is closed, which does not change by itself."""
    return endpoint.is_local() and isinstance(error.__cause__ or error, ConnectionRefusedError)


# The type is a text: to look at it would load OpenSSL.
def _tls_context(endpoint: Endpoint, ca_file: Path | None) -> "ssl.SSLContext":
    context = ssl.create_default_context()
    if ca_file is not None:
        try:
            context.load_verify_locations(cafile=ca_file)
        except (OSError, ssl.SSLError) as error:
            raise refused(endpoint, f"--ca-file {ca_file} has no certificates in PEM form", final=True) from error
    # The upgrade needs HTTP/1.1; some servers offer HTTP/2 first.
    context.set_alpn_protocols(["http/1.1"])
    return context


async def _shake_hands(stream: trio.abc.Stream, protocol: ClientProtocol, endpoint: Endpoint) -> bytes:
    """Returns what came after the answer: the first messages may be in the same piece."""
    protocol.send_request(_request(protocol, endpoint))
    try:
        for data in protocol.data_to_send():
            await stream.send_all(data)
    except trio.BrokenResourceError as error:
        raise closed_while_connecting(endpoint) from error
    rest = b""
    while _is_connecting(protocol):
        try:
            chunk = await stream.receive_some(limits.READ_BYTES)
        except trio.BrokenResourceError:
            chunk = b""
        rest = bytes(chunk)
        while rest and _is_connecting(protocol):
            # Line by line: what stands behind the answer's last one belongs to the transport.
            line, newline, rest = rest.partition(b"\n")
            protocol.receive_data(line + newline)
        if not chunk:
            protocol.receive_eof()
        _check_response(protocol, endpoint, is_over=not chunk)
    return rest


def _is_connecting(protocol: ClientProtocol) -> bool:
    return protocol.state is State.CONNECTING


def _request(protocol: ClientProtocol, endpoint: Endpoint) -> Request:
    request = protocol.connect()
    for name in {name for name, _ in endpoint.headers}:
        # One given by hand replaces ours, such as `Authorization` from the address.
        if name in request.headers:
            del request.headers[name]
    for name, value in endpoint.headers:
        request.headers[name] = value
    return request


def _check_response(protocol: ClientProtocol, endpoint: Endpoint, *, is_over: bool) -> None:
    """Raise if the other side refused to speak WebSocket with us."""
    for event in protocol.events_received():
        if isinstance(event, Response) and event.status_code != HTTPStatus.SWITCHING_PROTOCOLS:
            raise refused_with_status(endpoint, event.status_code, event.headers.get("Location"))
    if is_over:
        raise closed_while_connecting(endpoint)
    if protocol.handshake_exc is not None:
        raise refused(endpoint, "it does not speak WebSocket", final=True) from protocol.handshake_exc
