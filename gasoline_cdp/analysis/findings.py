"""A finding of the security audit, and the rules that order and bound findings."""

from collections.abc import Iterable
from typing import Any, Literal

from attrs import field, frozen

from gasoline_cdp.analysis.issues import Grade, Issue

Severity = Literal["critical", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("critical", "warning", "info")
Check = Literal["credentials", "auth_patterns", "pii_exposure", "transport", "headers", "cookies"]
CHECKS: tuple[Check, ...] = ("credentials", "auth_patterns", "pii_exposure", "transport", "headers", "cookies")
_OF_GRADE: dict[Grade, Severity] = {
    "critical": "critical",
    "high": "warning",
    "medium": "warning",
    "low": "info",
    "info": "info",
}


@frozen(kw_only=True)
class SecurityFinding:
    """One thing to mend: what, where, and how."""

    severity: Severity
    category: Check
    title: str
    description: str
    evidence: dict[str, Any] = field(factory=dict)
    recommendation: str
    cwe: str = ""
    count: int = 1


def of_issue(issue: Issue, category: Check, where: str, count: int) -> SecurityFinding:
    """An issue of headers or cookies in the form of the audit."""
    evidence: dict[str, Any] = {"issue": issue.issue, "url": where}
    if issue.affected:
        evidence["affected"] = list(issue.affected[:20])
    return SecurityFinding(
        severity=_OF_GRADE[issue.grade],
        category=category,
        title=issue.message,
        description=f"{issue.message} at {where}.",
        evidence=evidence,
        recommendation=issue.guidance,
        cwe=issue.cwe,
        count=count,
    )


def at_least(findings: Iterable[SecurityFinding], severity: Severity) -> list[SecurityFinding]:
    """Those of a severity or worse, the worst first; among equals the order stays."""
    worst = SEVERITIES.index(severity)
    chosen = [finding for finding in findings if SEVERITIES.index(finding.severity) <= worst]
    return sorted(chosen, key=lambda finding: SEVERITIES.index(finding.severity))
