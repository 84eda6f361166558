"""So many requests at a time: the next ones wait, a flood is refused, and a cancellation always gets through."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import trio
from trio.testing import memory_stream_one_way_pair, wait_all_tasks_blocked

from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.mcp.request_limiter import RequestLimiter, read_lines

MOST = frontend_limits.CLIENT_REQUESTS


class Library:
    """The other end: what was passed on, and what was refused."""

    def __init__(self) -> None:
        self.passed: list[Any] = []
        self.refused: list[Any] = []
        self.malformed: list[bytes] = []

    def read(self, line: bytes) -> Any:
        try:
            return SimpleNamespace(message=SimpleNamespace(**json.loads(line)))
        except ValueError:
            return None

    async def refuse_malformed(self, line: bytes) -> None:
        self.malformed.append(line)

    async def pass_on(self, envelope: Any) -> None:
        message = envelope.message
        self.passed.append(getattr(message, "id", message.method))

    async def refuse(self, request: Any, words: str) -> None:
        assert words
        self.refused.append(request)


def asked(request: Any, method: str = "tools/call", **more: Any) -> bytes:
    return json.dumps({"id": request, "method": method, **more}).encode()


def cancelled(request: Any) -> bytes:
    return json.dumps({"method": "notifications/cancelled", "params": {"requestId": request}}).encode()


class Client:
    """Says lines, and waits until each was taken."""

    def __init__(self, out: trio.MemorySendChannel[bytes], limiter: RequestLimiter, library: Library) -> None:
        self.limiter = limiter
        self.library = library
        self._out = out

    async def say(self, *lines: bytes) -> None:
        for line in lines:
            await self._out.send(line)
        await wait_all_tasks_blocked()

    async def answered(self, request: Any) -> None:
        self.limiter.done(request)
        await wait_all_tasks_blocked()


@asynccontextmanager
async def open_client() -> AsyncIterator[Client]:
    library = Library()
    limiter = RequestLimiter(library)
    out, lines = trio.open_memory_channel[bytes](0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(limiter.run, [], lines)
        yield Client(out, limiter, library)
        nursery.cancel_scope.cancel()


async def test_the_next_ones_wait_for_a_place_in_their_order() -> None:
    async with open_client() as client:
        await client.say(*(asked(number) for number in range(MOST + 2)))
        assert client.library.passed == list(range(MOST))
        await client.answered(0)
        assert client.library.passed == list(range(MOST + 1))
        await client.answered(5)
        assert client.library.passed == list(range(MOST + 2))


async def test_a_notification_and_a_ping_get_through_however_much_is_under_way() -> None:
    async with open_client() as client:
        await client.say(*(asked(number) for number in range(MOST + 1)))
        await client.say(b'{"method":"notifications/initialized"}', asked("p", "ping"))
        assert client.library.passed[MOST:] == ["notifications/initialized", "p"]


async def test_a_request_that_waits_is_called_off_without_the_library_s_knowing() -> None:
    async with open_client() as client:
        await client.say(*(asked(number) for number in range(MOST + 2)))
        # The library takes 5 and "5" for the same id.
        await client.say(cancelled(str(MOST)))
        assert client.library.passed == list(range(MOST))
        await client.answered(0)
        assert client.library.passed == [*range(MOST), MOST + 1]


async def test_a_request_under_way_that_is_called_off_makes_room() -> None:
    async with open_client() as client:
        await client.say(*(asked(number) for number in range(MOST + 1)))
        await client.say(cancelled(3))
        assert client.library.passed == [*range(MOST), "notifications/cancelled", MOST]


async def test_a_flood_is_refused_once_too_many_bytes_wait() -> None:
    async with open_client() as client:
        await client.say(*(asked(number) for number in range(MOST)))
        large = "x" * (frontend_limits.CLIENT_WAITING_BYTES // 2)
        await client.say(*(asked(f"w{number}", text=large) for number in range(3)))
        assert client.library.refused == ["w1", "w2"]
        assert client.library.passed == list(range(MOST))


async def test_streams_are_counted_by_themselves() -> None:
    async with open_client() as client:
        listening = [asked(f"s{number}", "subscriptions/listen") for number in range(MOST + 1)]
        await client.say(*listening, asked("call"))
        assert client.library.refused == [f"s{MOST}"]
        assert client.library.passed[-1] == "call"
        await client.say(cancelled("s0"), asked("again", "subscriptions/listen"))
        assert client.library.passed[-1] == "again"


async def test_what_cannot_be_read_is_answered_and_takes_no_place() -> None:
    async with open_client() as client:
        await client.say(b"{", asked(1))
        assert (client.library.malformed, client.library.passed) == ([b"{"], [1])


async def test_lines_are_cut_and_blank_ones_left_out() -> None:
    send, receive = memory_stream_one_way_pair()
    out, lines = trio.open_memory_channel[bytes](10)
    skipped: list[bool] = []

    async def skip() -> None:
        skipped.append(True)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(read_lines, receive, out, skip)
        await send.send_all(b'{"a":1}\n\n  \n{"b"')
        await send.send_all(b":2}\n")
        await send.send_all(b"x" * (5 * 1024 * 1024) + b"\nlast\n")
        await send.aclose()
        assert [line async for line in lines] == [b'{"a":1}\n', b'{"b":2}\n', b"last\n"]
    assert skipped == [True]
