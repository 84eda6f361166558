"""How records look in an answer: what helps a reader, and no field that says nothing."""

import pytest

from gasoline_cdp import wire
from gasoline_cdp.answers.action_entries import show_action, show_dom_snapshot
from gasoline_cdp.answers.log_entries import show_log
from gasoline_cdp.answers.network_entries import show_network, show_network_detail
from gasoline_cdp.answers.socket_entries import show_socket
from gasoline_cdp.answers.source_fields import inside
from gasoline_cdp.measures import Timing
from gasoline_cdp.records import ActionRecord, DomSnapshotRecord, SocketRecord, Source, StackFrame
from tests.fakes import PAGE, log_record, network_record

FRAMES = tuple(StackFrame(f"f{number}", "http://app.test/app.js", number, 1) for number in range(1, 9))


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (PAGE, {}),
        (Source(1, "iframe", "http://ads.test/", 1, "T1", "F9"), {"frame": "http://ads.test/"}),
        (Source(1, "worker", "http://app.test/w.js", 1, "W1"), {"worker": "worker http://app.test/w.js"}),
        (
            Source(0, "page", "http://app.test/", 1, "", ingested_from="http://app.test"),
            {"ingested_from": "http://app.test"},
        ),
    ],
)
def test_an_entry_says_where_in_its_tab_it_comes_from(source: Source, told: dict[str, str]) -> None:
    assert inside(source) == told


def test_an_error_has_its_place_and_the_frames_behind_it() -> None:
    entry = show_log(log_record(1, "x" * 5000, frames=FRAMES))
    assert entry.message == f"{'x' * 1500}…"
    assert entry.at is not None
    assert "app.js:1" in entry.at
    assert entry.stack is not None
    assert "app.js:2" in entry.stack[0]
    assert entry.page == PAGE.url


@pytest.mark.parametrize("level", ["info", "log", "debug"])
def test_what_went_well_has_no_stack(level: str) -> None:
    entry = show_log(log_record(1, level=level, frames=FRAMES))
    assert entry.stack is None
    assert entry.at is not None


def test_a_trace_has_its_stack_whatever_its_level() -> None:
    assert show_log(log_record(1, level="log", method="trace", frames=FRAMES)).stack


def test_a_request_carries_its_preflight_and_the_beginning_of_what_came_back() -> None:
    record = network_record(2, outcome="http_error", status=422)
    preflight = network_record(1, method="OPTIONS", status=204, duration_ms=7.0)
    entry = show_network(record, preflight, body="  no \n such  " + "x" * 2000)
    assert entry.preflight == {"status": 204, "duration_ms": 7.0, "id": "r1"}
    assert entry.body is not None
    assert entry.body.startswith("no such xxx")
    assert len(entry.body) == len("…") + 300


def test_fields_that_say_nothing_are_none() -> None:
    entry = show_network(network_record(1))
    assert (entry.failure, entry.mime, entry.redirect_to, entry.initiator, entry.at) == (None,) * 5
    assert wire.dump(entry).keys() >= {"id", "method", "url", "status"}
    assert "failure" not in wire.dump(entry)


def test_the_detail_of_a_request_leaves_out_phases_that_were_not_measured() -> None:
    timing = Timing(queued=1.0, dns=-1.0, connect=-1.0, tls=-1.0, send=0.5, wait=20.0, receive=2.0)
    detail = show_network_detail(network_record(1, timing=timing, initiator_frames=FRAMES[:1]))
    assert detail.timing_ms == {"queued": 1.0, "send": 0.5, "wait": 20.0, "receive": 2.0}
    assert detail.initiator_stack is not None
    assert len(detail.initiator_stack) == 1
    assert show_network_detail(network_record(1)).timing_ms is None


def test_sockets_actions_and_dom_snapshots() -> None:
    socket = SocketRecord(
        seq=1, ts=1.0, source=PAGE, kind="websocket", connection_id="ws1", url="ws://app.test/", event="message",
        direction="incoming", data="hi", bytes=2,
    )  # fmt: skip
    shown = show_socket(socket)
    assert (shown.type, shown.id, shown.data, shown.size, shown.details) == ("websocket", "ws1", "hi", 2, None)
    action = ActionRecord(seq=2, ts=2.0, source=PAGE, type="click", selectors={"id": "x"}, fields={"x": 1}, by="human")
    assert (show_action(action).source, show_action(action).url) == ("human", PAGE.url)
    dom = DomSnapshotRecord(seq=3, ts=3.0, source=PAGE, trigger="load", elements=({"tag": "h1"},))
    assert (show_dom_snapshot(dom).trigger, show_dom_snapshot(dom).elements) == ("load", [{"tag": "h1"}])
