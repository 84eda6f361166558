"""Issues before and after, a line each: what is not resolved first, and nothing said twice."""

import pytest

from gasoline_cdp.analysis.compare.verification import NOT_SEEN, VerifyChange
from gasoline_cdp.answers.lines import Line
from gasoline_cdp.comparisons.change_lines import (
    change_lines,
    metric_words,
    percent,
    steps_after,
    without_repeated_steps,
)
from tests.reading import HOSTILE, assert_ours


def lines(*changes: VerifyChange) -> list[str]:
    return [str(line) for line in change_lines(changes)]


def change(kind: str, category: str, before: str, after: str, evidence: str = "", retry: str = "") -> VerifyChange:
    return VerifyChange(
        type=kind,  # type: ignore[arg-type]
        category=category,
        before=before,
        after=after,
        evidence=evidence,
        retry=retry,
    )


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (
            change("resolved", "console", "boom", NOT_SEEN, evidence="not seen after: load /"),
            'resolved console "boom" | not seen after: load /',
        ),
        (
            change("not_retried", "console", "boom", NOT_SEEN, retry='click button "Save"'),
            'not retried console "boom" retry | click button "Save"',
        ),
        (change("new", "console", NOT_SEEN, "boom (x2)"), 'new console "boom (x2)"'),
        (change("unchanged", "console", "boom", "boom"), 'still there console "boom"'),
        (change("unchanged", "console", "user 1", "user 2"), 'still there console "user 1" → "user 2"'),
        (change("changed", "console", "boom", "boom (x3)"), 'still there console "boom" ×1 → ×3'),
        (change("changed", "console", "boom (x5)", "boom (x3)"), 'still there console "boom" ×5 → ×3'),
        # The page's own words, which are no count.
        (change("unchanged", "console", "boom (x9)", "boom (x9)"), 'still there console "boom (x9)"'),
        (
            change("resolved", "network", "POST /api → 500", "POST /api → 200", evidence="called once"),
            "resolved network POST /api 500 → 200 | called once",
        ),
        (
            change("not_retried", "network", "GET /a → net::ERR_FAILED", "(not called)", retry="load /"),
            "not retried network GET /a net::ERR_FAILED retry | load /",
        ),
        (change("unchanged", "network", "GET /a → 500", "GET /a → 500"), "still there network GET /a 500"),
        (change("new", "network", NOT_SEEN, "GET /a → 404"), "new network GET /a 404"),
        (
            change("resolved", "websocket", "ws://a/live error", "ws://a/live open"),
            "resolved websocket ws://a/live error → open",
        ),
        (
            change("not_retried", "websocket", "ws://a/live closed", "(not opened)", retry="load /"),
            "not retried websocket ws://a/live closed retry | load /",
        ),
    ],
)
def test_a_change_is_one_line(given: VerifyChange, line: str) -> None:
    assert lines(given) == [line]


def test_what_is_not_resolved_stands_first() -> None:
    kinds = ("resolved", "not_retried", "unchanged", "new", "changed")
    found = lines(*(change(kind, "console", f"was {kind}", NOT_SEEN) for kind in kinds))
    assert [line.partition(" console")[0] for line in found] == [
        "new",
        "still there",
        "still there",
        "not retried",
        "resolved",
    ]


@pytest.mark.parametrize("category", ["console", "network", "websocket", "security"])
@pytest.mark.parametrize("kind", ["resolved", "not_retried", "unchanged", "changed", "new"])
def test_a_page_s_words_stay_the_page_s(category: str, kind: str) -> None:
    found = lines(change(kind, category, HOSTILE, f"other {HOSTILE}", evidence=HOSTILE, retry=HOSTILE))
    assert_ours(found)
    assert len(found) == 1


def test_metrics_have_their_unit() -> None:
    assert metric_words("load", 320, 1250.4, percent(290.7)) == "load 320ms → 1.25s +291%"
    assert metric_words("transfer_size", 1024, 2048, percent(100.0)) == "transfer_size 1KB → 2KB +100%"
    assert metric_words("request_count", 3, 3, percent(None)) == "request_count 3"
    assert metric_words("cumulative_layout_shift", 0, 0.12, "") == "cumulative_layout_shift 0 → 0.12"


def test_steps_that_the_last_line_named_are_not_named_again() -> None:
    told = [Line(steps_after("To retry", "load /cart"))]
    told += [
        Line(f"GET /{name} 500 {steps_after('retry', steps)}") for name, steps in (("a", "load /cart"), ("b", "x"))
    ]
    told += [Line("GET /c 500"), Line(f"GET /d 500 {steps_after('retry', 'x')}")]
    assert [str(line) for line in without_repeated_steps(told)] == [
        "To retry | load /cart",
        "GET /a 500 retry: as above",
        "GET /b 500 retry | x",
        "GET /c 500",
        "GET /d 500 retry: as above",
    ]
