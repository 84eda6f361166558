"""Serves an ASGI application on this machine only: hypercorn's trio server, with bounds of our own around it.

Hypercorn shields its writes from cancellation and has no time limit for them, switches to HTTP/2 before the application
has seen the request, and refuses a request without a proper Host in words of its own. So each connection gets a stream
that gives up on a reader who does not read, and a protocol that knows HTTP/1 only and lets the application name the
refusal.
"""

import math
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import h11
import trio
from hypercorn.config import Config
from hypercorn.protocol.h11 import H11Protocol
from hypercorn.trio.task_group import TaskGroup
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ASGIFramework, ConnectionState, LifespanState
from hypercorn.utils import parse_socket_addr, wrap_app

from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.http.listening import HOST, listen
from gasoline_cdp.nurseries import open_hidden_nursery

# What a client is told whose request cannot even be read: status → body. Empty unless the application has words.
Refusals = dict[int, bytes]
_GOODBYE_SECONDS = 0.5


@asynccontextmanager
async def serve_app(app: object, port: int = 0) -> AsyncIterator[str]:
    """Yield the application's address once it accepts; leaving the block ends every connection.

    Port 0 takes a free one. Raises GasolineError when the port cannot be had.
    """
    with listen(port) as listener:
        # A web site: its browser may leave an answer unread for as long as a page likes.
        async with serve_listener(app, listener, stalled_seconds=math.inf):
            yield f"http://{HOST}:{listener.getsockname()[1]}/"


@asynccontextmanager
async def serve_listener(
    app: object,
    listener: socket.socket,
    refusals: Refusals | None = None,
    stalled_seconds: float = frontend_limits.HTTP_STALLED_SECONDS,
) -> AsyncIterator[None]:
    """Serve on a socket that listens already; it stays the caller's to close."""
    config = Config()
    config.accesslog = None
    config.errorlog = None
    config.include_server_header = False
    config.keep_alive_timeout = frontend_limits.HTTP_IDLE_SECONDS
    wrapped = wrap_app(cast("ASGIFramework", app), config.wsgi_max_body_size, "asgi")
    context = WorkerContext(None)
    streams: set[_PatientStream] = set()
    one_gone = trio.Event()

    async def serve_client(stream: trio.SocketStream) -> None:
        if len(streams) >= frontend_limits.HTTP_CONNECTIONS:
            await stream.aclose()
            return
        # What a client that does not read leaves in the kernel is bounded too.
        stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, frontend_limits.HTTP_SEND_BYTES)
        patient = _PatientStream(stream, stalled_seconds)
        streams.add(patient)
        try:
            connection = _Connection(wrapped, config, context, ConnectionState(LifespanState({})), cast("Any", patient))
            connection.refusals = refusals or {}
            await connection.run()
        finally:
            nonlocal one_gone
            streams.discard(patient)
            one_gone.set()
            one_gone = trio.Event()

    # A copy: trio closes what it listens on.
    listeners = [trio.SocketListener(trio.socket.from_stdlib_socket(listener.dup()))]
    async with open_hidden_nursery() as nursery:
        nursery.start_soon(trio.serve_listeners, serve_client, listeners)
        try:
            yield
        finally:
            nursery.cancel_scope.cancel()
            # A WebSocket still says goodbye. Hypercorn's writes cannot be cancelled: whoever does not read is cut off.
            with trio.move_on_after(_GOODBYE_SECONDS, shield=True):
                while streams:
                    await one_gone.wait()
            for stream in list(streams):
                stream.cut()


class _PatientStream:
    """A client's stream whose writes end when the client has read nothing for a while."""

    def __init__(self, stream: trio.SocketStream, stalled_seconds: float) -> None:
        self._stream = stream
        self._stalled_seconds = stalled_seconds
        self.socket = stream.socket

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        return bytes(await self._stream.receive_some(max_bytes))

    async def send_all(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            try:
                with trio.fail_after(self._stalled_seconds):
                    await self._stream.send_all(rest[: frontend_limits.HTTP_SEND_BYTES])
            except trio.TooSlowError:
                # Without a word: it would not be read either.
                self.cut()
                raise trio.BrokenResourceError("the client does not read") from None
            rest = rest[frontend_limits.HTTP_SEND_BYTES :]

    async def send_eof(self) -> None:
        await self._stream.send_eof()

    def cut(self) -> None:
        self.socket.close()

    async def aclose(self) -> None:
        await self._stream.aclose()


class _Connection(TCPServer):
    """One client's connection, in HTTP/1 only."""

    refusals: Refusals

    async def run(self) -> None:
        try:
            sock = self.stream.socket
            client = parse_socket_addr(sock.family, sock.getpeername())
            server = parse_socket_addr(sock.family, sock.getsockname())
            async with TaskGroup() as task_group:
                self._task_group = task_group
                protocol = _OnlyHttp1(
                    self.app,
                    self.config,
                    self.context,
                    task_group,
                    ConnectionState(self.state),
                    ssl=False,
                    client=client,
                    server=server,
                    send=self.protocol_send,
                )
                protocol.refusals = self.refusals
                self.protocol = cast("Any", protocol)
                await protocol.initiate()
                await self.idle_task.restart(task_group, self._idle_timeout)
                await self._read_data()
        except OSError:
            pass
        finally:
            await self._close()


class _OnlyHttp1(H11Protocol):
    """Answers what cannot be read in our own words, and an improper Host with 421 as the gate does."""

    refusals: Refusals

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.connection = cast("Any", _Http1Connection(h11.SERVER, self.config.h11_max_incomplete_size))

    async def _send_error_response(self, status_code: int) -> None:
        body = self.refusals.get(status_code, b"")
        headers = [(b"content-length", b"%d" % len(body)), (b"connection", b"close")]
        if body:
            headers.append((b"content-type", b"application/json"))
        await self._send_h11_event(h11.Response(status_code=status_code, headers=headers))
        await self._send_h11_event(h11.Data(data=body))
        await self._send_h11_event(h11.EndOfMessage())


class _Http1Connection(h11.Connection):
    """Parses requests for hypercorn, which is never told that a client would rather speak HTTP/2.

    A missing or doubled Host is told from other mistakes: 421, as for a foreign one.
    """

    def next_event(self) -> Any:
        try:
            event = super().next_event()
        except h11.RemoteProtocolError as error:
            if "Host:" in str(error):
                error.error_status_hint = 421
            raise
        if not isinstance(event, h11.Request):
            return event
        if event.http_version not in {b"1.0", b"1.1"}:
            raise h11.RemoteProtocolError("HTTP/1 only", error_status_hint=400)
        # A server may ignore an offer to upgrade, and then answers in HTTP/1. WebSockets are for the application.
        headers = [(name, value) for name, value in event.headers if name != b"upgrade" or _is_websocket(value)]
        if len(headers) == len(event.headers):
            return event
        return h11.Request(method=event.method, target=event.target, headers=headers, http_version=event.http_version)


def _is_websocket(value: bytes) -> bool:
    return value.strip().lower() == b"websocket"
