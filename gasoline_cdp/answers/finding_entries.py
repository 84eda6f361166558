"""Findings in an answer: each tool has its own fields for the one `Finding` record."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

from attrs import field, frozen

from gasoline_cdp.analysis.security.checks import Check
from gasoline_cdp.answers.lines import Line, Tone
from gasoline_cdp.answers.marked_lines import labelled, line_bytes, listed, marked
from gasoline_cdp.answers.paging import iso
from gasoline_cdp.answers.quoting import word, written_fields
from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.findings import AlertLevel, Finding, alert_level

TONES: dict[str, Tone] = {
    "critical": "error",
    "high": "error",
    "medium": "warning",
    "warning": "warning",
}
# Evidence that the heading and location lines show without these names: the rule, and where it is.
_PLACED = {"issue", "url", "resource_url", "source", "method", "page_url"}
# Evidence that the description contains.
_DESCRIBED = {
    "type", "place", "pattern", "level", "field", "name", "param_name", "header", "different_values", "resource_type",
    "pii_fields", "authenticated", "auth_header_present", "response_contains_pii",
}  # fmt: skip
# Words that add nothing to a title.
_FILLERS = {"a", "an", "at", "the"}
# How many names a description contains. More are in the evidence.
_NAMES_DESCRIBED = 3


@frozen(kw_only=True)
class SecurityFindingEntry:
    """One problem: what is wrong, where, and how to fix it."""

    severity: AlertLevel
    category: Check
    title: str
    description: str
    evidence: dict[str, Any] = field(factory=dict)
    recommendation: str
    cwe: str = ""
    count: int = 1

    @property
    def address(self) -> str:
        """The request, origin, page or script that it is about; empty if none is known."""
        return next(
            (str(self.evidence[name]) for name in ("url", "resource_url", "source") if self.evidence.get(name)), ""
        )

    def heading(self) -> Line:
        """`warning headers missing_csp CWE-693 | Content-Security-Policy is not set`."""
        rule = word(str(self.evidence["issue"])) if self.evidence.get("issue") else ""
        words = (self.severity, self.category, rule, self.cwe, marked(self.title))
        return Line(" ".join(filter(None, words)), tone=TONES.get(self.severity, "plain"))

    def location_lines(self, shared: SharedFacts) -> Iterator[Line]:
        """Where it was seen, how often, and the evidence. No lines if the heading says it all."""
        evidence = {
            name: value
            for name, value in self.evidence.items()
            if name not in _PLACED | _DESCRIBED
            and not (name == "names" and len(value) <= _NAMES_DESCRIBED)
            and not (name == "affected" and all(f"'{one}'" in self.title for one in value))
        }
        page = str(self.evidence.get("page_url", ""))
        words = (
            word(str(self.evidence.get("method", "")), 20) if self.evidence.get("method") else "",
            shared.url(self.address) if self.address and self.address != shared.origin else "",
            f"{self.count} times" if self.count > 1 else "",
            shared.on_page(page) if page != self.address else "",
            written_fields(evidence),
        )
        text = " ".join(filter(None, words))
        if text:
            yield Line(text, depth=1)
        if self._adds_to_title():
            yield Line(marked(self.description), depth=2 if text else 1)

    def _adds_to_title(self) -> bool:
        """Whether the description has a word that neither the title nor the location has."""
        path = self.address.partition("//")[2].partition("/")[2].partition("?")[0]
        location = f"{self.evidence.get('method', '')} {self.address} /{path}"
        known = _words_of(f"{self.title} {location}") | _FILLERS
        return not _words_of(self.description) <= known


@frozen(kw_only=True)
class PageFindingEntry:
    """One problem of the page, and how to fix it."""

    severity: str
    category: str
    issue: str
    message: str
    affected: list[str] = field(factory=list)
    guidance: str

    def lines(self) -> Iterator[Line]:
        """`high headers missing_csp | Content-Security-Policy is not set`, the fix, and names not in the message."""
        words = (self.severity, self.category, word(self.issue), marked(self.message))
        yield Line(" ".join(words), tone=TONES.get(self.severity, "plain"))
        yield labelled("fix", self.guidance)
        yield from listed(name for name in self.affected if f"'{name}'" not in self.message)


def security_lines(entries: Iterable[SecurityFindingEntry], shared: SharedFacts) -> Iterator[Line]:
    """Findings that differ only in their location share a heading and a fix."""
    alike: dict[tuple[Line, ...], list[SecurityFindingEntry]] = {}
    for entry in entries:
        alike.setdefault(_words_shared(entry), []).append(entry)
    for words, same in alike.items():
        yield from words
        for entry in same:
            lines = list(entry.location_lines(shared))
            # One of several is named even if its address is the origin in the answer's heading.
            yield from lines or ([Line(word(entry.address), depth=1)] if len(same) > 1 and entry.address else [])


def _words_shared(entry: SecurityFindingEntry) -> tuple[Line, ...]:
    return entry.heading(), labelled("fix", entry.recommendation)


def security_sizes() -> Callable[[SecurityFindingEntry], int]:
    """A function that returns a finding's maximum size in lines. Call it in the order of the answer."""
    said: set[tuple[Line, ...]] = set()

    def size(entry: SecurityFindingEntry) -> int:
        words = _words_shared(entry)
        new = () if words in said else words
        said.add(words)
        return line_bytes((*new, *entry.location_lines(SharedFacts())))

    return size


def page_finding_bytes(entry: PageFindingEntry) -> int:
    """Size of the lines of a page finding."""
    return line_bytes(entry.lines())


def _words_of(text: str) -> set[str]:
    return {stripped for part in text.lower().split() if (stripped := part.strip(".,:;'"))}


def security_entry(finding: Finding) -> SecurityFindingEntry:
    """A finding in the fields of `security_audit`."""
    return SecurityFindingEntry(
        severity=alert_level(finding.severity),
        # Its findings have the check as their category.
        category=cast("Check", finding.category),
        title=finding.title,
        description=finding.description,
        evidence=finding.evidence,
        recommendation=finding.fix,
        cwe=finding.reference.get("cwe", ""),
        count=finding.count,
    )


def page_entry(finding: Finding) -> PageFindingEntry:
    """A finding in the fields of `analyze(action="security")`."""
    return PageFindingEntry(
        severity=finding.severity,
        category=finding.category,
        issue=finding.rule,
        message=finding.title,
        affected=[one["name"] for one in finding.affected],
        guidance=finding.fix,
    )


def audit_entry(finding: Finding) -> dict[str, Any]:
    """A finding in the fields of `analyze(action="audit")`."""
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
    """A finding in the fields of `validate_api`."""
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
