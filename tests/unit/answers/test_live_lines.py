"""Records as lines of a live view."""

import pytest

from gasoline_cdp.answers.amounts import clock
from gasoline_cdp.answers.live_lines import live_line, shown_at
from gasoline_cdp.cdp.tabs import Tabs
from gasoline_cdp.cdp.targets import Target
from gasoline_cdp.records import ActionRecord, DomSnapshotRecord, Record, SocketRecord, Source
from gasoline_cdp.times import iso
from tests.fakes import PAGE, body_record, log_record, network_record, performance_record, quiet_session

OTHER = Source(tab_id=2, kind="page", url="http://other.test/", navigation=1)


@pytest.fixture
def tabs() -> Tabs:
    """One tab, with the page that records come from."""
    return _open(Tabs(), "A", PAGE.url)


def _open(tabs: Tabs, target_id: str, url: str) -> Tabs:
    target = Target(target_id=target_id, kind="page", url=url, title="", opener_id="", browser_context_id="")
    tabs.opened(quiet_session(), target, seen_from_start=True)
    return tabs


def _words(record: Record, tabs: Tabs) -> str:
    line = live_line(record, tabs)
    assert line is not None
    return str(line).partition(" ")[2]


def test_a_record_is_told_relative_to_the_page_in_its_tab(tabs: Tabs) -> None:
    assert _words(log_record(1, "said"), tabs) == 'error "said"'
    assert _words(network_record(2), tabs) == "r2 GET 200 /api"
    assert _words(network_record(3, "http://cdn.test/x.js"), tabs) == "r3 GET 200 http://cdn.test/x.js"
    late = Source(tab_id=1, kind="page", url="http://app.test/before", navigation=0)
    assert _words(log_record(4, "said", source=late), tabs) == 'error "said" on /before'


def test_the_tab_is_told_where_several_are_open(tabs: Tabs) -> None:
    _open(tabs, "B", OTHER.url)
    assert _words(log_record(1, "said"), tabs) == 'error "said" tab 1'
    assert _words(network_record(2, "http://other.test/a", source=OTHER), tabs) == "r2 GET 200 /a tab 2"


def test_what_has_no_tab_is_told_whole(tabs: Tabs) -> None:
    posted = Source(tab_id=0, kind="page", url="http://app.test/", navigation=0, ingested_from="http://app.test")
    assert "http://app.test/" in _words(log_record(1, "said", source=posted), tabs)


def test_a_request_has_the_time_of_its_end(tabs: Tabs) -> None:
    record = network_record(1, duration_ms=61_000.0)
    line = live_line(record, tabs)
    assert line is not None
    assert line.time == clock(iso(record.ts + 61)) != clock(iso(record.ts))
    assert shown_at(record) == record.ts + 61
    assert shown_at(log_record(1)) == log_record(1).ts


def test_sockets_and_actions_are_followed(tabs: Tabs) -> None:
    opened = SocketRecord(seq=1, ts=1.0, source=PAGE, connection_id="ws1", url="ws://app.test/live", event="open")
    assert _words(opened, tabs) == "ws1 open ws://app.test/live"
    click = ActionRecord(seq=2, ts=1.0, source=PAGE, type="click", selectors={"css": "#buy"}, fields={})
    assert _words(click, tabs).startswith("click ")


@pytest.mark.parametrize(
    "record",
    [
        body_record(1),
        performance_record(2, "/"),
        DomSnapshotRecord(seq=3, ts=1.0, source=PAGE, trigger="load", elements=()),
    ],
)
def test_what_would_be_too_much_has_no_line(record: Record, tabs: Tabs) -> None:
    assert live_line(record, tabs) is None
