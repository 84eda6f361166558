"""What all views share: the time that was asked for, and the words of a summary."""

import time
from collections import Counter
from datetime import UTC, datetime

import pytest

from gasoline_cdp import wire
from gasoline_cdp.answers.paging import Page
from gasoline_cdp.cdp.tabs import NO_TAB
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.records import Source
from gasoline_cdp.store.boundaries import Run
from gasoline_cdp.views.listing import TimeWindow, make_listing, since_of, summarise
from tests.fakes import log_record

pytestmark = pytest.mark.requirement("F1-TOOLS")


@pytest.mark.parametrize(
    ("text", "ago"), [("30s", 30), ("5m", 300), ("2h", 7200), ("1 h", 3600), (" 10s ", 10), ("0s", 0)]
)
def test_an_age_is_a_moment(text: str, ago: int) -> None:
    assert since_of(text) == pytest.approx(time.time() - ago, abs=5)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-09-21T14:13:20Z", 1_790_000_000.0),
        ("2026-09-21T14:13:20.500Z", 1_790_000_000.5),
        ("2026-09-21T16:13:20+02:00", 1_790_000_000.0),
        ("20260921T141320Z", 1_790_000_000.0),
    ],
)
def test_an_iso_time_is_a_moment(text: str, moment: float) -> None:
    assert since_of(text) == moment


def test_a_time_without_a_zone_is_local() -> None:
    local = datetime.fromtimestamp(1_790_000_000, UTC).astimezone().replace(tzinfo=None)
    assert since_of(local.isoformat()) == 1_790_000_000.0
    assert since_of(None) == 0.0


@pytest.mark.parametrize(
    "text", ["", "yesterday", "5 minutes", "-5m", "5d", "1e3s", "2026-13-01", "99999-01-01", "x" * 10_000]
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(GasolineError, match="30s, 5m or 1h") as refusal:
        since_of(text)
    assert len(refusal.value.message) < 150


def test_a_window_is_since_a_moment_and_while_a_test_ran() -> None:
    assert 5.0 in TimeWindow(5.0)
    assert 4.9 not in TimeWindow(5.0)
    window = TimeWindow(5.0, [Run(1.0, 6.0), Run(8.0)])
    assert [ts for ts in (4.0, 5.5, 7.0, 9.0) if ts in window] == [5.5, 9.0]
    assert 9.0 not in TimeWindow(0.0, [])


def test_a_summary_counts_kinds_and_tabs() -> None:
    now = time.time()
    second = Source(2, "page", "http://shop.test/", 1, "T2")
    nobody = Source(NO_TAB, "shared_worker", "http://shop.test/w.js", 1, "W1")
    records = [
        log_record(3, ts=now - 30, source=second),
        log_record(2, ts=now - 60),
        log_record(1, ts=0, source=nobody),
    ]
    kinds = Counter({"failed request": 2, "ok": 1})
    summary = summarise("request", records, kinds)
    assert summary.startswith("3 requests (2 failed requests, 1 ok) on 2 tabs, newest 3")
    assert summary.endswith(" s ago.")
    assert summarise("event", [], Counter()) == "No events."


def test_a_summary_of_what_belongs_to_no_tab_names_none() -> None:
    nobody = Source(NO_TAB, "shared_worker", "http://shop.test/w.js", 1, "W1")
    assert " on " not in summarise("event", [log_record(1, source=nobody)], Counter(event=1))


def test_a_page_of_entries_becomes_an_answer() -> None:
    listing = make_listing(
        Page([wire.Encoded({"seq": 1})], total=3, left_out=2, cursor="1"),
        "3 events.",
        7,
        static={"Image": 4},
    )
    assert (listing.entries, listing.total, listing.left_out, listing.cursor) == ([{"seq": 1}], 3, 2, "1")
    assert (listing.dropped, listing.static) == (7, {"Image": 4})
