"""A daemon's HTTP without a browser, and a client that sends exactly the bytes a test wants."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import h11
import trio
from attrs import frozen

from gasoline_cdp.frontends.http.access import Access, make_access
from gasoline_cdp.frontends.http.app import HttpFrontend, Subscribe, refusals
from gasoline_cdp.frontends.http.listening import HOST, listen
from gasoline_cdp.frontends.http.loopback import serve_listener
from gasoline_cdp.frontends.mcp.server import McpFrontend
from gasoline_cdp.operations.context import Context
from tests.support import PATIENCE


@frozen
class Reply:
    """An answer over HTTP."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        """The code of an error, which must have the one shape."""
        said = self.json
        assert said["status"] == "error"
        assert said["message"]
        return str(said["error"])

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key == name), None)

    def names(self) -> set[str]:
        return {name for name, _ in self.headers}


class Http:
    """Speaks to a server that stands behind the gate."""

    def __init__(self, access: Access, frontend: HttpFrontend | None = None) -> None:
        self.access = access
        self._frontend = frontend

    @property
    def frontend(self) -> HttpFrontend:
        assert self._frontend is not None
        return self._frontend

    @property
    def authority(self) -> str:
        return f"{HOST}:{self.access.port}"

    async def connect(self) -> trio.SocketStream:
        return await trio.open_tcp_stream(HOST, self.access.port)

    async def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        token: bool = True,
        host: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Reply:
        """A well-formed request, with the token unless told otherwise."""
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        given = {"Host": host or self.authority, **(headers or {})}
        if token and self.access.token is not None:
            given.setdefault("Authorization", f"Bearer {self.access.token}")
        if data or method == "POST":
            given.setdefault("Content-Length", str(len(data)))
        head = "".join(f"{name}: {value}\r\n" for name, value in given.items())
        return await self.raw(f"{method} {path} HTTP/1.1\r\n{head}Connection: close\r\n\r\n".encode() + data, method)

    async def raw(self, request: bytes, method: str = "GET") -> Reply:
        """Any bytes, and the answer to them."""
        with trio.fail_after(PATIENCE):
            async with await self.connect() as stream:
                # Refused before all of it was read: the answer is there all the same.
                with suppress(trio.BrokenResourceError):
                    await stream.send_all(request)
                return await _read_reply(stream, method)


async def _read_reply(stream: trio.SocketStream, method: str) -> Reply:
    connection = h11.Connection(h11.CLIENT)
    connection.send(h11.Request(method=method, target="/", headers=[("host", "x")]))
    connection.send(h11.EndOfMessage())
    status, headers, body = 0, [], b""
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            try:
                connection.receive_data(bytes(await stream.receive_some(65536)))
            except trio.BrokenResourceError:
                connection.receive_data(b"")
        elif isinstance(event, h11.Response):
            status = event.status_code
            headers = [(name.decode(), value.decode("latin-1")) for name, value in event.headers]
        elif isinstance(event, h11.Data):
            body += event.data
        elif isinstance(event, h11.EndOfMessage | h11.ConnectionClosed):
            return Reply(status, headers, body)


@asynccontextmanager
async def open_http(
    context: Context, *, no_token: bool = False, subscribe: Subscribe | None = None, stalled_seconds: float = PATIENCE
) -> AsyncIterator[Http]:
    """Serve a context as the daemon does."""
    with listen(0) as listener:
        access = make_access(listener.getsockname()[1], no_token=no_token)
        async with trio.open_nursery() as nursery:
            frontend = HttpFrontend(context, McpFrontend(context), access, nursery, subscribe)
            async with serve_listener(frontend.gate, listener, refusals(), stalled_seconds):
                yield Http(access, frontend)
            nursery.cancel_scope.cancel()
