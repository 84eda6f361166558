"""Which records are older than a change of the code: by arrival, by when they began, by their document."""

from typing import Any

import pytest
from attrs import evolve

from gasoline_cdp import limits
from gasoline_cdp.store.code_changes import CodeChange, CodeChanges
from tests.fakes import PAGE, log_record, network_record

pytestmark = pytest.mark.requirement("F9-CHANGE")

START = 1_790_000_000.0
NEXT = evolve(PAGE, navigation=2)
OTHER = evolve(PAGE, tab_id=2, target_id="T2")


def change(seq: int, **changes: Any) -> CodeChange:
    given: dict[str, Any] = {
        "tab_id": 1, "from_seq": seq, "ts": START + seq, "navigation": PAGE.navigation, "told_by": "Vite",
    }  # fmt: skip
    return CodeChange(seq=seq, **{**given, **changes})


def test_an_update_divides_the_life_of_a_document() -> None:
    changes = CodeChanges()
    assert not changes.is_older(log_record(1))
    changes.add(change(5))
    assert [seq for seq in range(1, 10) if changes.is_older(log_record(seq))] == [1, 2, 3, 4]
    # Chrome's clocks differ by a little; the order in which things are told does not.
    assert not changes.is_older(log_record(6, ts=START + 4.99))


def test_a_request_belongs_to_the_code_that_made_it() -> None:
    changes = CodeChanges()
    changes.add(change(5))
    assert changes.is_older(network_record(9, ts=START + 4))
    assert not changes.is_older(network_record(9, ts=START + 5.1))


def test_until_a_page_has_loaded_itself_anew_it_runs_the_old_code() -> None:
    changes = CodeChanges()
    changes.add(change(5, navigation=2))
    assert changes.is_older(log_record(6))
    assert changes.is_older(network_record(7, ts=START + 6))
    # Asked for by the document before it.
    assert not changes.is_older(network_record(8, type="Document", ts=START + 5.5))
    assert changes.is_older(network_record(8, type="Document", ts=START + 4))
    assert not changes.is_older(log_record(9, source=NEXT))
    assert not changes.is_older(network_record(9, source=NEXT))


def test_what_a_load_brought_holds_for_all_of_that_load() -> None:
    changes = CodeChanges()
    # Found at 8, in a document that was asked for at 4 and came after record 5.
    changes.add(change(8, from_seq=5, ts=START + 4, navigation=2))
    assert not changes.is_older(log_record(6, source=NEXT))
    assert changes.is_older(log_record(5))
    assert changes.is_older(log_record(6)), "the old document had not ended yet"


def test_the_last_change_of_a_tab_and_of_all() -> None:
    changes = CodeChanges()
    assert changes.last() is None
    assert changes.last(1) is None
    changes.add(change(5))
    changes.add(change(50, tab_id=2))
    first, last = changes.last(1), changes.last()
    assert first is not None
    assert last is not None
    assert (first.seq, last.seq, set(last.changes)) == (5, 50, {2})
    assert last.is_newer_than(log_record(40)), "a tab that did not change: time decides"
    assert not last.is_newer_than(log_record(51))
    assert not changes.is_older(log_record(40)), "but its own last change is older"
    assert changes.last(3) is None


def test_one_edit_is_one_change_in_all_tabs_that_it_reaches() -> None:
    changes = CodeChanges()
    changes.add(change(5))
    changes.add(change(7, tab_id=2, ts=START + 5 + limits.SAME_CHANGE_SECONDS / 2))
    last = changes.last()
    assert last is not None
    assert set(last.changes) == {1, 2}
    assert (last.from_seq, last.ts, last.seq) == (5, START + 5, 7)
    # Tab 1 failed after its own update, before tab 2 heard of it.
    assert not last.is_newer_than(log_record(6))
    assert last.is_newer_than(log_record(6, source=OTHER))


def test_tabs_without_end_are_forgotten() -> None:
    changes = CodeChanges()
    for tab in range(1, limits.TABS_REMEMBERED + 10):
        changes.add(change(tab, tab_id=tab))
    assert changes.of_tab(9) is None
    assert changes.of_tab(10) is not None
