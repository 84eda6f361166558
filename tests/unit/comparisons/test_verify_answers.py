"""What verify_fix answers, as lines: the verdict, what is not resolved, what is."""

from typing import Any

import pytest
from attrs import evolve

from gasoline_cdp import wire
from gasoline_cdp.analysis.compare.verification import NOT_SEEN, VerifyChange
from gasoline_cdp.comparisons.verify_answers import (
    BaselineEntry,
    ErrorDetail,
    IssueSummary,
    LoadChange,
    VerifyAnswer,
    VerifyResult,
)
from tests.reading import HOSTILE, assert_ours, assert_tells, lines_of

AT = "2026-11-16T08:00:00.000Z"
RESULT = VerifyResult(
    verdict="improved",
    resolved=1,
    still_there=1,
    not_retried=1,
    before=IssueSummary(console_errors=2, network_errors=1, total_issues=3),
    after=IssueSummary(console_errors=1, network_errors=0, total_issues=1),
    changes=[
        VerifyChange(type="resolved", category="console", before="one", after=NOT_SEEN, evidence="not seen after: x"),
        VerifyChange(type="unchanged", category="console", before="two", after="two"),
        VerifyChange(
            type="not_retried", category="network", before="GET /a → 500", after="(not called)", retry="load /cart"
        ),
    ],
    new_issues=[],
    performance_diff=[
        LoadChange(
            path="/cart",
            load_time_before="320ms",
            load_time_after="900ms",
            change="+181%",
            regressions=[{"metric": "load", "current": 900, "baseline": 320, "change_percent": 181.2}],
            probable_cause="A script grew by 300 KB (resources[0]).",
        )
    ],
)
ANSWER = VerifyAnswer(
    session_id="verify-abc",
    status="compared",
    message="Some is gone. To retry: load /cart.",
    label="fix login",
    result=RESULT,
    sentences="Some is gone.",
    steps="load /cart",
)


def baseline(*details: ErrorDetail, **changes: Any) -> BaselineEntry:
    given: dict[str, Any] = {"captured_at": AT, "console_errors": 1, "network_errors": 2}
    return BaselineEntry(error_details=list(details), **{**given, **changes})


def test_the_verdict_stands_first_and_what_is_resolved_last() -> None:
    assert lines_of(ANSWER) == [
        'improved: Some is gone. session_id=verify-abc "fix login"',
        "To retry | load /cart",
        (
            "1 still there, 1 not retried, 1 resolved; seen before → after: issues 3 → 1, console errors 2 → 1, "
            "failed requests 1 → 0."
        ),
        'still there console "two"',
        "not retried network GET /a 500 retry: as above",
        'resolved console "one" | not seen after: x',
        "load /cart 320ms → 900ms +181%",
        "  worse load 320ms → 900ms +181%",
        "  probable cause: A script grew by 300 KB (resources[0]).",
    ]


def test_what_the_lines_need_beyond_the_json_is_not_in_it() -> None:
    assert not {"sentences", "steps"} & set(wire.dump(ANSWER))


def test_nothing_wrong_takes_one_line() -> None:
    none = IssueSummary(console_errors=0, network_errors=0, total_issues=0)
    result = VerifyResult(
        verdict="no_issues_detected",
        resolved=0,
        still_there=0,
        not_retried=0,
        before=none,
        after=none,
        changes=[],
        new_issues=[],
    )
    answer = VerifyAnswer(session_id="verify-abc", status="compared", message="Nothing was wrong.", result=result)
    assert lines_of(answer) == ["no issues detected: Nothing was wrong. session_id=verify-abc"]


def test_a_baseline_tells_each_issue_and_how_to_retry_it() -> None:
    entry = baseline(
        ErrorDetail(type="console", message="boom", count=2, retry="load /cart"),
        ErrorDetail(type="network", method="POST", url="/api", status=500, count=1, retry='click "Pay"'),
        ErrorDetail(type="network", method="GET", url="/img", message="net::ERR_FAILED", count=3),
        ErrorDetail(type="websocket", url="ws://a/live", message="error"),
        ErrorDetail(type="security", message="no CSP", count=1),
        left_out=4,
    )
    answer = VerifyAnswer(
        session_id="verify-abc", status="watching", message="Go on.", baseline=entry, expires_in_seconds=1799
    )
    shown = lines_of(answer)
    assert shown[0] == "watching: Go on. session_id=verify-abc (29 min left)"
    assert shown[1].endswith(": 1 console error, 2 failed requests.")
    assert shown[2:] == [
        'console "boom" ×2 retry | load /cart',
        'network POST /api 500 retry | click "Pay"',
        "network GET /img net::ERR_FAILED ×3",
        "websocket ws://a/live error",
        'security "no CSP"',
        "4 more issues not shown",
    ]
    assert_tells(answer, AT)


def test_all_texts_of_the_json_are_in_the_lines() -> None:
    # Told by the tag of a line, or by its parts.
    assert_tells(
        ANSWER, ANSWER.message, "compared", "unchanged", "not_retried", NOT_SEEN, "GET /a → 500", "(not called)"
    )


@pytest.mark.parametrize("place", ["steps", "label", "changes", "baseline", "path"])
def test_a_page_s_words_stay_the_page_s(place: str) -> None:
    hostile = VerifyChange(type="not_retried", category="console", before=HOSTILE, after=NOT_SEEN, retry=HOSTILE)
    details = [
        ErrorDetail(type="console", message=HOSTILE, retry=HOSTILE),
        ErrorDetail(type="network", method=HOSTILE, url=HOSTILE, message=HOSTILE, retry=HOSTILE),
        ErrorDetail(type="websocket", url=HOSTILE, message=HOSTILE),
    ]
    load = evolve(RESULT.performance_diff[0], path=HOSTILE)
    answer = {
        "steps": evolve(ANSWER, steps=HOSTILE),
        "label": evolve(ANSWER, label=HOSTILE),
        "changes": evolve(ANSWER, result=evolve(RESULT, changes=[hostile], new_issues=[hostile])),
        "baseline": evolve(ANSWER, baseline=baseline(*details)),
        "path": evolve(ANSWER, result=evolve(RESULT, performance_diff=[load])),
    }[place]
    assert_ours(lines_of(answer))
