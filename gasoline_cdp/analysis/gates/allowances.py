"""Allowances: findings that a team knows and accepts, by message, URL, status, rule, test or path, until a date."""

import re
from collections.abc import Mapping
from datetime import date, datetime
from fnmatch import fnmatchcase
from typing import Any

from attrs import frozen

from gasoline_cdp.analysis.gates.gate import GATE_NAMES, GateName
from gasoline_cdp.analysis.performance.budgets import is_below
from gasoline_cdp.findings import Finding

_TEXTS = ("message", "pattern", "url", "rule", "test", "path", "gate", "reason")
KEYS = (*_TEXTS, "status", "until")
# Those that say what is allowed.
_SELECTING = ("message", "pattern", "url", "rule", "test", "path", "status")
# Longer texts are not searched by a pattern: one that backtracks would take long.
_SEARCHED_CHARS = 2000


@frozen(kw_only=True)
class GateFinding:
    """A finding, the gate that may stop it, and the test that it belongs to. `status` is that of a response."""

    gate: GateName
    finding: Finding
    test: str = ""
    status: int | None = None

    @property
    def url(self) -> str:
        """The address of the request, or the page."""
        return self.finding.location.url or self.finding.location.page


@frozen(kw_only=True)
class Allowance:
    """What is allowed: a finding that has everything given here."""

    message: str = ""
    pattern: str = ""
    url: str = ""
    rule: str = ""
    test: str = ""
    path: str = ""
    gate: str = ""
    statuses: tuple[int, ...] = ()
    # The last day, as an ISO date.
    until: str = ""
    reason: str = ""
    # Where it is written: `gasoline.toml, line 12`.
    origin: str = ""

    def allows(self, gate_finding: GateFinding) -> bool:
        """Whether a finding has everything that is given here, whatever the date."""
        finding = gate_finding.finding
        text = finding.title
        return (
            (not self.gate or self.gate == gate_finding.gate)
            and (not self.message or self.message in text)
            and (not self.pattern or re.search(self.pattern, text[:_SEARCHED_CHARS]) is not None)
            and (not self.url or _names(self.url, gate_finding.url))
            and (not self.rule or self.rule == finding.rule)
            and (not self.test or _names(self.test, gate_finding.test))
            and (not self.path or is_below(finding.location.path, self.path))
            and (not self.statuses or gate_finding.status in self.statuses)
        )

    def expired(self, today: date) -> bool:
        """Whether its last day is over."""
        return bool(self.until) and self.until < today.isoformat()

    def __str__(self) -> str:
        given = [f"{name} {getattr(self, name)!r}" for name in _SELECTING[:-1] if getattr(self, name)]
        given += [f"status {', '.join(map(str, self.statuses))}"] if self.statuses else []
        where = f" ({self.origin})" if self.origin else ""
        return f"{', '.join(given)}{where}"


def _names(wanted: str, text: str) -> bool:
    """With a `*` or `?`, the whole text must match; otherwise the text contains it."""
    return fnmatchcase(text, wanted) if set("*?") & set(wanted) else wanted in text


class AllowanceError(ValueError):
    """An allowance cannot be used: the key, and why."""

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(f"{key!r} {problem}")
        self.key = key
        self.problem = problem


def parse_allowance(given: Mapping[str, Any], origin: str = "") -> Allowance:
    """An allowance from a table of a file or from JSON. Raises AllowanceError."""
    for key, value in given.items():
        if key not in KEYS:
            raise AllowanceError(key, f"is not part of an allowance; known: {', '.join(KEYS)}")
        if key in _TEXTS and (not isinstance(value, str) or not value.strip()):
            raise AllowanceError(key, "must be a text")
    if not any(key in given for key in _SELECTING):
        raise AllowanceError("allow", f"allows everything: give one of {', '.join(_SELECTING)}")
    if given.get("gate", GATE_NAMES[0]) not in GATE_NAMES:
        raise AllowanceError("gate", f"must be one of {', '.join(GATE_NAMES)}")
    try:
        re.compile(given.get("pattern", ""))
    except re.error as error:
        raise AllowanceError("pattern", f"is not a regular expression: {error}") from error
    if "path" in given and not given["path"].startswith("/"):
        raise AllowanceError("path", "must begin with /")
    texts = {key: given[key] for key in _TEXTS if key in given}
    return Allowance(**texts, statuses=_statuses(given.get("status")), until=_until(given.get("until")), origin=origin)


def _statuses(given: object) -> tuple[int, ...]:
    listed = given if isinstance(given, list) else [] if given is None else [given]
    if any(isinstance(one, bool) or not isinstance(one, int) or not 100 <= one <= 599 for one in listed):
        raise AllowanceError("status", "must be an HTTP status or a list of them")
    return tuple(listed)


def _until(given: object) -> str:
    if given is None:
        return ""
    if isinstance(given, date) and not isinstance(given, datetime):
        return given.isoformat()
    try:
        return date.fromisoformat(str(given)).isoformat()
    except ValueError as error:
        raise AllowanceError("until", "must be a date such as 2027-01-31") from error
