"""The demo shop's server: what it answers, and that it is gone when its block is left."""

import io
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from http.client import HTTPMessage, parse_headers
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
import trio
from trio_websocket import ConnectionClosed, WebSocketConnection

from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends.cli.demo_server import RECOMMENDATIONS_SECONDS, serve_demo
from tests.support import PATIENCE
from tests.web_sockets import open_socket

# Generous against a busy machine, and far below what a server that waits for its clients would take.
PROMPT_SECONDS = 1.0


class Answer(NamedTuple):
    status: int
    headers: HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


async def open_request(base: str, path: str, method: str = "GET", body: str = "") -> trio.SocketStream:
    address = urlsplit(base)
    stream = await trio.open_tcp_stream(str(address.hostname), address.port or 0)
    head = f"{method} {path} HTTP/1.1\r\nHost: {address.netloc}\r\nConnection: close\r\n"
    await stream.send_all(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
    return stream


async def fetch(base: str, path: str, method: str = "GET", body: str = "") -> Answer:
    async with await open_request(base, path, method, body) as stream:
        received = b"".join([chunk async for chunk in stream])
    head, _, content = received.partition(b"\r\n\r\n")
    status_line, _, fields = head.partition(b"\r\n")
    headers = parse_headers(io.BytesIO(fields + b"\r\n\r\n"))
    return Answer(int(status_line.split()[1]), headers, content)


@asynccontextmanager
async def open_shop(port: int = 0) -> AsyncIterator[str]:
    with trio.fail_after(PATIENCE):
        async with serve_demo(port) as base:
            yield base


@asynccontextmanager
async def live(base: str) -> AsyncIterator[WebSocketConnection]:
    async with open_socket(f"{base}live") as (socket, _):
        yield socket


@pytest.mark.parametrize(
    ("path", "content_type", "contains"),
    [
        ("/", "text/html; charset=utf-8", b"<!doctype html>"),
        ("/app.css", "text/css; charset=utf-8", b"prefers-color-scheme: dark"),
        ("/app.js", "text/javascript; charset=utf-8", b"function applyCoupon"),
    ],
)
async def test_the_pages_files_are_served_fresh(path: str, content_type: str, contains: bytes) -> None:
    async with open_shop() as base:
        answer = await fetch(base, path)
    assert answer.status == 200
    assert answer.headers["content-type"] == content_type
    assert answer.headers["cache-control"] == "no-store"
    assert "set-cookie" not in answer.headers
    assert contains in answer.body


async def test_products_are_listed() -> None:
    async with open_shop() as base:
        answer = await fetch(base, "/api/products")
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert {"sku", "name", "price"} <= answer.json[0].keys()


async def test_recommendations_are_right_but_slow() -> None:
    async with open_shop() as base:
        started = trio.current_time()
        answer = await fetch(base, "/api/recommendations")
        assert trio.current_time() - started >= RECOMMENDATIONS_SECONDS
    assert answer.status == 200
    assert len(answer.json) == 3


async def test_checkout_fails_with_a_reason() -> None:
    async with open_shop() as base:
        answer = await fetch(base, "/api/checkout", "POST", '{"items":{"PSP-104":1}}')
    assert answer.status == 500
    assert answer.json["error"] == "inventory_unavailable"
    assert answer.json["message"] == "Stock service timed out after 3 attempts"
    assert answer.json["request_id"]


@pytest.mark.parametrize("path", ["/img/hero-missing.png", "/favicon.ico", "/api/products/", "/../errors.py"])
async def test_the_rest_is_not_found(path: str) -> None:
    async with open_shop() as base:
        answer = await fetch(base, path)
    assert answer.status == 404


async def test_the_websocket_sends_prices_and_answers_pings() -> None:
    async with open_shop() as base, live(base) as socket:
        prices = [json.loads(await socket.get_message()) for _ in range(2)]
        # Neither is worth a word, and neither may end the conversation.
        await socket.send_message("not json")
        await socket.send_message(b"\x00")
        await socket.send_message('{"type":"ping"}')
        while json.loads(await socket.get_message()) != {"type": "pong"}:
            pass
        await socket.ping()
    assert [price["sequence"] for price in prices] == [0, 1]
    assert {"type", "grade", "price", "change"} <= prices[0].keys()


async def test_leaving_ends_open_connections_at_once(capfd: pytest.CaptureFixture[str]) -> None:
    close_codes = []

    async def watch_prices(base: str, task_status: trio.TaskStatus[None]) -> None:
        async with live(base) as socket:
            await socket.get_message()
            task_status.started()
            with suppress(ConnectionClosed):
                while True:
                    await socket.get_message()
            assert socket.closed is not None
            close_codes.append(socket.closed.code)

    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            async with serve_demo() as base:
                await nursery.start(watch_prices, base)
                slow = await open_request(base, "/api/recommendations")
                # A round trip on a later connection: by its end the slow request is under way.
                await fetch(base, "/api/products")
                left = trio.current_time()
            assert trio.current_time() - left < PROMPT_SECONDS
            async with slow:
                assert await slow.receive_some() == b""
        with pytest.raises(OSError, match="connect"):
            await fetch(base, "/")
    assert close_codes == [1001]
    assert capfd.readouterr() == ("", "")


async def test_cancelling_ends_it_at_once() -> None:
    with trio.CancelScope() as scope:
        async with open_shop() as base, live(base) as socket:
            await socket.get_message()
            cancelled = trio.current_time()
            scope.cancel()
            await trio.sleep_forever()
    assert scope.cancelled_caught
    assert trio.current_time() - cancelled < PROMPT_SECONDS


async def test_an_error_in_the_block_arrives_as_it_was_raised() -> None:
    error = RuntimeError("mine")
    with pytest.raises(RuntimeError) as caught:
        async with open_shop():
            raise error
    assert caught.value is error
    assert error.__context__ is None


async def test_a_taken_port_is_named() -> None:
    async with open_shop() as base:
        port = urlsplit(base).port or 0
        with pytest.raises(GasolineError, match=f"port {port}: another program is using it") as caught:
            async with open_shop(port):
                pytest.fail("two servers on one port")
    assert caught.value.code is Code.INVALID_PARAMS
    async with open_shop(port) as again:
        assert again == base


async def test_a_port_that_does_not_exist_is_refused() -> None:
    with pytest.raises(GasolineError, match="port 70000"):
        async with open_shop(70000):
            pytest.fail("no such port")
