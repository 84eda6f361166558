"""`manage_state` as lines: what was saved, restored or deleted, and what was not."""

from gasoline_cdp.tools.state import FrameCounts, FrameMissed, StateAnswer, StateCounts, StateEntry, StateList
from tests.reading import HOSTILE, assert_ours, assert_tells, lines_of

FRAME = FrameCounts(origin="https://pay.test", localStorage=2, sessionStorage=0)


def test_what_was_saved() -> None:
    saved = StateAnswer(
        success=True,
        snapshot_name="logged in",
        size_bytes=1280,
        saved=StateCounts(localStorage=3, sessionStorage=0, cookies=1),
        frames=[FRAME],
        url="http://app.test/",
        indexed_db=["db one", "two"],
        note="IndexedDB is listed, not saved.",
    )
    assert lines_of(saved) == [
        'Saved "logged in" (1.25KB) of http://app.test/: 3 in localStorage, 1 cookie',
        "  frame https://pay.test: 2 in localStorage",
        '  IndexedDB "db one" two',
        "IndexedDB is listed, not saved.",
    ]
    assert_tells(saved)


def test_what_was_restored_and_what_was_not() -> None:
    restored = StateAnswer(
        success=True,
        snapshot_name="a",
        restored=StateCounts(localStorage=0, sessionStorage=0, cookies=0),
        expired_cookies=2,
        frames_missed=[FrameMissed(origin="https://pay.test", reason="storage is switched off there")],
        note="The page loads again now.",
    )
    assert lines_of(restored) == [
        "Restored a: nothing",
        "2 cookies had expired.",
        '  frame https://pay.test not restored: "storage is switched off there"',
        "The page loads again now.",
    ]
    assert_tells(restored)
    assert lines_of(StateAnswer(success=True, snapshot_name="a")) == ["Deleted a"]


def test_a_list_has_a_line_for_each() -> None:
    entries = [
        StateEntry(name=name, url="http://app.test/", timestamp="2026-11-16T08:00:00Z", size_bytes=25)
        for name in ("a", "b c")
    ]
    heading, *rest = lines_of(StateList(summary="2 states saved, in memory only.", snapshots=entries))
    assert heading == "2 states saved, in memory only."
    assert [line.partition(" ")[2] for line in rest] == ["a 25B http://app.test/", '"b c" 25B http://app.test/']


def test_a_page_s_words_stay_the_page_s() -> None:
    counts = StateCounts(localStorage=1, sessionStorage=1, cookies=1)
    hostile = StateAnswer(
        success=True,
        snapshot_name=HOSTILE,
        saved=counts,
        frames=[FrameCounts(origin=HOSTILE, localStorage=1, sessionStorage=1)],
        frames_missed=[FrameMissed(origin=HOSTILE, reason=HOSTILE)],
        url=HOSTILE,
        indexed_db=[HOSTILE, HOSTILE],
    )
    assert_ours(lines_of(hostile))
    entry = StateEntry(name=HOSTILE, url=HOSTILE, timestamp="2026-11-16T08:00:00Z", size_bytes=25)
    assert_ours(lines_of(StateList(summary="1 state saved.", snapshots=[entry])))
