"""The lines of `analyze(action="audit")`; what the tool finds is shown in a browser."""

from typing import Any

import pytest

from gasoline_cdp import wire
from gasoline_cdp.answers.audit_finding_lines import affected_bytes, audit_finding_bytes
from gasoline_cdp.answers.finding_entries import audit_entry
from gasoline_cdp.answers.text import write_lines
from gasoline_cdp.audits.axe_runs import spread
from gasoline_cdp.findings import Finding
from gasoline_cdp.tools.analyze import AnalyzeAnswer
from tests.page_words import CLAIM, HOSTILE, ours

SUMMARY = {"critical": 0, "high": 1, "medium": 1, "low": 0, "info": 0, "passed": 83, "total_rules": 85}


def finding(place: int, category: str = "accessibility", places: int = 5) -> Finding:
    affected = [{"selector": f"#e{place}-{number}", "html": f"<p id=e{place}-{number}>"} for number in range(places)]
    return Finding(
        rule=f"rule-{place}",
        severity="high",
        category=category,
        title=f"Wrong {place}",
        fix=f"Mend {place}",
        affected=affected,
        count=max(1, places),
    )


def answer_of(findings: list[dict[str, Any]], **changes: Any) -> AnalyzeAnswer:
    given: dict[str, Any] = {
        "status": "success",
        "action": "audit",
        "scope": "full",
        "tab_id": 1,
        "url": "http://app.test/cart",
        "timestamp": "2026-11-18T07:26:39.670Z",
        "duration_ms": 15,
        "cached": False,
        "summary": SUMMARY,
        "warnings": [],
    }
    return AnalyzeAnswer(findings=findings, **{**given, **changes})


def test_numbers_then_findings_then_notes() -> None:
    scores = {"accessibility": 88, "seo": 95}
    entries = [audit_entry(finding(1, places=2)), audit_entry(finding(2, "seo", places=0))]
    text = write_lines(answer_of(entries, summary={**SUMMARY, "scores": scores}, notes=["Still loading."]).render())
    assert text.split("\n") == [
        (
            "2 findings: 1 high, 1 medium; 83 of 85 rules passed; scores of 100: accessibility 88, seo 95. "
            "tab 1, http://app.test/cart"
        ),
        "high accessibility rule-1 2 places | Wrong 1",
        "  fix | Mend 1",
        "  html | <p id=e1-0>",
        "  | #e1-0, #e1-1",
        "high seo rule-2 | Wrong 2",
        "  fix | Mend 2",
        "Still loading.",
    ]


def test_a_category_that_all_share_is_not_said() -> None:
    text = write_lines(answer_of([audit_entry(finding(1)), audit_entry(finding(2))]).render())
    assert "accessibility" not in text


def test_nothing_found_and_nothing_audited() -> None:
    clean = {**SUMMARY, "high": 0, "medium": 0, "passed": 85}
    assert (
        write_lines(answer_of([], summary=clean).render())
        == "No findings; 85 of 85 rules passed. tab 1, http://app.test/cart"
    )
    torn = answer_of([], summary={}, warnings=["page_navigated"], notes=["Call again."], status="partial")
    assert write_lines(torn.render()).split("\n") == [
        "Not audited. tab 1, http://app.test/cart",
        "Partial: page_navigated.",
        "Call again.",
    ]


@pytest.mark.parametrize("budget", [400, 1500, 4000, 9000])
def test_every_finding_of_the_json_is_in_the_lines_and_they_fit(budget: int) -> None:
    entries = [audit_entry(finding(place)) for place in range(40)]
    shown, left_out = spread(entries, "affected", budget, audit_finding_bytes, affected_bytes)
    in_json, left_out_of_json = spread(entries, "affected", budget)
    assert left_out <= left_out_of_json
    assert len(shown) >= len(in_json)
    text = write_lines(answer_of(shown, left_out=left_out).render())
    assert len(text.encode()) <= budget + 300
    lines = text.split("\n")
    for entry in shown:
        assert any(line.startswith(f"high {entry['id']} ") for line in lines)
        assert all(one["selector"] in text for one in entry.get("affected", []))
    assert ("Only named, or missing" in lines[-1]) == bool(left_out)
    assert 2 * len(text.encode()) < len(wire.encode(wire.dump(answer_of(shown)))) + 400


@pytest.mark.requirement("S20")
@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_address_passes_for_our_words(hostile: str) -> None:
    text = write_lines(answer_of([], url=f"http://app.test/{hostile}").render())
    assert len(text.splitlines()) == 1
    assert CLAIM not in ours(text)
