"""HTTP/1 over real connections, one byte-exact client at a time."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
import trio
import trio.testing

from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.http.listening import HOST, listen
from gasoline_cdp.frontends.http.loopback import serve_app, serve_listener
from tests.support import PATIENCE

Scope = dict[str, Any]


async def _body(receive: Any) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise EOFError
        body += message["body"]
        if not message["more_body"]:
            return bytes(body)


async def _respond(send: Any, body: bytes, status: int = 200, *headers: tuple[bytes, bytes]) -> None:
    length = (b"content-length", b"%d" % len(body))
    await send({"type": "http.response.start", "status": status, "headers": [length, *headers]})
    await send({"type": "http.response.body", "body": body})


async def echo(scope: Scope, receive: Any, send: Any) -> None:
    """Says what it was sent; some paths misbehave."""
    match scope["path"]:
        case "/unread":
            await _respond(send, b"not read")
        case "/stream":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            for piece in (b"one ", b"two"):
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        case "/empty":
            await _respond(send, b"", 204)
        case "/nothing":
            return
        case "/fails":
            raise RuntimeError("by the test")
        case "/half":
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"10")]})
            await send({"type": "http.response.body", "body": b"half", "more_body": True})
        case "/more":
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
            await send({"type": "http.response.body", "body": b"more"})
        case _:
            said = f"{scope['method']} {scope['path']}?{scope['query_string'].decode()} ".encode()
            await _respond(send, said + await _body(receive))


class Talk:
    """A connection on which a test says exactly what it wants."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self._held = b""

    async def say(self, text: bytes) -> None:
        await self.stream.send_all(text)

    async def read_until(self, end: bytes) -> bytes:
        while end not in self._held:
            chunk = bytes(await self.stream.receive_some(65536))
            assert chunk, self._held
            self._held += chunk
        found, _, self._held = self._held.partition(end)
        return found + end

    async def rest(self) -> bytes:
        """All that comes until the server closes."""
        try:
            while chunk := bytes(await self.stream.receive_some(65536)):
                self._held += chunk
        except trio.BrokenResourceError:
            pass
        return self._held


@asynccontextmanager
async def talk(app: Any = echo) -> AsyncIterator[Talk]:
    with trio.fail_after(PATIENCE):
        async with serve_app(app) as url:
            address = urlsplit(url)
            async with await trio.open_tcp_stream(HOST, address.port or 0) as stream:
                yield Talk(stream)


def _get(path: str = "/", version: str = "1.1", *headers: str) -> bytes:
    return "\r\n".join([f"GET {path} HTTP/{version}", "Host: x", *headers, "", ""]).encode()


async def test_a_connection_serves_one_request_after_the_other() -> None:
    async with talk() as client:
        for number in range(3):
            await client.say(_get(f"/{number}?q"))
            head = await client.read_until(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200")
            assert b"\r\ndate: " in head.lower()
            assert await client.read_until(b" ") + await client.read_until(b" ") == f"GET /{number}?q ".encode()


async def test_requests_that_come_at_once_are_answered_in_order() -> None:
    async with talk() as client:
        post = b"POST /%d HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody"
        await client.say(b"".join(post % number for number in range(20)) + _get("/last", "1.1", "Connection: close"))
        said = await client.rest()
    assert [said.index(b"POST /%d? body" % number) for number in range(20)] == sorted(
        said.index(b"POST /%d? body" % number) for number in range(20)
    )
    assert said.count(b"HTTP/1.1 200") == 21
    assert said.endswith(b"GET /last? ")


async def test_who_floods_a_stream_with_requests_is_not_read_on() -> None:
    """The application waits for the client to go: what comes meanwhile stays in the kernel."""
    waiting = trio.Event()

    async def hold(scope: Scope, receive: Any, send: Any) -> None:
        if scope["path"] != "/hold":
            await _respond(send, b"next")
            return
        await _body(receive)
        waiting.set()
        with trio.move_on_after(0.2):
            assert (await receive())["type"] == "never"
        await _respond(send, b"held")

    async with talk(hold) as client:
        await client.say(_get("/hold"))
        await waiting.wait()
        with trio.move_on_after(0.1):
            while True:
                await client.say(_get("/next") * 1000)
        await client.read_until(b"held")
        await client.read_until(b"next")


async def test_http_1_0_is_answered_and_closed() -> None:
    async with talk() as client:
        await client.say(b"GET /stream HTTP/1.0\r\n\r\n")
        said = await client.rest()
    assert said.startswith(b"HTTP/1.1 200")
    assert b"chunked" not in said.lower()
    assert said.endswith(b"\r\n\r\none two")


async def test_a_body_in_chunks_is_read_and_an_answer_of_unknown_length_is_sent_so() -> None:
    async with talk() as client:
        head = b"POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        for piece in (head, b"5;ext=1\r\nhel", b"lo\r\n1\r\n \r", b"\n5\r\nworld\r\n0\r\nTrailer: t\r\n\r\n"):
            await client.say(piece)
            await trio.testing.wait_all_tasks_blocked()
        await client.read_until(b"POST /a? hello world")
        await client.say(_get("/stream"))
        await client.read_until(b"4\r\none \r\n3\r\ntwo\r\n0\r\n\r\n")


async def test_a_client_that_waits_is_told_to_go_on_only_if_its_body_is_wanted() -> None:
    waits = b"POST /%b HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n"
    async with talk() as client:
        await client.say(waits % b"wanted")
        assert (await client.read_until(b"\r\n\r\n")).startswith(b"HTTP/1.1 100")
        await client.say(b"body")
        await client.read_until(b"POST /wanted? body")
    async with talk() as client:
        await client.say(waits % b"unread")
        said = await client.rest()
    assert said.startswith(b"HTTP/1.1 200")
    assert said.endswith(b"not read")


async def test_a_body_that_nobody_reads_costs_the_connection_and_not_the_answer() -> None:
    async with talk() as client:
        # All of it is here: the next request is found behind it.
        await client.say(b"POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody")
        await client.read_until(b"not read")
        await client.say(b"POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 300_000)
        assert (await client.rest()).endswith(b"not read")


async def test_a_head_request_gets_the_head_alone() -> None:
    async with talk() as client:
        await client.say(_get("/a").replace(b"GET", b"HEAD") + _get("/empty", "1.1", "Connection: close"))
        said = await client.rest()
    first, second, rest = said.split(b"\r\n\r\n")
    assert b"content-length: 9" in first.lower()
    assert second.startswith(b"HTTP/1.1 204")
    assert rest == b""


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 4\r\nTransfer-Encoding: chunked",
        b"Transfer-Encoding: chunked\r\nContent-Length: 4",
        b"Content-Length: 4\r\nContent-Length: 5",
        b"Content-Length: 4, 5",
        b"Content-Length: +4",
        b"Content-Length: 4 4",
        b"Transfer-Encoding: chunked, identity",
        b"Transfer-Encoding: xchunked",
        b"Transfer-Encoding: gzip",
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
        b"Content-Length : 4",
        b"X: a\r\nContent\x00-Length: 4",
    ],
)
async def test_a_body_of_doubtful_length_is_refused_and_nothing_behind_it_is_read(head: bytes) -> None:
    async with talk() as client:
        await client.say(b"POST /first HTTP/1.1\r\nHost: x\r\n" + head + b"\r\n\r\n0\r\n\r\n" + _get("/smuggled"))
        said = await client.rest()
    assert said.split()[1] in {b"400", b"501"}
    assert said.count(b"HTTP/1.1") == 1
    assert b"smuggled" not in said


@pytest.mark.parametrize("chunk", [b"-5\r\nhello\r\n", b"zz\r\nhello\r\n", b"5\r\nhelloX\r\n", b"f" * 30 + b"\r\n"])
async def test_a_broken_chunk_is_refused(chunk: bytes) -> None:
    async with talk() as client:
        await client.say(
            b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk + _get("/smuggled")
        )
        said = await client.rest()
    assert said.startswith(b"HTTP/1.1 400")
    assert said.count(b"HTTP/1.1") == 1


async def test_a_client_that_sends_less_than_it_said_is_gone_for_the_application() -> None:
    ended: list[str] = []

    async def app(_: Scope, receive: Any, send: Any) -> None:
        try:
            await _body(receive)
        except EOFError:
            ended.append("gone")
        await _respond(send, b"late")

    async with talk(app) as client:
        await client.say(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf")
        await client.stream.send_eof()
        await client.rest()
    assert ended == ["gone"]


@pytest.mark.parametrize("path", ["/fails", "/nothing"])
async def test_an_application_that_does_not_answer_is_answered_for(path: str) -> None:
    async with talk() as client:
        await client.say(_get(path))
        said = await client.rest()
    assert said.startswith(b"HTTP/1.1 500")
    assert b"by the test" not in said


@pytest.mark.parametrize("path", ["/half", "/more"])
async def test_an_answer_that_is_not_as_long_as_it_said_is_cut_off(path: str) -> None:
    async with talk() as client:
        await client.say(_get(path) + _get("/next"))
        said = await client.rest()
    assert b"next" not in said
    assert not said.endswith(b"more")


async def test_an_application_hears_that_its_client_goes_while_it_answers() -> None:
    heard = trio.Event()

    async def stream(_: Scope, receive: Any, send: Any) -> None:
        await _body(receive)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"begun", "more_body": True})
        assert (await receive())["type"] == "http.disconnect"
        # What is sent to nobody is nobody's mistake.
        for _number in range(100):
            await send({"type": "http.response.body", "body": b"x" * 100_000, "more_body": True})
        heard.set()

    with trio.fail_after(PATIENCE):
        async with serve_app(stream) as url:
            client = Talk(await trio.open_tcp_stream(HOST, urlsplit(url).port or 0))
            await client.say(_get())
            await client.read_until(b"begun")
            await client.stream.aclose()
            await heard.wait()


async def test_a_head_is_bounded_in_whatever_pieces_it_comes() -> None:
    long = b"X: " + b"a" * (frontend_limits.HTTP_HEAD_BYTES + 1) + b"\r\n"
    for pieces in ([long], [long[place : place + 500] for place in range(0, len(long), 500)]):
        async with talk() as client:
            await client.say(b"GET / HTTP/1.1\r\nHost: x\r\n")
            for piece in pieces:
                await client.say(piece)
            await client.say(b"\r\n")
            said = await client.rest()
        assert said.startswith(b"HTTP/1.1 431")


async def test_no_host_and_two_hosts_are_misdirected_also_behind_another_request() -> None:
    with trio.fail_after(PATIENCE), listen(0) as listener:
        async with serve_listener(echo, listener, {421: b"whose?", 400: b"what?"}):
            for wrong, words in (
                (b"GET / HTTP/1.1\r\n\r\n", b"whose?"),
                (b"GET / HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n", b"whose?"),
                (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", b"what?"),
            ):
                async with await trio.open_tcp_stream(HOST, listener.getsockname()[1]) as stream:
                    client = Talk(stream)
                    await client.say(_get("/good") + wrong)
                    await client.read_until(b"GET /good? ")
                    assert (await client.rest()).endswith(words)


async def test_leaving_ends_an_answer_that_nobody_reads() -> None:
    begun = trio.Event()

    async def flood(_: Scope, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while True:
            begun.set()
            await send({"type": "http.response.body", "body": b"x" * 1_000_000, "more_body": True})

    with trio.fail_after(PATIENCE):
        async with serve_app(flood) as url:
            stream = await trio.open_tcp_stream(HOST, urlsplit(url).port or 0)
            await stream.send_all(_get())
            await begun.wait()
        await stream.aclose()
