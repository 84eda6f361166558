"""The differences of two snapshots: as many as fit, and the rest counted."""

import pytest

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.compare.sessions import SessionDiff, compare_sessions
from gasoline_cdp.analysis.compare.snapshots import Endpoint, SessionIssue, SessionSnapshot
from gasoline_cdp.comparisons.diff_answers import did_not_fit, fitting_diff, show_diff

FINE = Endpoint(method="GET", url="/api/a", status=200, calls=1, duration_ms=100)
SLOW = Endpoint(method="GET", url="/api/a", status=200, calls=1, duration_ms=540)
BROKEN = Endpoint(method="GET", url="/api/b", status=None, calls=1, failed=1, failure="net::ERR_FAILED")


def errors(number: int) -> tuple[SessionIssue, ...]:
    return tuple(SessionIssue(key=f"k{one}", message=f"error {one} {'x' * 60}", count=one + 1) for one in range(number))


def diff_of(before: SessionSnapshot, after: SessionSnapshot) -> SessionDiff:
    return compare_sessions(before, after)


def test_empty_lists_stay_and_what_nobody_retried_does_not() -> None:
    shown = show_diff(diff_of(SessionSnapshot(captured_at=1), SessionSnapshot(captured_at=2)))
    assert shown["errors"] == {"new": [], "resolved": [], "unchanged": []}
    assert "not_retried" not in shown["network"]
    assert "findings" not in shown


def test_endpoints_are_told_with_what_they_failed_of() -> None:
    before = SessionSnapshot(captured_at=1, network=(FINE,))
    shown = show_diff(diff_of(before, SessionSnapshot(captured_at=2, network=(SLOW, BROKEN))))["network"]
    failed = {"method": "GET", "url": "/api/b", "status": None, "failure": "net::ERR_FAILED"}
    assert shown["new_errors"] == [failed]
    assert shown["status_changes"] == [
        {"method": "GET", "url": "/api/a", "before": 200, "after": 200, "duration_change": "+440ms"}
    ]


def test_errors_are_told_by_their_words_and_number() -> None:
    after = SessionSnapshot(captured_at=2, errors=errors(2))
    shown = show_diff(diff_of(SessionSnapshot(captured_at=1), after))
    assert [(one["type"], one["count"]) for one in shown["errors"]["new"]] == [("console", 1), ("console", 2)]


@pytest.mark.parametrize("max_bytes", [None, limits.ANSWER_BYTES_MIN, limits.ANSWER_BYTES_MAX])
def test_what_is_shown_fits_and_what_is_not_is_counted(max_bytes: int | None) -> None:
    diff = diff_of(SessionSnapshot(captured_at=1), SessionSnapshot(captured_at=2, errors=errors(90)))
    shown, left_out = fitting_diff(diff, max_bytes)
    told = len(shown.get("errors", {}).get("new", []))
    assert told + left_out == 90
    assert len(wire.encode(shown)) <= (max_bytes or limits.ANSWER_BYTES)
    assert (left_out == 0) == (max_bytes == limits.ANSWER_BYTES_MAX)


def test_how_to_see_the_rest_depends_on_what_was_asked_for() -> None:
    assert did_not_fit(0, "difference", None) == ""
    assert "ask again with max_bytes" in did_not_fit(3, "difference", None)
    assert "gasoline-cdp diff --json" in did_not_fit(1, "difference", limits.ANSWER_BYTES_MAX)
    assert did_not_fit(1, "difference", None).startswith(" 1 more difference did not fit")
