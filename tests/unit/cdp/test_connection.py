"""Commands find their replies, events their handlers; nothing Chrome says or stops saying leaves a waiter behind."""

import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any

import pytest
import trio
import trio.testing
from hypothesis import given, settings
from hypothesis import strategies as st

from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Connection, Session, open_connection
from gasoline_cdp.cdp.messages import decode
from gasoline_cdp.cdp.transport import PipeTransport
from tests.fakes import FakeTransport, settled


@asynccontextmanager
async def connected(*, strict: bool = True) -> AsyncIterator[tuple[Connection, FakeTransport]]:
    chrome = FakeTransport()
    async with open_connection(chrome, strict=strict) as connection:
        yield connection, chrome


class Waiter:
    """Sends a command from a task of its own, and keeps what came of it."""

    def __init__(self, nursery: trio.Nursery, session: Session, method: str, params: Any = None) -> None:
        self.result: dict[str, Any] | None = None
        self.error: CdpError | CdpClosed | None = None
        self.done = trio.Event()
        nursery.start_soon(self._run, session, method, params)

    async def _run(self, session: Session, method: str, params: Any) -> None:
        try:
            self.result = await session.send(method, params)
        except (CdpError, CdpClosed) as error:
            self.error = error
        self.done.set()


async def test_replies_find_their_commands_whatever_their_order() -> None:
    async with connected() as (connection, chrome), trio.open_nursery() as nursery:
        first = Waiter(nursery, connection.root, "Browser.getVersion")
        await settled()
        second = Waiter(nursery, connection.root, "Target.getTargets", {"filter": []})
        await settled()
        assert chrome.sent == [
            {"id": 1, "method": "Browser.getVersion", "params": {}},
            {"id": 2, "method": "Target.getTargets", "params": {"filter": []}},
        ]
        chrome.answer(chrome.sent[1], {"targetInfos": []})
        chrome.answer(chrome.sent[0], {"product": "Chrome/156"})
        await settled()
        assert (first.result, second.result) == ({"product": "Chrome/156"}, {"targetInfos": []})


async def test_a_refusal_names_the_command() -> None:
    async with connected() as (connection, chrome), trio.open_nursery() as nursery:
        waiter = Waiter(nursery, connection.root, "Page.navigate")
        await settled()
        chrome.refuse(chrome.sent[0], -32000, "Cannot navigate to invalid URL")
        await settled()
        assert isinstance(waiter.error, CdpError)
        assert (waiter.error.method, waiter.error.code) == ("Page.navigate", -32000)
        assert str(waiter.error) == "Page.navigate: Cannot navigate to invalid URL"


async def test_commands_of_a_session_carry_its_id() -> None:
    async with connected() as (connection, chrome):
        connection.open_session("S1", connection.root).post("Page.enable")
        await settled()
        assert chrome.sent == [{"id": 1, "method": "Page.enable", "params": {}, "sessionId": "S1"}]


async def test_what_is_queued_leaves_in_one_write_and_in_order() -> None:
    async with connected() as (connection, chrome):
        for method in ("Network.enable", "Runtime.enable", "Log.enable"):
            connection.root.post(method)
        await settled()
        assert chrome.methods() == ["Network.enable", "Runtime.enable", "Log.enable"]


async def test_chrome_gone_fails_every_waiter_with_its_own_command() -> None:
    async with connected() as (connection, chrome), trio.open_nursery() as nursery:
        session = connection.open_session("S1", connection.root)
        waiters = [
            Waiter(nursery, connection.root, "Browser.getVersion"),
            Waiter(nursery, session, "Page.getFrameTree"),
        ]
        await settled()
        chrome.hang_up()
        assert await connection.wait_closed() == "the browser closed the connection"
        await settled()
        assert {str(waiter.error) for waiter in waiters} == {
            "Browser.getVersion: the browser closed the connection",
            "Page.getFrameTree: the browser closed the connection",
        }
        with pytest.raises(CdpClosed, match=r"Page\.reload: the browser closed the connection"):
            await session.send("Page.reload")


async def test_a_pipe_that_breaks_while_we_write_is_the_end_too() -> None:
    async with connected() as (connection, chrome), trio.open_nursery() as nursery:
        chrome.broken = True
        waiter = Waiter(nursery, connection.root, "Browser.getVersion")
        assert await connection.wait_closed() == "the browser closed the connection"
        await settled()
        assert isinstance(waiter.error, CdpClosed)


async def test_leaving_the_block_ends_the_waiters() -> None:
    async with trio.open_nursery() as nursery:
        async with connected() as (connection, _):
            waiter = Waiter(nursery, connection.root, "Browser.getVersion")
            await settled()
        await settled()
        assert isinstance(waiter.error, CdpClosed)
        assert waiter.error.reason == "the connection was closed"


async def test_a_session_closed_fails_its_own_waiters_only() -> None:
    async with connected() as (connection, chrome), trio.open_nursery() as nursery:
        session = connection.open_session("S1", connection.root)
        of_page = Waiter(nursery, session, "Page.getFrameTree")
        of_browser = Waiter(nursery, connection.root, "Browser.getVersion")
        await settled()
        assert connection.close_session("S1", "the page was closed") is session
        await settled()
        assert str(of_page.error) == "Page.getFrameTree: the page was closed"
        assert of_browser.error is None
        chrome.answer(chrome.last("Browser.getVersion"), {"product": "Chrome/156"})
        await settled()
        assert of_browser.result == {"product": "Chrome/156"}
        with pytest.raises(CdpClosed, match="the page was closed"):
            await session.send("Page.reload")
        assert connection.sessions.get("S1") is None
        assert connection.close_session("S1", "again") is None


async def test_a_cancelled_waiter_leaves_nothing_pending() -> None:
    async with connected() as (connection, chrome):
        with trio.move_on_after(0):
            await connection.root.send("Browser.getVersion")
        await settled()
        assert connection._pending == {}
        chrome.answer(chrome.sent[0], {"product": "too late"})
        await settled()
        assert connection.messages_received == 1


async def test_a_command_that_cannot_be_written_leaves_nothing_pending() -> None:
    async with connected() as (connection, _):
        with pytest.raises(TypeError):
            connection.root.post("Runtime.callFunctionOn", {"arguments": object()})
        assert connection._pending == {}


async def test_replies_to_what_was_only_posted_are_forgotten(caplog: pytest.LogCaptureFixture) -> None:
    async with connected() as (connection, chrome):
        connection.root.post("Log.enable")
        connection.root.post("Page.enable")
        await settled()
        with caplog.at_level(logging.DEBUG, "gasoline_cdp"):
            chrome.answer(chrome.sent[0])
            chrome.refuse(chrome.sent[1], -32601, "'Page.enable' wasn't found")
            await settled()
        assert connection._pending == {}
        assert "refused Page.enable" in caplog.text


async def test_events_come_in_order_before_the_next_message_is_looked_at() -> None:
    async with connected() as (connection, chrome):
        heard: list[tuple[str, Any]] = []
        session = connection.open_session("S1", connection.root)
        connection.root.on("Target.attachedToTarget", lambda params: heard.append(("root", params["n"])))
        session.on("Runtime.consoleAPICalled", lambda params: heard.append(("first", params["n"])))
        session.on("Runtime.consoleAPICalled", lambda params: heard.append(("second", params["n"])))
        said = [
            {"method": "Runtime.consoleAPICalled", "params": {"n": 1}, "sessionId": "S1"},
            {"method": "Target.attachedToTarget", "params": {"n": 2}},
            {"method": "Runtime.consoleAPICalled", "params": {"n": 3}, "sessionId": "S1"},
        ]
        chrome.say(*said)
        await settled()
        assert heard == [("first", 1), ("second", 1), ("root", 2), ("first", 3), ("second", 3)]


async def test_a_session_opened_by_an_event_hears_the_very_next_message() -> None:
    async with connected() as (connection, chrome):
        heard: list[int] = []

        def attached(params: dict[str, Any]) -> None:
            session = connection.open_session(params["sessionId"], connection.root)
            session.on("Network.requestWillBeSent", lambda params: heard.append(params["n"]))

        connection.root.on("Target.attachedToTarget", attached)
        chrome.say(
            {"method": "Target.attachedToTarget", "params": {"sessionId": "S1"}},
            {"method": "Network.requestWillBeSent", "params": {"n": 7}, "sessionId": "S1"},
        )
        await settled()
        assert heard == [7]


async def test_events_of_unknown_sessions_and_unasked_events_are_ignored() -> None:
    async with connected() as (connection, chrome):
        heard: list[Any] = []
        connection.root.on("Page.loadEventFired", heard.append)
        chrome.event("Page.loadEventFired", {}, session="closed just now")
        chrome.event("Page.frameResized")
        chrome.say({"method": "Page.loadEventFired"})
        await settled()
        assert heard == [{}]
        assert connection.handler_errors == 0


async def test_a_handler_that_fails_is_counted_and_the_capture_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    async with connected(strict=False) as (connection, chrome):
        heard: list[Any] = []

        def fail(_: Any) -> None:
            raise KeyError("unforeseen")

        connection.root.on("Target.targetCreated", fail)
        connection.root.on("Target.targetDestroyed", heard.append)
        chrome.event("Target.targetCreated")
        chrome.event("Target.targetDestroyed", {"targetId": "T1"})
        await settled()
        assert connection.handler_errors == 1
        assert heard == [{"targetId": "T1"}]
        assert "an event handler failed on Target.targetCreated" in caplog.text


async def test_under_tests_a_handler_that_fails_is_fatal() -> None:
    def fail(_: Any) -> None:
        raise KeyError("unforeseen")

    async def hear() -> None:
        async with connected(strict=True) as (connection, chrome):
            connection.root.on("Target.targetCreated", fail)
            chrome.event("Target.targetCreated")
            await trio.sleep_forever()

    with pytest.raises(KeyError, match="unforeseen"):
        await hear()


@pytest.mark.parametrize(
    "nonsense",
    [b"", b"\xff\xfe", b"{", b"[1, 2]", b'"text"', b"null", b"NaN", b'{"id": "1"}', b"{}", b"[" * 100_000],
    ids=lambda raw: repr(raw[:12]),
)
async def test_what_is_no_message_does_no_harm(nonsense: bytes) -> None:
    async with connected() as (connection, chrome):
        heard: list[Any] = []
        connection.root.on("Page.loadEventFired", heard.append)
        chrome.say(nonsense)
        chrome.event("Page.loadEventFired")
        await settled()
        assert heard == [{}]


async def test_a_reply_nobody_waits_for_does_no_harm() -> None:
    async with connected() as (connection, chrome):
        chrome.say({"id": 99, "result": {}}, {"id": 98, "error": {"code": 1, "message": "no"}})
        await settled()
        assert connection.messages_received == 2


def test_halves_of_surrogate_pairs_are_read() -> None:
    message = decode(rb'{"method": "Runtime.consoleAPICalled", "params": {"args": [{"value": "half \ud800 pair"}]}}')
    assert message is not None
    assert message["params"]["args"][0]["value"] == "half \ud800 pair"


def test_bytes_that_are_no_utf8_are_replaced() -> None:
    assert decode(b'{"method": "x\xff"}') == {"method": "x�"}


async def test_posting_to_what_is_closed_is_silent() -> None:
    """A handler runs on messages that were in the pipe when Chrome went: it must not fail for that."""
    async with connected() as (connection, chrome):
        session = connection.open_session("S1", connection.root)
        connection.close_session("S1", "the page was closed")
        session.post("Page.enable")
        connection.closed("the browser closed the connection")
        connection.root.post("Page.enable")
        await settled()
        assert chrome.sent == []
        with pytest.raises(CdpClosed):
            await connection.root.send("Page.enable")


class Chunks(trio.abc.ReceiveStream):
    """A pipe that hands out its bytes in the pieces the test wants."""

    def __init__(self, chunks: list[bytes]) -> None:
        self._chunks = iter(chunks)

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        await trio.lowlevel.checkpoint()
        chunk = next(self._chunks, b"")
        assert max_bytes is None or len(chunk) <= max_bytes
        return chunk

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()


async def _received(chunks: list[bytes]) -> list[bytes]:
    to_chrome, _ = trio.testing.memory_stream_one_way_pair()
    transport = PipeTransport(to_chrome, Chunks(chunks))
    messages: list[bytes] = []
    while batch := await transport.receive():
        messages += batch
    return messages


@settings(max_examples=60)
@given(
    messages=st.lists(st.binary(max_size=40).map(lambda raw: raw.replace(b"\0", b"")), max_size=8),
    cuts=st.lists(st.integers(0, 330), max_size=12),
)
def test_messages_come_whole_wherever_the_pipe_cuts_them(messages: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(message + b"\0" for message in messages)
    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    chunks = [stream[start:end] for start, end in pairwise(places)]
    clock = trio.testing.MockClock(autojump_threshold=0)
    assert trio.run(_received, chunks, clock=clock) == messages


async def test_a_message_of_twenty_megabytes_comes_through_in_odd_pieces() -> None:
    big = json.dumps({"id": 1, "result": {"body": "x" * 20_000_000}}).encode()
    stream = big + b"\0" + b'{"method": "Page.loadEventFired"}\0'
    size = 131_071
    chunks = [stream[start : start + size] for start in range(0, len(stream), size)]
    assert await _received(chunks) == [big, b'{"method": "Page.loadEventFired"}']


async def test_both_ways_through_a_pipe_with_a_reply_and_events() -> None:
    ours, at_chrome = trio.testing.memory_stream_one_way_pair()
    from_chrome, theirs = trio.testing.memory_stream_one_way_pair()
    async with open_connection(PipeTransport(ours, theirs), strict=True) as connection, trio.open_nursery() as nursery:
        heard: list[Any] = []
        connection.root.on("Target.targetCreated", heard.append)
        waiter = Waiter(nursery, connection.root, "Browser.getVersion")
        assert await at_chrome.receive_some() == b'{"id":1,"method":"Browser.getVersion","params":{}}\0'
        await from_chrome.send_all(b'{"method":"Target.targetCreated","params":{"n":1}}\0{"id":1,')
        await from_chrome.send_all(b'"result":{"product":"Chrome/156"}}\0')
        await waiter.done.wait()
        assert heard == [{"n": 1}]
        assert waiter.result == {"product": "Chrome/156"}
        await from_chrome.aclose()
        assert await connection.wait_closed() == "the browser closed the connection"


async def test_a_pipe_that_ends_in_the_middle_of_a_message_gives_only_whole_ones() -> None:
    assert await _received([b"{}\0{", b'"id"']) == [b"{}"]


async def test_a_flood_of_events_gathers_and_a_reply_does_not_wait(autojump_clock: trio.testing.MockClock) -> None:
    transport = PipeTransport(
        trio.testing.memory_stream_one_way_pair()[0],
        Chunks([b'{"method":"a"}\0', b'{"id":1}\0', b'{"method":"b"}\0']),
    )
    start = autojump_clock.current_time()
    assert await transport.receive() == [b'{"method":"a"}']
    assert await transport.receive() == [b'{"id":1}']
    waited = autojump_clock.current_time() - start
    assert 0 < waited < 0.05
    # The read before held a reply, whose waiter may already have sent the next command.
    assert await transport.receive() == [b'{"method":"b"}']
    assert autojump_clock.current_time() - start == waited


async def test_many_commands_are_under_way_at_once() -> None:
    async with connected() as (connection, chrome), trio.open_nursery() as nursery:
        replies: list[Any] = []

        async def ask() -> None:
            replies.extend(await connection.root.send_many("Page.ask", [{"n": 1}, {"n": 2}, {"n": 3}]))

        nursery.start_soon(ask)
        await settled()
        assert [sent["params"]["n"] for sent in chrome.sent] == [1, 2, 3]
        chrome.answer(chrome.sent[2], {"is": 3})
        chrome.refuse(chrome.sent[1], -32000, "No")
        chrome.answer(chrome.sent[0], {"is": 1})
        await settled()
        assert replies == [{"is": 1}, None, {"is": 3}]


async def test_the_session_of_a_frame_is_found_below_its_page() -> None:
    async with connected() as (connection, _):
        page = connection.open_session("S1", connection.root, "PAGE")
        frame = page.children["FRAME"] = connection.open_session("S2", page, "FRAME")
        inner = frame.children["INNER"] = connection.open_session("S3", frame, "INNER")
        assert page.find("FRAME") is frame
        assert page.find("INNER") is inner
        assert page.find("OTHER") is None
        connection.close_session("S3", "closed")
        assert page.find("INNER") is None
