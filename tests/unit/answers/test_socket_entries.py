"""How an event of a WebSocket looks in an answer, and how it reads as a line."""

from typing import Any

from attrs import evolve

from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.answers.socket_entries import show_socket
from gasoline_cdp.records import SocketRecord
from tests.fakes import PAGE

HERE = SharedFacts(origin="ws://app.test", tab_id=1)


def socket_record(**changes: Any) -> SocketRecord:
    known: dict[str, Any] = {
        "seq": 1, "ts": 1.0, "source": PAGE, "kind": "websocket", "connection_id": "ws1", "url": "ws://app.test/live",
        "event": "message", "direction": "incoming", "data": "hi", "bytes": 2,
    }  # fmt: skip
    return SocketRecord(**{**known, **changes})


def line_of(**changes: Any) -> str:
    (line,) = show_socket(socket_record(**changes)).lines(HERE, 300)
    return str(evolve(line, time=""))


def test_a_message_in_an_answer() -> None:
    shown = show_socket(socket_record())
    assert (shown.type, shown.id, shown.data, shown.size, shown.details) == ("websocket", "ws1", "hi", 2, None)


def test_a_message_stands_behind_the_mark_and_says_if_it_was_cut() -> None:
    assert line_of(data='{"a":\n1}', bytes=8) == 'ws1 ← | {"a": 1}'
    assert line_of(direction="outgoing", data="x") == "ws1 → | x"
    assert line_of(data="y" * 4096, bytes=50_000, truncated=True).startswith("ws1 ← 48.8KB, cut | yyy")


def test_other_events_name_their_address_and_what_is_not_ordinary() -> None:
    opened = {"status": 101, "headers": {"upgrade": "websocket"}}
    assert line_of(event="open", data="", details=opened, direction=None) == "ws1 open /live"
    closed = line_of(event="close", data="", details={"code": 1006, "reason": "went away"}, direction=None)
    assert closed == 'ws1 close /live code=1006 reason="went away"'
