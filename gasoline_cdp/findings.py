"""The result of an analysis: the one record that every judge makes, its severity, and the score.

Answers, comparisons and reports render it. `answers/finding_entries.py` has the shapes that tools answer with.
"""

from collections.abc import Iterable
from typing import Any, Literal

from attrs import field, frozen

# The only scale inside the package. The scales of the tools are renderings: see `alert_level` for the one with three
# steps.
Severity = Literal["critical", "high", "medium", "low", "info"]
SEVERITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low", "info")
AlertLevel = Literal["critical", "warning", "info"]
ALERT_LEVELS: tuple[AlertLevel, ...] = ("critical", "warning", "info")

_ALERT_LEVELS: dict[Severity, AlertLevel] = {
    "critical": "critical",
    "high": "warning",
    "medium": "warning",
    "low": "info",
    "info": "info",
}
# Points that a finding takes from a hundred. Two critical ones put a page into the lower half.
_COSTS: dict[Severity, int] = {"critical": 25, "high": 12, "medium": 5, "low": 2, "info": 0}


@frozen(kw_only=True)
class SourceLocation:
    """A line of a script, counted from 1."""

    url: str
    line: int
    column: int = 0


@frozen(kw_only=True)
class Location:
    """Where a finding is. What does not apply is empty. Build it with `analysis/locations.py`.

    `page` is the page's address, and `path` its path. `url` is the address of a request, a socket or an origin.
    """

    page: str = ""
    path: str = ""
    selector: str = ""
    url: str = ""
    # The method of a call; empty for sockets and for what was not called.
    method: str = ""
    # The part of the application, without ids: `GET /users/:id`, or the page's path for what a script did. Empty for a
    # whole page.
    endpoint: str = ""
    # The name of a header, parameter or field.
    name: str = ""
    source: SourceLocation | None = None

    def text(self) -> str:
        """The most precise location that a reader can open: a line of a script, an element, an endpoint or a page."""
        if self.source is not None:
            return f"{self.source.url}:{self.source.line}"
        where = self.endpoint if self.method else self.url or self.page
        return f"{self.selector} on {where}" if self.selector and where else self.selector or where


@frozen(kw_only=True)
class Finding:
    """A fault. Its `rule` is named after the failing state.

    `affected` are the first occurrences, `count` is the number of all. `evidence` supports the finding: it is shown,
    and code never reads it back. What code needs has a field of its own.
    """

    rule: str
    severity: Severity
    category: str
    title: str
    # A sentence with details; empty if the title says it all.
    description: str = ""
    location: Location = field(factory=Location)
    evidence: dict[str, Any] = field(factory=dict)
    affected: list[dict[str, Any]] = field(factory=list)
    fix: str = ""
    # Where it is explained: `cwe`, or `wcag`, `level` and `url`.
    reference: dict[str, str] = field(factory=dict)
    count: int = 1

    @property
    def key(self) -> str:
        """Stays the same for the same finding after a reload, on another port and in another run.

        It consists of rule, endpoint and name, and of nothing that changes: no host, id, value, text, line or element.
        Pages share headers and templates, so a finding about whole pages has the same key on each of them;
        `location.path` distinguishes those.
        """
        return " ".join(part for part in (self.rule, self.location.endpoint, self.location.name) if part)

    def text(self) -> str:
        """One line: what, where, and what to do."""
        location = self.location.text()
        where = f" ({location})" if location else ""
        return f"{self.title}{where}. Fix: {self.fix}" if self.fix else f"{self.title}{where}"


def alert_level(severity: Severity) -> AlertLevel:
    """A severity on the three-step scale of `security_audit` and `validate_api`."""
    return _ALERT_LEVELS[severity]


def by_severity(findings: Iterable[Finding]) -> list[Finding]:
    """The worst first; among equals, the most frequent."""
    return sorted(findings, key=lambda finding: (SEVERITIES.index(finding.severity), -finding.count))


def by_alert_level(findings: Iterable[Finding], least: AlertLevel = "info") -> list[Finding]:
    """Findings of this level or worse, the worst first. Equals keep their order."""
    ranked = [(ALERT_LEVELS.index(alert_level(finding.severity)), finding) for finding in findings]
    chosen = [one for one in ranked if one[0] <= ALERT_LEVELS.index(least)]
    return [finding for _, finding in sorted(chosen, key=lambda one: one[0])]


def count_severities(findings: Iterable[Finding]) -> dict[str, int]:
    """The number of findings of each severity, including zeros."""
    counts = dict.fromkeys(SEVERITIES, 0)
    for finding in findings:
        counts[finding.severity] += 1
    return {str(name): count for name, count in counts.items()}


def score(findings: Iterable[Finding]) -> int:
    """From 100 (no findings) to 0."""
    return max(0, 100 - sum(_COSTS[finding.severity] for finding in findings))
