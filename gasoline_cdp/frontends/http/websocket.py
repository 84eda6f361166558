"""A WebSocket between a client and an ASGI application: for the demo and the tests' sites. The gate lets none pass.

The library is imported when the first one is accepted.
"""

import logging
from collections import deque
from typing import TYPE_CHECKING, Any

import h11
import trio

from gasoline_cdp.limits import MB

if TYPE_CHECKING:
    from websockets.server import ServerProtocol

    from gasoline_cdp.frontends.http.http1 import Http1Connection

_MESSAGE_BYTES = 16 * MB
# Otherwise the library would log every message.
_SILENT = logging.getLogger(f"{__name__}.messages")
_SILENT.setLevel(logging.CRITICAL)
# RFC 6455 codes: the application ended without closing; the client disconnected without closing.
_INTERNAL_ERROR = 1011
_ABNORMAL = 1006


def asks_for_websocket(request: h11.Request) -> bool:
    """Whether a request opens a WebSocket. Other upgrade requests are ignored, as a server may."""
    headers = dict(request.headers)
    return (
        headers.get(b"upgrade", b"").strip().lower() == b"websocket"
        and request.method == b"GET"
        and not {b"content-length", b"transfer-encoding"} & headers.keys()
    )


class WebSocketExchange:
    """One WebSocket from its handshake to its end, as an ASGI channel."""

    def __init__(self, connection: "Http1Connection", request: h11.Request, scope: dict[str, Any]) -> None:
        self._connection = connection
        self._request = request
        self._protocol: ServerProtocol | None = None
        self._asked = False
        self._over = False
        self._code, self._reason = _ABNORMAL, ""
        self._denial: dict[str, Any] | None = None
        self._messages: deque[dict[str, Any]] = deque()
        self._partial: list[Any] = []
        offered = dict(request.headers).get(b"sec-websocket-protocol", b"").decode("latin-1")
        scope["subprotocols"] = [name.strip() for name in offered.split(",") if name.strip()]
        scope["scheme"] = "ws"
        scope["extensions"] = {"websocket.http.response": {}}

    async def receive(self) -> dict[str, Any]:
        """The next message of the client, or its disconnect."""
        if not self._asked:
            self._asked = True
            return {"type": "websocket.connect"}
        while not self._messages and not self._over:
            data = await self._connection.stream.read()
            if self._protocol is None or not data:
                self._over = True
            else:
                await self._take(self._protocol, data)
        if self._messages:
            return self._messages.popleft()
        return {"type": "websocket.disconnect", "code": self._code, "reason": self._reason}

    async def _take(self, protocol: "ServerProtocol", data: bytes) -> None:
        """Parse incoming bytes, and send the library's own replies: to pings, protocol errors and close frames."""
        protocol.receive_data(data)
        for frame in protocol.events_received():
            self._take_frame(protocol, frame)
        # Also set after a protocol error, for which the library sends a close frame.
        self._over = self._over or protocol.close_expected()
        await self._flush(protocol)

    def _take_frame(self, protocol: "ServerProtocol", frame: Any) -> None:
        from websockets.frames import Close, CloseCode, Opcode  # noqa: PLC0415 - imported by now

        if frame.opcode is Opcode.CLOSE:
            close = Close.parse(frame.data)
            self._over, self._code, self._reason = True, close.code, close.reason
        elif frame.opcode in {Opcode.TEXT, Opcode.BINARY, Opcode.CONT}:
            self._partial.append(frame)
            if frame.fin:
                data = b"".join(bytes(part.data) for part in self._partial)
                is_text = self._partial[0].opcode is Opcode.TEXT
                self._partial.clear()
                try:
                    given = {"text": data.decode()} if is_text else {"bytes": data}
                except UnicodeDecodeError:
                    protocol.fail(CloseCode.INVALID_DATA)
                    return
                self._messages.append({"type": "websocket.receive", **given})

    async def send(self, message: dict[str, Any]) -> None:
        """Accept, send or close; or answer with an ordinary HTTP response."""
        match message["type"]:
            case _ if self._over or self._connection.stream.gone:
                await trio.lowlevel.checkpoint()
            case "websocket.accept":
                await self._accept(message.get("subprotocol"), message.get("headers", ()))
            case "websocket.send" if self._protocol is not None:
                text = message.get("text")
                if text is None:
                    self._protocol.send_binary(message["bytes"])
                else:
                    self._protocol.send_text(text.encode())
                await self._flush(self._protocol)
            case "websocket.close" if self._protocol is not None:
                await self._close(self._protocol, message.get("code", 1000), message.get("reason") or "")
            case "websocket.close":
                self._over = True
                await self._connection.refuse(403)
            case "websocket.http.response.start":
                self._denial = message
            case "websocket.http.response.body" if self._denial is not None:
                await self._deny(self._denial, message.get("body", b""))

    async def _accept(self, subprotocol: str | None, headers: Any) -> None:
        from websockets.extensions.permessage_deflate import (  # noqa: PLC0415 - see above
            ServerPerMessageDeflateFactory,
        )
        from websockets.http11 import Request  # noqa: PLC0415
        from websockets.server import ServerProtocol  # noqa: PLC0415
        from websockets.typing import Subprotocol  # noqa: PLC0415

        protocol = ServerProtocol(
            extensions=[ServerPerMessageDeflateFactory()],
            subprotocols=[Subprotocol(subprotocol)] if subprotocol else None,
            max_size=_MESSAGE_BYTES,
            logger=_SILENT,
        )
        # The library must parse the handshake itself, or it would take the first frame for one.
        lines = [b"GET %b HTTP/1.1" % self._request.target, *(b"%b: %b" % header for header in self._request.headers)]
        protocol.receive_data(b"\r\n".join([*lines, b"", b""]))
        request = next(iter(protocol.events_received()), None)
        if not isinstance(request, Request):
            await self._connection.refuse(400)
            return
        response = protocol.accept(request)
        for name, value in headers:
            response.headers[name.decode("latin-1")] = value.decode("latin-1")
        protocol.send_response(response)
        self._protocol = protocol
        self._over = response.status_code != 101
        await self._flush(protocol)
        if not self._over and (early := self._connection.parser.trailing_data[0]):
            await self._take(protocol, early)

    async def _close(self, protocol: "ServerProtocol", code: int, reason: str) -> None:
        self._over, self._code, self._reason = True, code, reason
        protocol.send_close(code, reason)
        await self._flush(protocol)

    async def _deny(self, start: dict[str, Any], body: bytes) -> None:
        self._over = True
        headers = [*start["headers"], (b"content-length", b"%d" % len(body)), (b"connection", b"close")]
        response = h11.Response(status_code=start["status"], headers=headers)
        await self._connection.write(response, h11.Data(data=body), h11.EndOfMessage())

    async def _flush(self, protocol: "ServerProtocol") -> None:
        await self._connection.stream.write(b"".join(protocol.data_to_send()))

    async def finish(self) -> None:
        """The application has returned: close what it left open."""
        if self._protocol is None:
            await self._connection.refuse(500)
        elif not self._over:
            await self._close(self._protocol, _INTERNAL_ERROR, "")
