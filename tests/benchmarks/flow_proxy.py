"""Stands before the server of an application, and changes what it says: for servers that are programs of their own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import h11
import trio

from tests.benchmarks.flow_apps import Break

_CHUNK = 1 << 16
# Answers come whole and as they are, one for each connection.
_DROPPED = frozenset({b"accept-encoding", b"connection", b"content-length", b"transfer-encoding"})
_CACHED = (b"if-", b"range")
_KEPT = (b"etag", b"last-modified", b"content-encoding")


@asynccontextmanager
async def open_proxy(server: str, change: Break | None) -> AsyncIterator[str]:
    """The address under which the server can be reached."""
    port = urlsplit(server).port
    assert port

    async def serve(client: trio.SocketStream) -> None:
        async with client:
            try:
                await _pass_on(client, port, change)
            except (trio.BrokenResourceError, trio.ClosedResourceError, h11.ProtocolError, OSError):
                # Browsers leave when they like.
                return

    async with trio.open_nursery() as nursery:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        mine = listeners[0].socket.getsockname()[1]
        nursery.start_soon(trio.serve_listeners, serve, listeners)
        yield f"http://127.0.0.1:{mine}/"
        nursery.cancel_scope.cancel()


async def _pass_on(client: trio.SocketStream, port: int, change: Break | None) -> None:
    """One request and its answer; what follows a change of the protocol goes through as it is."""
    ours = h11.Connection(h11.SERVER)
    request = await _next(ours, client)
    if not isinstance(request, h11.Request):
        return
    server = await trio.open_tcp_stream("127.0.0.1", port)
    async with server:
        if any(name == b"upgrade" for name, _ in request.headers):
            await _tunnel(client, server, request, ours)
            return
        body = await _body(ours, client)
        is_broken = change is not None and change.concerns(request.method.decode(), request.target.decode())
        headers = [pair for pair in request.headers if pair[0] not in _DROPPED]
        if is_broken:
            headers = [pair for pair in headers if not pair[0].startswith(_CACHED)]
        headers += [(b"connection", b"close"), (b"content-length", str(len(body)).encode())]
        theirs = h11.Connection(h11.CLIENT)
        asked = h11.Request(method=request.method, target=request.target, headers=headers)
        for event in (asked, h11.Data(data=body), h11.EndOfMessage()):
            await server.send_all(theirs.send(event) or b"")
        answer = await _next(theirs, server)
        if not isinstance(answer, h11.Response):
            return
        kept = [pair for pair in answer.headers if pair[0] not in _DROPPED]
        if is_broken and change is not None:
            kind = dict(answer.headers).get(b"content-type", b"").decode()
            text = change.apply(await _body(theirs, server), kind)
            kept = [pair for pair in kept if pair[0] not in _KEPT] + [(b"content-length", str(len(text)).encode())]
            status = change.status or answer.status_code
            await _send(client, ours, h11.Response(status_code=status, headers=[*kept, (b"connection", b"close")]))
            if request.method != b"HEAD":
                await _send(client, ours, h11.Data(data=text))
        else:
            # Streams go on for as long as they like.
            head = h11.Response(status_code=answer.status_code, headers=[*kept, (b"connection", b"close")])
            await _send(client, ours, head)
            while isinstance(part := await _next(theirs, server), h11.Data):
                await _send(client, ours, part)
        await _send(client, ours, h11.EndOfMessage())


async def _tunnel(client: trio.SocketStream, server: trio.SocketStream, request: h11.Request, ours: Any) -> None:
    head = [b"%s %s HTTP/1.1" % (request.method, request.target)]
    head += [b"%s: %s" % pair for pair in request.headers]
    await server.send_all(b"\r\n".join(head) + b"\r\n\r\n" + ours.trailing_data[0])

    async def copy(source: trio.SocketStream, target: trio.SocketStream, scope: trio.CancelScope) -> None:
        while part := await source.receive_some(_CHUNK):
            await target.send_all(part)
        scope.cancel()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(copy, client, server, nursery.cancel_scope)
        await copy(server, client, nursery.cancel_scope)


async def _next(connection: h11.Connection, stream: trio.SocketStream) -> Any:
    while (event := connection.next_event()) is h11.NEED_DATA:
        connection.receive_data(await stream.receive_some(_CHUNK))
    return event


async def _body(connection: h11.Connection, stream: trio.SocketStream) -> bytes:
    parts = []
    while isinstance(event := await _next(connection, stream), h11.Data):
        parts.append(bytes(event.data))
    return b"".join(parts)


async def _send(client: trio.SocketStream, ours: h11.Connection, event: Any) -> None:
    if data := ours.send(event):
        await client.send_all(data)
