"""HTTP/1 between one client and an ASGI application, with h11 as the parser.

One request at a time: the next one is read after the answer was sent, and a body when the application asks for it. So
a client can use no more memory than h11's limit for a head, and the data of the last read.
"""

import logging
import re
import time
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import unquote

import h11
import trio

from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.http.client_stream import ClientStream
from gasoline_cdp.frontends.http.websocket import WebSocketExchange, asks_for_websocket
from gasoline_cdp.times import http_date

log = logging.getLogger(__name__)

App = Callable[[dict[str, Any], Any, Any], Awaitable[None]]
# The answer to a request that cannot be parsed: status → body. Empty unless the application provides bodies.
Refusals = dict[int, bytes]

_ASGI = {"version": "3.0", "spec_version": "2.4"}
_WITHOUT_BODY = {204, 304}
_REQUEST_LINE = re.compile(rb"[!-~]+ [!-~]+ HTTP/1\.1")
_FINISHED = {"type": "http.disconnect"}


class Http1Connection:
    """One client's connection, until either side closes it."""

    def __init__(self, app: App, stream: ClientStream, refusals: Refusals) -> None:
        self._app = app
        self._refusals = refusals
        self.stream = stream
        self.parser = h11.Connection(h11.SERVER, max_incomplete_event_size=frontend_limits.HTTP_HEAD_BYTES)
        # The client sends no more. It may still read.
        self.ended = False
        # The bytes of the current request head, to find out why h11 refused it.
        self._head = b""

    async def run(self) -> None:
        """Answer one request after the other. The caller closes the stream."""
        try:
            while (request := await self._next_request()) is not None:
                await self._answer(request)
                if not self._is_ready():
                    return
                self.parser.start_next_cycle()
        except h11.RemoteProtocolError as error:
            wrong_host = error.error_status_hint == 400 and _host_is_wrong(self._head)
            await self.refuse(421 if wrong_host else error.error_status_hint)

    async def _next_request(self) -> h11.Request | None:
        """The next request's head; None if none arrives in time."""
        self._head = self.parser.trailing_data[0]
        with trio.move_on_after(frontend_limits.HTTP_IDLE_SECONDS):
            while (event := self.parser.next_event()) is h11.NEED_DATA:
                self._head += await self.read()
            if not isinstance(event, h11.Request):
                return None
            if len(self._head) - len(self.parser.trailing_data[0]) > frontend_limits.HTTP_HEAD_BYTES:
                # It arrived in one read, and h11 does not limit that.
                raise h11.RemoteProtocolError("a long head", error_status_hint=431)
            names = [name for name, _ in event.headers]
            if event.http_version not in {b"1.0", b"1.1"}:
                raise h11.RemoteProtocolError("HTTP/1 only", error_status_hint=400)
            if b"content-length" in names and b"transfer-encoding" in names:
                # Two lengths for one body: a proxy between us may use the other one.
                raise h11.RemoteProtocolError("two lengths", error_status_hint=400)
            return event
        return None

    async def _answer(self, request: h11.Request) -> None:
        exchange: HttpExchange | WebSocketExchange
        if asks_for_websocket(request):
            scope = self._scope(request, "websocket")
            exchange = WebSocketExchange(self, request, scope)
        else:
            scope = self._scope(request, "http")
            exchange = HttpExchange(self, request)
        try:
            await self._app(scope, exchange.receive, exchange.send)
        except Exception:
            log.exception("the application failed on %s", scope["path"][:60])
        await exchange.finish()

    def _scope(self, request: h11.Request, kind: str) -> dict[str, Any]:
        path, _, query = request.target.partition(b"?")
        return {
            "type": kind,
            "asgi": _ASGI,
            "http_version": request.http_version.decode(),
            "method": request.method.decode().upper(),
            "scheme": "http",
            "path": unquote(path.decode("ascii")),
            "raw_path": path,
            "query_string": query,
            "root_path": "",
            "headers": list(request.headers),
            "client": self.stream.client,
            "server": self.stream.server,
        }

    def _is_ready(self) -> bool:
        """Whether another request may follow. Skips the part of an unread body that is here already."""
        if self.stream.gone:
            return False
        try:
            while self.parser.their_state is h11.SEND_BODY:
                if self.parser.next_event() is h11.NEED_DATA:
                    return False
        except h11.RemoteProtocolError:
            # The request was answered already.
            return False
        return self.parser.our_state is h11.DONE and self.parser.their_state is h11.DONE

    async def read(self) -> bytes:
        """Wait for more bytes, and pass them to the parser."""
        data = await self.stream.read()
        self.ended = self.ended or not data
        self.parser.receive_data(data)
        return data

    async def write(self, *events: Any) -> None:
        """Serialise events, and write them at once."""
        await self.stream.write(b"".join(self.parser.send(event) or b"" for event in events))

    async def refuse(self, status: int) -> None:
        """Answer with an error without the application, and close. Does nothing if an answer has begun."""
        if self.parser.our_state not in {h11.IDLE, h11.SEND_RESPONSE}:
            return
        body = self._refusals.get(status, b"")
        headers = [(b"content-length", b"%d" % len(body)), (b"connection", b"close")]
        if body:
            headers.append((b"content-type", b"application/json"))
        await self.write(h11.Response(status_code=status, headers=headers), h11.Data(data=body), h11.EndOfMessage())


class HttpExchange:
    """One request and its answer, as an ASGI channel."""

    def __init__(self, connection: Http1Connection, request: h11.Request) -> None:
        self._connection = connection
        self._parser = connection.parser
        self._is_head = request.method.upper() == b"HEAD"
        self._reading = trio.Lock()
        self._body_read = False
        self._start: h11.Response | None = None
        self._bodiless = False
        self._done = trio.Event()

    async def receive(self) -> dict[str, Any]:
        """A piece of the body. After the last piece, wait until the client disconnects or the answer was sent."""
        async with self._reading:
            if not self._body_read and not self._done.is_set():
                return await self._next_piece()
            while not self._connection.ended and not self._done.is_set():
                if self._parser.trailing_data[0]:
                    # The next request is here already. Reading more would fill memory with pipelined requests.
                    await self._done.wait()
                else:
                    await self._connection.read()
            return _FINISHED

    async def _next_piece(self) -> dict[str, Any]:
        if self._parser.they_are_waiting_for_100_continue:
            await self._connection.write(h11.InformationalResponse(status_code=100, headers=[]))
        try:
            while (event := self._parser.next_event()) is h11.NEED_DATA:
                await self._connection.read()
        except h11.RemoteProtocolError as error:
            await self._connection.refuse(error.error_status_hint)
            self._done.set()
            return _FINISHED
        if isinstance(event, h11.Data):
            return {"type": "http.request", "body": bytes(event.data), "more_body": True}
        self._body_read = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(self, message: dict[str, Any]) -> None:
        """Send a message of the answer. The head waits for the first part of the body."""
        if self._done.is_set() or self._connection.stream.gone:
            await trio.lowlevel.checkpoint()
        elif message["type"] == "http.response.start":
            self._start = _response(message)
        elif message["type"] == "http.response.body":
            await self._send_body(message.get("body", b""), last=not message.get("more_body", False))

    async def _send_body(self, body: bytes, *, last: bool) -> None:
        events: list[Any] = []
        if self._start is not None:
            events.append(self._start)
            self._bodiless = self._is_head or self._start.status_code in _WITHOUT_BODY
            self._start = None
        if body and not self._bodiless:
            events.append(h11.Data(data=body))
        if last:
            events.append(h11.EndOfMessage())
            self._done.set()
        await self._connection.write(*events)

    async def finish(self) -> None:
        """The application has returned. Cut off an incomplete answer, so that nobody takes it for complete."""
        if not self._done.is_set():
            self._done.set()
            await self._connection.refuse(500)
        if self._parser.our_state is h11.SEND_BODY:
            self._connection.stream.cut()


def _response(message: dict[str, Any]) -> h11.Response:
    headers = [(bytes(name), bytes(value)) for name, value in message.get("headers", ())]
    if not any(name.lower() == b"date" for name, _ in headers):
        headers.append((b"date", http_date(time.time()).encode()))
    return h11.Response(status_code=message["status"], headers=headers)


def _host_is_wrong(head: bytes) -> bool:
    """Whether h11 refused a request because it has no Host header or several. Such a request is misdirected."""
    first, *lines = head.lstrip(b"\r\n").partition(b"\r\n\r\n")[0].split(b"\r\n")
    hosts = sum(line.lower().startswith(b"host:") for line in lines)
    well_formed = all(b":" in line for line in lines)
    return bool(_REQUEST_LINE.fullmatch(first)) and well_formed and hosts != 1
