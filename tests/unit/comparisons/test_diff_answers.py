"""The differences of two snapshots: as many as fit, and the rest counted."""

from typing import Any

import pytest

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.compare.sessions import SessionDiff, compare_sessions
from gasoline_cdp.analysis.compare.snapshots import Endpoint, SessionIssue, SessionSnapshot
from gasoline_cdp.answers.lines import AnswerForm
from gasoline_cdp.answers.marked_lines import line_bytes
from gasoline_cdp.comparisons.diff_answers import (
    bytes_as_json,
    did_not_fit,
    diff_lines,
    fitting_diff,
    fitting_differences,
    fitting_lists,
    show_diff,
)
from gasoline_cdp.comparisons.regression import RegressionAnswer, with_comparison
from tests.reading import FAKE, HOSTILE, assert_ours

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


def test_lines_are_measured_as_lines() -> None:
    diff = diff_of(SessionSnapshot(captured_at=1), SessionSnapshot(captured_at=2, errors=errors(90)))
    room = 10_000
    (as_lines, _), (as_json, _) = (fitting_diff(diff, room, form) for form in ("lines", "json"))
    assert len(as_lines["errors"]["new"]) > len(as_json["errors"]["new"])
    assert line_bytes(diff_lines(as_lines)) <= room


def test_lists_are_cut_alike_and_none_vanishes() -> None:
    everything = {"errors": {"new": ["x" * 100] * 90, "count": 90}, "rules": ["y"] * 20}
    shown, left_out = fitting_lists(everything, None)
    assert (len(shown["errors"]["new"]), len(shown["rules"]), left_out) == (15, 15, 80)
    assert fitting_lists(everything, limits.ANSWER_BYTES_MAX) == (everything, 0)
    shown, left_out = fitting_lists(everything, limits.ANSWER_BYTES_MIN)
    assert (len(shown["errors"]["new"]), len(shown["rules"]), left_out) == (1, 1, 108)


def test_long_texts_are_cut_before_a_list_vanishes() -> None:
    everything = {"errors": {"new": [{"message": "x" * 900}] * 9}, "rules": {"new": [{"id": "r" * 900}]}}
    shown, left_out = fitting_differences(everything, 1000, bytes_as_json, around=100)
    assert [len(shown[name]["new"]) for name in ("errors", "rules")] == [1, 1]
    assert left_out == 8
    assert bytes_as_json(shown) <= 900
    assert shown["rules"]["new"][0]["id"].endswith("r…")


@pytest.mark.parametrize("form", ["lines", "json"])
@pytest.mark.parametrize("max_bytes", [None, limits.ANSWER_BYTES_MIN, limits.ANSWER_BYTES_MAX])
def test_a_comparison_with_a_baseline_fits(max_bytes: int | None, form: AnswerForm) -> None:
    answer = RegressionAnswer(
        status="success",
        action="regression",
        scope="compare",
        tab_id=1,
        duration_ms=1,
        cached=False,
        baseline={"name": "default", "url": f"http://a.test/{'p' * 300}", "captured_at": "2026-11-18T20:00:00.000Z"},
        summary="90 new errors.",
        verdict="regression_detected",
    )
    new = [{"type": "console", "message": f"{number} {'é' * 500}", "count": 1} for number in range(90)]
    category = {"baseline_issues": 0, "current_issues": 90, "new_issues": new, "resolved_issues": []}
    fitted = with_comparison(answer, {"errors": category}, max_bytes, form)
    assert fitted.comparison is not None
    assert len(fitted.comparison["errors"]["new_issues"]) + fitted.left_out == 90
    assert fitted.comparison["errors"]["new_issues"]
    size = line_bytes(fitted.render()) if form == "lines" else len(wire.encode(wire.dump(fitted)))
    assert size <= (max_bytes or limits.ANSWER_BYTES)


def test_how_to_see_the_rest_depends_on_what_was_asked_for() -> None:
    assert did_not_fit(0, "difference", None) == ""
    assert "ask again with max_bytes" in did_not_fit(3, "difference", None)
    assert "gasoline-cdp diff --json" in did_not_fit(1, "difference", limits.ANSWER_BYTES_MAX)
    assert did_not_fit(1, "difference", None).startswith(" 1 more difference did not fit")


def _issue(text: str, kind: str = "console", count: int = 1) -> dict[str, Any]:
    return {"type": kind, "message": text, "count": count}


def _endpoint(url: str, status: int | None = 500, **more: Any) -> dict[str, Any]:
    return {"method": "GET", "url": url, "status": status, **more}


def _whole(text: str) -> dict[str, Any]:
    """A difference with an entry in every list; each entry has this text."""
    kinds = ("new", "resolved", "unchanged", "grown", "shrunk", "not_retried")
    metrics = {
        "load": {"before": 320, "after": 900, "change": "+181%", "regression": True},
        "request_count": {"before": 3, "after": 3, "change": "+0%", "regression": False},
        "transfer_size": {"before": 0, "after": 2048, "change": None, "regression": False},
    }
    grown = {"url": text, "type": "script", "size_before": 1024, "size_after": 2048}
    cause = {"sentence": "A script grew (resources[0]).", "resources": [grown]}
    socket = {"url": text, "before": text, "after": None}
    return {
        "errors": {kind: [_issue(f"{kind} {text}", count=2)] for kind in kinds},
        "network": {
            "new_errors": [_endpoint(text)],
            "resolved_errors": [_endpoint(text, None, failure=text)],
            "not_retried": [_endpoint(text)],
            "status_changes": [
                {"method": "GET", "url": text, "before": 200, "after": 404, "duration_change": "+440ms"}
            ],
            "new_endpoints": [_endpoint(text, 200)],
            "missing_endpoints": [_endpoint(text, None)],
        },
        "performance": [
            {
                "path": text,
                "metrics": metrics,
                "probable_cause": cause,
                "further_causes": [cause],
                "cache_differs": True,
            }
        ],
        "websockets": {
            "connection_changes": [
                socket,
                {**socket, "new_failure": True},
                {**socket, "resolved": True},
                {**socket, "not_retried": True},
            ]
        },
        "findings": {"security": {kind: [_issue(f"{kind} {text}", "security")] for kind in kinds}},
    }


def test_every_difference_has_its_line_and_what_is_worse_stands_first() -> None:
    assert [str(line) for line in diff_lines(_whole("/x"))] == [
        'new console "new /x" ×2',
        'new security "new /x"',
        "new network GET /x 500",
        'worse console "grown /x" 2 more elements',
        'worse security "grown /x" 1 more element',
        'not retried console "not_retried /x" ×2',
        'not retried security "not_retried /x"',
        "not retried network GET /x 500",
        'resolved console "resolved /x" ×2',
        'resolved security "resolved /x"',
        "resolved network GET /x /x",
        'better console "shrunk /x" 2 fewer elements',
        'better security "shrunk /x" 1 fewer element',
        'still there console "unchanged /x" ×2',
        'still there security "unchanged /x"',
        "load /x: only one of the two came from the cache; load 320ms → 900ms +181% worse; transfer_size 0B → 2KB",
        "  probable cause: A script grew (resources[0]).",
        "    resources[0] /x script 1KB → 2KB",
        "  further cause: A script grew (resources[0]).",
        "    resources[0] /x script 1KB → 2KB",
        "changed websocket /x /x → none",
        "new websocket /x /x → none",
        "resolved websocket /x /x → none",
        "not retried websocket /x /x → none",
        "changed network GET /x 200 → 404 +440ms",
        "New endpoints:",
        "- GET /x 200",
        "No longer called:",
        "- GET /x no answer",
    ]


def test_a_page_s_words_stay_the_page_s() -> None:
    lines = [str(line) for line in diff_lines(_whole(HOSTILE))]
    assert_ours(lines)
    # Two headings, and two sentences of ours.
    assert sum(FAKE in line for line in lines) == len(lines) - 4


@pytest.mark.parametrize("missing", ["errors", "network", "performance", "websockets", "findings"])
def test_lists_that_had_no_room_are_not_needed(missing: str) -> None:
    whole = _whole("/x")
    del whole[missing]
    assert 0 < len(list(diff_lines({**whole, "shortened": True}))) < len(list(diff_lines(_whole("/x"))))
