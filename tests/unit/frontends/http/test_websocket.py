"""WebSockets of the server, spoken to with another library than its own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
import trio
from trio_websocket import ConnectionClosed, ConnectionRejected, WebSocketConnection

from gasoline_cdp.frontends.http.listening import HOST
from gasoline_cdp.frontends.http.loopback import serve_app
from tests.support import PATIENCE
from tests.web_sockets import open_socket

Ended = list[tuple[int, str]]


def _echo(ended: Ended) -> Any:
    """Answers each message with itself; notes how the socket ended."""

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        assert (await receive())["type"] == "websocket.connect"
        if scope["path"] == "/refused":
            await send({"type": "websocket.close"})
            return
        if scope["path"] == "/denied":
            start = {"status": 404, "headers": [(b"x-why", b"not here")]}
            await send({"type": "websocket.http.response.start", **start})
            await send({"type": "websocket.http.response.body", "body": b"no socket"})
            return
        accept = {"subprotocol": next(iter(scope["subprotocols"]), None), "headers": [(b"x-own", b"1")]}
        await send({"type": "websocket.accept", **accept})
        while (message := await receive())["type"] == "websocket.receive":
            if message.get("text") == "close":
                await send({"type": "websocket.close", "code": 4001, "reason": "as told"})
            elif message.get("text") == "leave":
                return
            else:
                await send({**message, "type": "websocket.send"})
        ended.append((message["code"], message["reason"]))

    return app


@asynccontextmanager
async def opened(
    path: str = "", ended: Ended | None = None, **options: Any
) -> AsyncIterator[tuple[WebSocketConnection, trio.SocketStream]]:
    with trio.fail_after(PATIENCE):
        async with (
            serve_app(_echo([] if ended is None else ended)) as url,
            open_socket(f"{url}{path}", **options) as both,
        ):
            yield both


async def test_messages_of_both_kinds_and_any_size_go_both_ways() -> None:
    async with opened(subprotocols=["chat", "other"]) as (socket, _):
        assert socket.subprotocol == "chat"
        assert (b"x-own", b"1") in socket.handshake_headers
        for message in ("plain", "ü€😀" * 1000, b"\x00\xff" * 10, "x" * 900_000, ""):
            await socket.send_message(message)
            assert await socket.get_message() == message
        await socket.ping(b"there?")


async def test_the_application_hears_how_its_client_left() -> None:
    ended: Ended = []
    async with opened(ended=ended) as (socket, _):
        await socket.aclose(4002, "enough")
    async with opened(ended=ended) as (_, stream):
        # Without a word.
        await stream.aclose()
    assert ended == [(4002, "enough"), (1006, "")]


@pytest.mark.parametrize(("told", "code"), [("close", 4001), ("leave", 1011)])
async def test_the_client_hears_how_the_application_left(told: str, code: int) -> None:
    async with opened() as (socket, _):
        await socket.send_message(told)
        with pytest.raises(ConnectionClosed) as closed:
            await socket.get_message()
    assert closed.value.reason is not None
    assert closed.value.reason.code == code


@pytest.mark.parametrize(("path", "status", "body"), [("refused", 403, b""), ("denied", 404, b"no socket")])
async def test_a_socket_that_is_not_accepted_is_answered_over_http(path: str, status: int, body: bytes) -> None:
    with pytest.raises(ConnectionRejected) as rejected:
        async with opened(path):
            pytest.fail("it was accepted")
    assert (rejected.value.status_code, rejected.value.body or b"") == (status, body)


_HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


async def _said_to(sent: bytes, until: bytes = b"", then: bytes = b"") -> tuple[bytes, Ended]:
    ended: Ended = []
    said = b""
    with trio.fail_after(PATIENCE):
        async with (
            serve_app(_echo(ended)) as url,
            await trio.open_tcp_stream(HOST, urlsplit(url).port or 0) as stream,
        ):
            await stream.send_all(sent)
            while until not in said:
                said += await stream.receive_some()
            await stream.send_all(then)
            async for chunk in stream:
                said += chunk
    return said, ended


def _frame(first: int, data: bytes) -> bytes:
    """Masked with nothing, as a client must mask."""
    return bytes([first, 0x80 | len(data), 0, 0, 0, 0]) + data


async def test_frames_that_come_with_the_handshake_and_in_parts_are_read() -> None:
    parts = [_frame(0x01, b"hel"), _frame(0x89, b"ping"), _frame(0x80, b"lo")]
    said, ended = await _said_to(_HANDSHAKE + b"".join(parts), until=b"hello", then=_frame(0x88, b"\x03\xe8"))
    assert said.startswith(b"HTTP/1.1 101")
    assert said.partition(b"\r\n\r\n")[2] == b"\x8a\x04ping" + b"\x81\x05hello" + b"\x88\x02\x03\xe8"
    assert ended == [(1000, "")]


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (_frame(0x81, b"\xff\xfe"), 1007),
        (_frame(0x83, b"unknown"), 1002),
        (b"\x81\x05plain", 1002),
        (bytes([0x82, 0xFF]) + (1 << 40).to_bytes(8, "big") + b"\0\0\0\0", 1009),
    ],
    ids=["not-utf8", "unknown-kind", "unmasked", "too-large"],
)
async def test_what_breaks_the_protocol_ends_the_socket_with_its_code(frame: bytes, code: int) -> None:
    said, ended = await _said_to(_HANDSHAKE + frame)
    assert code.to_bytes(2, "big") in said.partition(b"\r\n\r\n")[2]
    assert len(ended) == 1


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ((b"Sec-WebSocket-Version: 13", b"Sec-WebSocket-Version: 1"), b"4"),
        ((b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", b""), b"4"),
    ],
)
async def test_half_a_handshake_is_refused(change: tuple[bytes, bytes], status: bytes) -> None:
    said, _ = await _said_to(_HANDSHAKE.replace(*change))
    assert said.split()[1].startswith(status)
