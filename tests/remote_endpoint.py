"""A WebSocket in front of a real Chromium, as of a hosted browser: slow, closing, silent, or asking for a token."""

import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial

import trio
from attrs import define, field
from trio_websocket import (
    ConnectionClosed,
    HandshakeError,
    WebSocketConnection,
    WebSocketRequest,
    open_websocket_url,
    wrap_server_stream,
)

_MESSAGE_BYTES = 256 * 1024 * 1024


class _Stream(trio.abc.Stream):
    """A connection whose peer hears nothing any more once it is silent, not even pongs."""

    def __init__(self, inner: trio.abc.Stream, is_silent: Callable[[], bool]) -> None:
        self._inner = inner
        self._is_silent = is_silent

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        if self._is_silent():
            await trio.lowlevel.checkpoint()
        else:
            await self._inner.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self._inner.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        return bytes(await self._inner.receive_some(max_bytes))

    async def aclose(self) -> None:
        await self._inner.aclose()


@define(eq=False)
class Remote:
    """What the endpoint does; a test changes it while connections are open."""

    browser: str
    delay: float = 0.0
    # The headers that it wants, and what it answers without them.
    wants: tuple[str, str] | None = None
    reject: int = 0
    location: str = ""
    # Connections from this number on are accepted only; earlier ones are silent for good.
    silent_below: int = 0
    connections: int = 0
    address: str = ""
    seen: list[tuple[str, str]] = field(factory=list)
    paths: list[str] = field(factory=list)
    _open: dict[int, tuple[trio.CancelScope, WebSocketConnection]] = field(factory=dict)
    changed: trio.Event = field(factory=trio.Event)

    async def serve(self, stream: trio.SocketStream, tls: ssl.SSLContext | None = None) -> None:
        number = self.connections = self.connections + 1
        self.changed.set()
        self.changed = trio.Event()
        secured: trio.abc.Stream = trio.SSLStream(stream, tls, server_side=True) if tls else stream
        try:
            async with trio.open_nursery() as nursery:
                quiet = _Stream(secured, lambda: number < self.silent_below)
                request = await wrap_server_stream(nursery, quiet, max_message_size=_MESSAGE_BYTES)
                await self._serve(request, number)
                nursery.cancel_scope.cancel()
        except* (HandshakeError, ConnectionClosed, trio.BrokenResourceError, trio.ClosedResourceError, OSError):
            pass
        finally:
            await trio.aclose_forcefully(secured)

    async def _serve(self, request: WebSocketRequest, number: int) -> None:
        self.seen = [(name.decode().lower(), value.decode()) for name, value in request.headers]
        self.paths.append(request.path)
        if self.reject:
            extra = [(b"Location", self.location.encode())] if self.location else []
            await request.reject(self.reject, extra_headers=extra, body=b"no")
            return
        if self.wants is not None and self.wants not in self.seen:
            await request.reject(403, body=b"no")
            return
        async with open_websocket_url(self.browser, max_message_size=_MESSAGE_BYTES) as browser:
            client = await request.accept()
            with trio.CancelScope() as scope:
                self._open[number] = scope, client
                try:
                    async with trio.open_nursery() as pumps:
                        pumps.start_soon(self._pump, client, browser, pumps)
                        pumps.start_soon(self._pump, browser, client, pumps)
                finally:
                    del self._open[number]

    async def _pump(self, source: WebSocketConnection, sink: WebSocketConnection, nursery: trio.Nursery) -> None:
        """Pass messages on after the delay. Those on their way overlap, as on a long line."""
        send, receive = trio.open_memory_channel[tuple[float, str | bytes]](float("inf"))

        async def deliver() -> None:
            async for due, message in receive:
                await trio.sleep_until(due)
                await sink.send_message(message)

        nursery.start_soon(deliver)
        try:
            while True:
                message = await source.get_message()
                send.send_nowait((trio.current_time() + self.delay, message))
        finally:
            nursery.cancel_scope.cancel()

    async def until_connections(self, count: int) -> None:
        """Wait until so many connections were tried."""
        while self.connections < count:
            await self.changed.wait()

    def drop(self) -> None:
        """Break all connections, without a word."""
        for scope, _ in self._open.values():
            scope.cancel()

    async def close(self, code: int, reason: str) -> None:
        """End all connections, as a service does that ends a session."""
        for _, client in list(self._open.values()):
            await client.aclose(code, reason)

    def fall_silent(self) -> None:
        """From now on the connections that are open are silent. New ones are not."""
        self.silent_below = self.connections + 1


@asynccontextmanager
async def open_remote(browser: str, tls: ssl.SSLContext | None = None, **options: object) -> AsyncIterator[Remote]:
    """Serve a browser's debugging address under another one, until the block ends."""
    remote = Remote(browser, **options)  # type: ignore[arg-type]
    async with trio.open_nursery() as nursery:
        (listener,) = await nursery.start(partial(trio.serve_tcp, partial(remote.serve, tls=tls), 0, host="127.0.0.1"))
        port = listener.socket.getsockname()[1]
        remote.address = f"{'wss' if tls else 'ws'}://{'localhost' if tls else '127.0.0.1'}:{port}/session/one"
        yield remote
        nursery.cancel_scope.cancel()
