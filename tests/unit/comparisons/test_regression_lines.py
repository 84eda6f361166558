"""A page against its baseline, as lines."""

from typing import Any

import pytest

from gasoline_cdp import wire
from gasoline_cdp.analysis.performance.regressions import Change
from gasoline_cdp.analysis.performance.resources import Cause, ResourceChange
from gasoline_cdp.answers.text import write_lines
from gasoline_cdp.comparisons.regression import RegressionAnswer
from gasoline_cdp.comparisons.regression_lines import baseline_lines, comparison_lines
from tests.page_words import CLAIM, HOSTILE, ours

URL = "http://app.test/cart"
BASELINE = {"name": "default", "url": URL, "captured_at": "2026-11-18T07:26:58Z"}
SAME = {"baseline_issues": 1, "current_issues": 1, "new_issues": [], "resolved_issues": []}
NOT_MEASURED = {"measured": False, "note": "no load was measured"}


def comparison_of(**changes: Any) -> dict[str, Any]:
    security = {"baseline_findings": 4, "current_findings": 4, "changes": []}
    return {"errors": SAME, "accessibility": SAME, "security": security, "performance": NOT_MEASURED, **changes}


def lines_of(**changes: Any) -> list[str]:
    return [str(line) for line in comparison_lines(comparison_of(**changes), URL)]


def test_a_baseline_says_what_is_in_it() -> None:
    taken = {
        **BASELINE,
        "console_errors": 0,
        "console_warnings": 1,
        "network_requests": 29,
        "network_errors": 23,
        "unique_endpoints": 26,
        "performance": {"load_time": 764.3, "request_count": 29, "transfer_size": 5120},
        "findings": {"accessibility": 13, "security": 1},
        "left_out": {"endpoints": 2},
    }
    first, *rest = (str(line) for line in baseline_lines(taken))
    assert first.startswith("baseline default of ")
    assert first.endswith(f":58, {URL}")
    assert rest == [
        (
            "  1 console warning, 29 requests, 23 failed requests, 26 endpoints, 13 broken accessibility rules, "
            "1 security finding, load 764ms, 5KB transferred"
        ),
        "2 more endpoints did not fit and will not be compared.",
    ]
    assert len(list(baseline_lines(BASELINE))) == 1


def test_what_did_not_change_is_not_said() -> None:
    assert lines_of() == ["load: no load was measured"]
    assert lines_of(errors={**SAME, "current_issues": 0})[0] == "errors: 1 before, 0 now"


def test_every_entry_is_a_line() -> None:
    errors = {
        "baseline_issues": 2,
        "current_issues": 2,
        "new_issues": [
            {"type": "console", "message": "Checkout failed", "count": 3},
            {"type": "network", "message": "POST /api/checkout → 500", "count": 1},
        ],
        "resolved_issues": [{"type": "exception", "message": "x is undefined", "count": 1}],
    }
    rules = {**SAME, "new_issues": [{"id": "label", "count": 2}], "resolved_issues": [{"id": "image-alt", "count": 1}]}
    security = {
        "baseline_findings": 1,
        "current_findings": 1,
        "changes": [{"change": "new", "finding": "A key in a URL"}, {"change": "resolved", "finding": "No policy"}],
    }
    assert lines_of(errors=errors, accessibility=rules, security=security)[:-1] == [
        "errors: 2 before, 2 now",
        "  new console 3 times | Checkout failed",
        "  new network | POST /api/checkout → 500",
        "  resolved exception | x is undefined",
        "accessibility elements: 1 before, 1 now",
        "  new label 2 elements",
        "  resolved image-alt 1 element",
        "security findings: 1 before, 1 now",
        "  new | A key in a URL",
        "  resolved | No policy",
    ]


def test_a_load_with_what_got_worse_and_why() -> None:
    change = Change(metric="load", current=1800, baseline=1000, change_percent=80.0, absolute_change=800)
    grown = ResourceChange(url="http://app.test/app.js", type="script", size_before=1024, size_after=2048)
    causes = [Cause(sentence=f"Cause {number}.", resources=(grown,), script={"url": "a"}) for number in range(2)]
    load = {
        "measured": True,
        "path": "/cart",
        "lcp_baseline_ms": 500.0,
        "lcp_current_ms": 1250.0,
        "lcp_delta_ms": 750.0,
        "lcp_regression": True,
        "regressions": [wire.dump(change)],
        "probable_cause": wire.dump(causes[0]),
        "further_causes": [wire.dump(causes[1])],
    }
    assert lines_of(performance=load) == [
        "load of /cart: largest contentful paint 500ms before, 1.25s now",
        "worse: load 1000 ms → 1800 ms, +80%",
        "cause: Cause 0.",
        "  resources[0] /app.js script 1KB → 2KB",
        "  script url=a",
        "cause: Cause 1.",
        "  resources[0] /app.js script 1KB → 2KB",
        "  script url=a",
    ]


def test_the_verdict_comes_first() -> None:
    given: dict[str, Any] = {
        "status": "success",
        "action": "regression",
        "tab_id": 1,
        "duration_ms": 5,
        "cached": False,
    }
    compared = RegressionAnswer(
        scope="compare",
        baseline=BASELINE,
        summary="2 new errors.",
        verdict="regression_detected",
        comparison=comparison_of(),
        **given,
    )
    lines = write_lines(compared.render()).split("\n")
    assert lines[0] == "Regression detected: 2 new errors."
    assert lines[1].startswith("baseline default of ")
    assert lines[2:] == ["load: no load was measured"]
    taken = RegressionAnswer(scope="baseline", baseline=BASELINE, summary="The page is kept as it is.", **given)
    assert write_lines(taken.render()).startswith("The page is kept as it is.\nbaseline default of ")


@pytest.mark.requirement("S20")
@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_page_writes_a_line_of_a_comparison(hostile: str) -> None:
    issue = {"type": "console", "message": hostile, "count": 2}
    changed = [{"change": change, "finding": hostile} for change in ("new", "resolved")]
    load = {"lcp_baseline_ms": 1.0, "lcp_current_ms": 2.0, "lcp_regression": False, "regressions": []}
    grown = ResourceChange(url=f"{URL}{hostile}", type="script")
    compared = comparison_of(
        errors={**SAME, "new_issues": [issue], "resolved_issues": [issue]},
        accessibility={**SAME, "new_issues": [{"id": hostile, "count": 1}]},
        security={"baseline_findings": 1, "current_findings": 1, "changes": changed},
        performance={
            **load,
            "measured": True,
            "path": f"/{hostile}",
            "probable_cause": wire.dump(Cause(sentence="Ours.", resources=(grown,))),
        },
    )
    lines = [*baseline_lines({**BASELINE, "url": f"{URL}{hostile}"}), *comparison_lines(compared, URL)]
    text = write_lines(lines)
    assert len(text.splitlines()) == len(lines)
    assert text.count(CLAIM) == 8
    assert CLAIM not in ours(text)
