"""What an analysis found: the shape that all audits answer in, how bad each is, and what that makes of a score."""

from collections.abc import Iterable
from typing import Any, Literal

from attrs import field, frozen

Severity = Literal["critical", "high", "medium", "low", "info"]
SEVERITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low", "info")

# What one finding takes from a hundred. Two critical ones leave a page in the lower half.
_COSTS: dict[Severity, int] = {"critical": 25, "high": 12, "medium": 5, "low": 2, "info": 0}


@frozen(kw_only=True)
class Finding:
    """Something wrong, named for the failing state; `affected` are the first places, `count` is the number of all."""

    id: str
    severity: Severity
    category: str
    message: str
    count: int = 1
    fix: str | None = None
    affected: list[dict[str, Any]] = field(factory=list)
    reference: dict[str, str] | None = None


def by_severity(findings: Iterable[Finding]) -> list[Finding]:
    """The worst first; among equals, what is most often."""
    return sorted(findings, key=lambda finding: (SEVERITIES.index(finding.severity), -finding.count))


def count_severities(findings: Iterable[Finding]) -> dict[str, int]:
    """How many findings of each severity, all of them named."""
    counts = dict.fromkeys(SEVERITIES, 0)
    for finding in findings:
        counts[finding.severity] += 1
    return {str(name): count for name, count in counts.items()}


def score(findings: Iterable[Finding]) -> int:
    """From 100 (nothing found) to 0."""
    return max(0, 100 - sum(_COSTS[finding.severity] for finding in findings))
