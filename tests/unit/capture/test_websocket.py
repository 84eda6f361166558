"""WebSockets and EventSources from their first event to their last, as Chromium tells of them."""

import base64
from typing import Any

import pytest

from gasoline_cdp import limits
from gasoline_cdp.capture.websocket import SocketConnection, SocketTracker
from gasoline_cdp.records import SocketRecord
from gasoline_cdp.store.telemetry import Telemetry
from tests.fakes import PAGE

pytestmark = pytest.mark.requirement("F2-SOCKETS")

START = 3395.0
WALL = 1_790_000_000.0
OWNER = object()
ASKED = {"Origin": "http://app.test", "User-Agent": "Mozilla", "Upgrade": "websocket", "Sec-WebSocket-Key": "abc=="}


class Browser:
    """Says what Chromium says of sockets."""

    def __init__(self) -> None:
        self.telemetry = Telemetry()
        self.tracker = SocketTracker(self.telemetry)

    @property
    def records(self) -> list[SocketRecord]:
        """Oldest first."""
        return list(self.telemetry.sockets.newest())[::-1]

    @property
    def connection(self) -> SocketConnection:
        """The only one."""
        (connection,) = self.tracker.connections()
        return connection

    def creates(self, request_id: str = "1", url: str = "ws://app.test/live", owner: object = OWNER) -> None:
        self.tracker.created({"requestId": request_id, "url": url}, PAGE, owner, WALL)
        sent = {"requestId": request_id, "timestamp": START, "wallTime": WALL, "request": {"headers": ASKED}}
        self.tracker.handshake_sent(sent)

    def answers(self, status: int = 101, headers: dict[str, str] | None = None, **more: object) -> None:
        response = {"status": status, "headers": {"Upgrade": "websocket", **(headers or {})}, **more}
        self.tracker.handshake_answered({"requestId": "1", "timestamp": START + 0.01, "response": response})

    def frame(self, way: str, payload: str, at: float, opcode: int = 1, request_id: str = "1") -> None:
        response = {"opcode": opcode, "mask": way == "sent", "payloadData": payload}
        params = {"requestId": request_id, "timestamp": START + at, "response": response}
        (self.tracker.frame_sent if way == "sent" else self.tracker.frame_received)(params)

    def fails(self, message: str) -> None:
        self.tracker.frame_error({"requestId": "1", "timestamp": START + 0.01, "errorMessage": message})

    def closes(self, request_id: str = "1", at: float = 9.0) -> None:
        self.tracker.closed({"requestId": request_id, "timestamp": START + at})

    def streams(self, data: str, at: float, **more: str) -> None:
        params = {
            "requestId": "7",
            "timestamp": START + at,
            "eventName": "message",
            "eventId": "",
            "data": data,
            **more,
        }
        self.tracker.event_source_message(params, "http://app.test/stream", PAGE, OWNER, WALL + at)


@pytest.fixture
def browser() -> Browser:
    return Browser()


def test_the_life_of_a_socket(browser: Browser) -> None:
    browser.creates()
    assert browser.connection.state == "connecting"
    browser.answers()
    assert (browser.connection.state, browser.connection.status) == ("open", 101)
    browser.frame("sent", '{"subscribe": 1}', 1.0)
    browser.frame("received", "tick é", 2.0)
    browser.closes(at=3.0)
    assert [(record.event, record.direction, record.data, record.bytes) for record in browser.records] == [
        ("open", None, "", 0),
        ("message", "outgoing", '{"subscribe": 1}', 16),
        ("message", "incoming", "tick é", 7),
        ("close", None, "", 0),
    ]
    assert [record.ts - WALL for record in browser.records] == pytest.approx([0.01, 1.0, 2.0, 3.0], abs=1e-5)
    assert {record.connection_id for record in browser.records} == {"ws1"}
    assert {record.kind for record in browser.records} == {"websocket"}
    assert browser.connection.state == "closed"


def test_counts_and_rates_both_ways(browser: Browser) -> None:
    browser.creates()
    browser.answers()
    assert browser.connection.rate() is None
    for number in range(5):
        browser.frame("received", "abcd", number / 4)
    browser.frame("sent", "é", 1.25)
    connection = browser.connection
    assert connection.messages == {"incoming": 5, "outgoing": 1}
    assert connection.bytes == {"incoming": 20, "outgoing": 2}
    assert connection.rate() == 4.0


def test_messages_in_the_same_instant_have_no_rate(browser: Browser) -> None:
    browser.creates()
    browser.frame("received", "a", 1.0)
    browser.frame("received", "b", 1.0)
    assert browser.connection.rate() is None


def test_a_refused_handshake_is_an_error_with_its_status(browser: Browser) -> None:
    browser.creates()
    browser.answers(403, {"Set-Cookie": "sid=verysecret; Path=/"})
    browser.closes()
    refused, closed = browser.records
    assert (refused.event, refused.details["status"], closed.event) == ("error", 403, "close")
    assert refused.details["headers"]["set-cookie"] == "sid=[REDACTED]; Path=/"


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ("Error during WebSocket handshake: Unexpected response code: 403", 403),
        ("Error in connection establishment: net::ERR_CONNECTION_REFUSED", None),
    ],
)
def test_a_handshake_that_fails_says_with_what_it_asked(browser: Browser, message: str, status: int | None) -> None:
    browser.creates()
    browser.fails(message)
    assert (browser.connection.state, browser.connection.status) == ("refused", status)
    (failed,) = browser.records
    assert (failed.event, failed.details["message"], failed.details.get("status")) == ("error", message, status)
    assert failed.details["request_headers"] == {"origin": "http://app.test"}


def test_an_error_on_an_open_socket_is_no_refusal(browser: Browser) -> None:
    browser.creates()
    browser.answers()
    browser.fails("One or more reserved bits are on")
    assert browser.connection.state == "open"
    assert browser.records[-1].details == {"message": "One or more reserved bits are on"}


def test_a_handshake_has_the_headers_that_tell_it_from_others(browser: Browser) -> None:
    browser.creates()
    browser.answers()
    assert browser.records[0].details["request_headers"] == {"origin": "http://app.test"}
    assert browser.records[0].details["headers"] == {"upgrade": "websocket"}


def test_the_headers_on_the_wire_count_more_than_those_before_it(browser: Browser) -> None:
    browser.creates()
    browser.answers(403, requestHeaders={**ASKED, "Cookie": "sid=verysecret; theme=dark"})
    assert browser.records[0].details["request_headers"] == {
        "origin": "http://app.test",
        "cookie": "sid=[REDACTED]; theme=[REDACTED]",
    }


def test_a_secret_in_a_handshake_is_masked_and_told(browser: Browser) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    browser.creates(url="wss://app.test/live")
    browser.answers(headers={"X-Debug": secret}, requestHeaders={"Sec-WebSocket-Protocol": f"v1, {secret}"})
    assert secret not in str(browser.records[0].details)
    seen = [(one.location.kind, one.location.endpoint, one.kind) for one in browser.telemetry.sightings.newest()]
    assert seen == [
        ("request_header", "WS /live", "github_token"),
        ("response_header", "WS /live", "github_token"),
    ]


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 1000])
def test_binary_is_counted_and_not_kept(browser: Browser, size: int) -> None:
    browser.creates()
    browser.frame("received", base64.b64encode(b"\xff" * size).decode(), 1.0, opcode=2)
    (record,) = browser.records
    assert (record.data, record.bytes) == (f"[Binary: {size} bytes]", size)
    assert not record.truncated


def test_control_frames_are_no_messages(browser: Browser) -> None:
    browser.creates()
    for opcode in (8, 9, 10):
        browser.frame("received", "", 1.0, opcode=opcode)
    assert browser.records == []


def test_long_messages_are_cut_and_their_true_size_kept(browser: Browser) -> None:
    browser.creates()
    browser.frame("received", "x" * 100_000, 1.0)
    (record,) = browser.records
    assert (len(record.data), record.bytes, record.truncated) == (limits.SOCKET_MESSAGE_BYTES, 100_000, True)


def test_secrets_in_messages_and_addresses_are_masked(browser: Browser) -> None:
    browser.creates(url="ws://app.test/live?token=abcdefgh1234")
    browser.frame("sent", '{"password":"hunter2hunter2"}', 1.0)
    browser.tracker.frame_error({"requestId": "1", "timestamp": START, "errorMessage": "api_key=abcdefgh1234"})
    assert "abcdefgh" not in repr(browser.records)
    assert "hunter2" not in repr(browser.records)


def test_an_event_stream_has_times_counts_and_a_rate(browser: Browser) -> None:
    browser.streams("one", 10.0)
    browser.streams("two", 10.5, eventName="price", eventId="42")
    browser.streams("three", 11.0)
    assert [(record.kind, record.data, round(record.ts - WALL, 3)) for record in browser.records] == [
        ("eventsource", "one", 10.0),
        ("eventsource", "two", 10.5),
        ("eventsource", "three", 11.0),
    ]
    assert browser.records[1].details == {"event": "price", "id": "42"}
    connection = browser.connection
    assert (connection.id, connection.url, connection.state) == ("es1", "http://app.test/stream", "open")
    assert connection.messages["incoming"] == 3
    assert connection.rate() == 2.0


def test_a_page_that_goes_closes_its_sockets(browser: Browser) -> None:
    gone = object()
    browser.creates("1", owner=gone)
    browser.creates("2")
    browser.creates("3", owner=gone)
    browser.closes("3")
    browser.tracker.owner_gone(gone, "the tab was closed", 99.0)
    closed = [(record.connection_id, record.details.get("message")) for record in browser.records]
    # What was closed before is not closed again.
    assert closed == [("ws3", None), ("ws1", "the tab was closed")]
    browser.tracker.browser_gone("b2", "the browser went away", 99.0)
    assert browser.records[-1].connection_id == "ws1"
    browser.tracker.browser_gone("b1", "the browser went away", 99.0)
    assert browser.records[-1].connection_id == "ws2"


def test_closed_sockets_make_room_before_open_ones(browser: Browser) -> None:
    browser.creates("first")
    for number in range(limits.SOCKETS_TRACKED - 1):
        browser.creates(str(number))
        browser.closes(str(number))
    browser.creates("one more")
    ids = [connection.id for connection in browser.tracker.connections()]
    assert len(ids) == limits.SOCKETS_TRACKED
    assert ids[0] == f"ws{limits.SOCKETS_TRACKED + 1}"
    assert ids[-1] == "ws1"
    assert "ws2" not in ids


def test_switched_off_nothing_is_kept(browser: Browser) -> None:
    browser.tracker.enabled = False
    browser.creates()
    browser.answers()
    browser.frame("received", "x", 1.0)
    browser.streams("x", 1.0)
    browser.closes()
    assert (browser.records, browser.tracker.connections()) == ([], [])


@pytest.mark.parametrize("value", [None, True, 7, "text", [], {}, 10**30, float("inf")], ids=repr)
def test_absurd_events_are_survived(browser: Browser, value: Any) -> None:
    browser.creates()
    tracker = browser.tracker
    for params in (
        {"requestId": value},
        {"requestId": "1", "response": value, "timestamp": value, "wallTime": value},
        {"requestId": "1", "response": {"status": value, "headers": value, "opcode": value, "payloadData": value}},
        {"requestId": "1", "response": {"opcode": 2, "payloadData": value}, "errorMessage": value},
    ):
        tracker.handshake_sent(params)
        tracker.handshake_answered(params)
        tracker.frame_received(params)
        tracker.frame_sent(params)
        tracker.frame_error(params)
        tracker.event_source_message({**params, "data": value, "eventName": value}, "", PAGE, None, WALL)
        tracker.closed(params)
    assert browser.records
