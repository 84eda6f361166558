"""The first line of a listing."""

import time
from collections import Counter

from gasoline_cdp.cdp.tabs import NO_TAB
from gasoline_cdp.records import Source
from gasoline_cdp.views.summaries import Summary, summarise
from tests.fakes import log_record

NOBODY = Source(NO_TAB, "shared_worker", "http://shop.test/w.js", 1, "W1")


def test_a_summary_counts_kinds_and_tabs() -> None:
    now = time.time()
    second = Source(2, "page", "http://shop.test/", 1, "T2")
    records = [
        log_record(3, ts=now - 30, source=second),
        log_record(2, ts=now - 60),
        log_record(1, ts=0, source=NOBODY),
    ]
    summary = summarise("request", records, Counter({"failed request": 2, "ok": 1}))
    assert str(summary).startswith("3 requests (2 failed requests, 1 ok) on 2 tabs, last 30s")
    assert str(summary).endswith("s ago.")
    assert str(summarise("event", [], Counter())) == "No events."


def test_a_summary_of_what_belongs_to_no_tab_names_none() -> None:
    assert " on " not in str(summarise("event", [log_record(1, source=NOBODY)], Counter(event=1)))


def test_a_short_list_needs_no_counts_by_kind() -> None:
    summary = Summary("2 requests", "1 ok, 1 redirect", ", last 3s ago.") + "" + " +4 static (include_static)."
    assert summary.brief == "2 requests, last 3s ago. +4 static (include_static)."
    assert str(summary) == "2 requests (1 ok, 1 redirect), last 3s ago. +4 static (include_static)."
