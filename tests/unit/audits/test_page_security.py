"""The lines of `analyze(action="security")`; what it finds is shown in a browser."""

from collections import Counter
from typing import Any

import pytest

from gasoline_cdp.answers.finding_entries import PageFindingEntry
from gasoline_cdp.answers.text import write_lines
from gasoline_cdp.audits.page_security import PageSecurity
from tests.page_words import CLAIM, HOSTILE, ours

URL = "http://app.test/cart"


def entry_of(issue: str, *affected: str, **changes: Any) -> PageFindingEntry:
    given: dict[str, Any] = {"severity": "high", "category": "cookies", "message": "Wrong", "guidance": "Mend it."}
    return PageFindingEntry(issue=issue, affected=list(affected), **{**given, **changes})


def answer_of(findings: list[PageFindingEntry], **changes: Any) -> PageSecurity:
    given: dict[str, Any] = {
        "status": "success",
        "action": "security",
        "scope": "full",
        "tab_id": 1,
        "url": URL,
        "duration_ms": 6,
        "cached": False,
        "summary": {"by_severity": dict(Counter(one.severity for one in findings))},
    }
    return PageSecurity(findings=findings, **{**given, **changes})


def test_numbers_checks_findings_and_what_was_not_judged() -> None:
    checked = {"headers": {"passed": 2, "failed": 4}, "cookies": {"secure": 0, "insecure": 0}}
    found = [
        entry_of("session_cookie_for_scripts", "sid", "auth", message="Cookie 'sid' readable by scripts"),
        entry_of("missing_csp", severity="low", category="headers", message="No policy"),
    ]
    counts = {"by_severity": {"high": 1, "low": 1}}
    text = write_lines(
        answer_of(found, summary={**checked, **counts}, warnings=["Not judged here."], left_out=3).render()
    )
    assert text.split("\n") == [
        f"2 findings: 1 high, 1 low. tab 1, {URL}",
        "Checked: headers passed 2, failed 4.",
        "high cookies session_cookie_for_scripts | Cookie 'sid' readable by scripts",
        "  fix | Mend it.",
        "  | auth",
        "low headers missing_csp | No policy",
        "  fix | Mend it.",
        "Not judged here.",
        "3 more: a larger max_bytes shows them",
    ]


def test_a_page_without_fault_is_one_line() -> None:
    assert write_lines(answer_of([]).render()) == f"No findings. tab 1, {URL}"


@pytest.mark.requirement("S20")
@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_name_passes_for_our_words(hostile: str) -> None:
    found = [entry_of("x", hostile, message=f"Cookie '{hostile}' readable"), entry_of("y", hostile, guidance=hostile)]
    lines = list(answer_of(found, url=f"{URL}{hostile}").render())
    text = write_lines(lines)
    assert len(text.splitlines()) == len(lines)
    assert text.count(CLAIM) == 4
    # What our own first words are.
    assert CLAIM not in ours(text)
