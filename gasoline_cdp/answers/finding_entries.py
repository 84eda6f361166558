"""Findings in an answer: one record, in the words of the tool that tells of it."""

from typing import Any, cast

from attrs import field, frozen

from gasoline_cdp.analysis.security.checks import Check
from gasoline_cdp.answers.paging import iso
from gasoline_cdp.findings import AlertLevel, Finding, alert_level


@frozen(kw_only=True)
class SecurityFindingEntry:
    """One thing to mend: what, where, and how."""

    severity: AlertLevel
    category: Check
    title: str
    description: str
    evidence: dict[str, Any] = field(factory=dict)
    recommendation: str
    cwe: str = ""
    count: int = 1


@frozen(kw_only=True)
class PageFindingEntry:
    """One thing that is wrong with the page, and how to mend it."""

    severity: str
    category: str
    issue: str
    message: str
    affected: list[str] = field(factory=list)
    guidance: str


def security_entry(finding: Finding) -> SecurityFindingEntry:
    """As `security_audit` tells it."""
    return SecurityFindingEntry(
        severity=alert_level(finding.severity),
        # Of what its checks find, the category is the check.
        category=cast("Check", finding.category),
        title=finding.title,
        description=finding.description,
        evidence=finding.evidence,
        recommendation=finding.fix,
        cwe=finding.reference.get("cwe", ""),
        count=finding.count,
    )


def page_entry(finding: Finding) -> PageFindingEntry:
    """As `analyze(action="security")` tells it."""
    return PageFindingEntry(
        severity=finding.severity,
        category=finding.category,
        issue=finding.rule,
        message=finding.title,
        affected=[one["name"] for one in finding.affected],
        guidance=finding.fix,
    )


def audit_entry(finding: Finding) -> dict[str, Any]:
    """As `analyze(action="audit")` tells it."""
    return {
        "id": finding.rule,
        "severity": finding.severity,
        "category": finding.category,
        "message": finding.title,
        "count": finding.count,
        **({"fix": finding.fix} if finding.fix else {}),
        "affected": finding.affected,
        **({"reference": finding.reference} if finding.reference else {}),
    }


def violation_entry(finding: Finding) -> dict[str, Any]:
    """As `validate_api` tells it."""
    occurrences = finding.evidence["occurrences"]
    return {
        "endpoint": finding.location.endpoint,
        "type": finding.rule,
        "severity": alert_level(finding.severity),
        "description": finding.title,
        **finding.evidence,
        "occurrences": {
            **occurrences,
            "first_seen": iso(occurrences["first_seen"] or occurrences["last_violation"]),
            "last_violation": iso(occurrences["last_violation"]),
        },
    }
