"""What fits into an answer; tests/property/test_paging.py shows that following the cursor shows everything once."""

from typing import Any

import pytest

from gasoline_cdp import limits, wire
from gasoline_cdp.answers.paging import (
    ListingArgs,
    budget_of,
    fill_page,
    fitting,
    in_time,
    matches,
    part_of,
    shrink,
    start_of,
)
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.records import LogRecord
from gasoline_cdp.times import iso
from tests.fakes import log_record

EVERYTHING = ListingArgs()


def show(record: LogRecord) -> dict[str, Any]:
    return {"seq": record.seq, "message": record.text}


def newest_first(*texts: str) -> list[LogRecord]:
    return [log_record(seq, text) for seq, text in reversed(list(enumerate(texts, 1)))]


@pytest.mark.parametrize("cursor", ["", "-1", "x", "1.5", "٣", "1" * 16])
def test_a_cursor_is_a_number_of_ours(cursor: str) -> None:
    with pytest.raises(GasolineError, match="cursor must come from an earlier answer"):
        start_of(cursor)


def test_a_cursor_is_where_a_listing_goes_on() -> None:
    assert start_of(None) is None
    assert start_of("17") == 17


def test_records_are_told_in_the_order_in_which_they_happened() -> None:
    late = log_record(3, "told last", ts=1.0)
    records = [log_record(1, ts=2.0), log_record(2, ts=3.0), late]
    assert [record.seq for record in in_time(records, None)] == [2, 1, 3]
    assert [record.seq for record in in_time(records, "1")] == [3]


def test_a_cursor_whose_record_was_dropped_goes_on_with_what_came_before_it() -> None:
    assert [record.seq for record in in_time([log_record(1), log_record(9)], "5")] == [1]


@pytest.mark.parametrize(
    ("filters", "budget"),
    [
        (ListingArgs(), limits.ANSWER_BYTES),
        (ListingArgs(limit=limits.ENTRIES_DEFAULT), limits.ANSWER_BYTES),
        (ListingArgs(limit=limits.ENTRIES_DEFAULT + 1), limits.ANSWER_BYTES_MAX),
        (ListingArgs(max_bytes=limits.ANSWER_BYTES_MIN), limits.ANSWER_BYTES_MIN),
        (ListingArgs(max_bytes=10 * limits.ANSWER_BYTES_MAX), limits.ANSWER_BYTES_MAX),
    ],
)
def test_who_asks_for_more_gets_a_larger_answer(filters: ListingArgs, budget: int) -> None:
    assert budget_of(filters) == budget


def test_a_full_page_counts_the_rest_and_says_where_to_go_on() -> None:
    page = fill_page(newest_first("a", "b", "c"), ListingArgs(limit=2), show)
    assert [entry["message"] for entry in page.entries] == ["c", "b"]
    assert (page.total, page.left_out, page.cursor) == (3, 1, "2")


def test_a_page_with_everything_has_no_cursor() -> None:
    page = fill_page(newest_first("a", "b"), EVERYTHING, show)
    assert (page.total, page.left_out, page.cursor) == (2, 0, None)


def test_what_repeats_is_one_entry_with_a_count_and_the_time_of_the_first() -> None:
    records = newest_first("same", "other", "same")
    page = fill_page(records, EVERYTHING, show, key=lambda record: record.text)
    assert [(entry["message"], entry.get("count", 1)) for entry in page.entries] == [("same", 2), ("other", 1)]
    assert page.entries[0]["first_ts"] == iso(records[-1].ts)


def test_one_entry_that_is_too_large_is_shortened_rather_than_left_out() -> None:
    page = fill_page(newest_first("x" * 10_000), ListingArgs(max_bytes=limits.ANSWER_BYTES_MIN), show)
    [entry] = page.entries
    assert entry["shortened"]
    assert entry["message"].startswith("xxx")
    assert len(wire.encode(entry)) < limits.ANSWER_BYTES_MIN


def test_shrinking_takes_the_longest_first_and_the_end_last() -> None:
    entry = {"ts": "2026-01-01T00:00:00.000Z", "text": "x" * 400, "parts": ["y" * 20] * 5}
    assert shrink(entry, 300)["ts"] == entry["ts"]
    tiny = shrink(entry, 60)
    assert tiny == {"ts": entry["ts"], "shortened": True}
    assert entry["text"] == "x" * 400


def test_fitting_counts_the_bytes_of_json() -> None:
    # Each takes two quotes, two bytes of é and a comma.
    assert fitting(["é", "é", "é"], 10) == ["é", "é"]


def test_a_part_is_never_empty_while_there_is_more() -> None:
    entries = ["a" * 50, "b" * 50]
    shown, left_out, cursor = part_of(entries, None, 0)
    assert (shown, left_out, cursor) == ([entries[0]], 1, "1")
    assert part_of(entries, cursor, 0) == ([entries[1]], 0, None)
    assert part_of(entries, "7", 0) == ([], 0, None)


def test_filters_look_at_the_tab_and_at_every_address_in_any_case() -> None:
    record = log_record(1)
    assert matches(record, ListingArgs(tab_id=1))
    assert not matches(record, ListingArgs(tab_id=2))
    assert matches(record, ListingArgs(url_filter="CART"))
    assert matches(record, ListingArgs(url_filter="other.test"), "http://OTHER.test/")
    assert not matches(record, ListingArgs(url_filter="nowhere"))
