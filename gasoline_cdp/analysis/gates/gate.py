"""The gates by name, and which findings each of them stops."""

import difflib
from typing import Literal, get_args

from attrs import frozen

from gasoline_cdp.findings import ALERT_LEVELS, SEVERITIES, Finding, Severity, alert_level

GateName = Literal["console-errors", "network-errors", "a11y", "security", "contract-violations", "budgets", "leaks"]
GATE_NAMES: tuple[GateName, ...] = get_args(GateName)
# The levels of gates that have some, worst first; each also stops what is worse.
_LEVELS: dict[str, tuple[str, ...]] = {
    "a11y": ("critical", "serious", "moderate", "minor"),
    "security": ALERT_LEVELS,
}
_IMPACTS: dict[str, Severity] = {"critical": "critical", "serious": "high", "moderate": "medium", "minor": "low"}
_DEFAULT_LEVELS = {"a11y": "serious", "security": "critical"}
# What people call each finding of a gate.
NOUNS: dict[GateName, str] = {
    "console-errors": "console error",
    "network-errors": "network error",
    "a11y": "accessibility violation",
    "security": "security finding",
    "contract-violations": "contract violation",
    "budgets": "broken budget",
    "leaks": "leak",
}


@frozen
class Gate:
    """A gate, and for some the lowest level that it stops."""

    name: GateName
    level: str = ""

    def __str__(self) -> str:
        return f"{self.name}:{self.level}" if self.level else self.name

    def stops(self, finding: Finding) -> bool:
        """Whether a finding of this gate's kind is bad enough."""
        if self.name == "a11y":
            return SEVERITIES.index(finding.severity) <= SEVERITIES.index(_IMPACTS[self.level])
        if self.name == "security":
            return ALERT_LEVELS.index(alert_level(finding.severity)) <= _LEVELS["security"].index(self.level)
        return True


def parse_gate(text: str) -> Gate:
    """A gate as people write it: `console-errors`, `a11y:serious`. Raises ValueError that says what is possible."""
    name, colon, level = text.strip().partition(":")
    if name not in GATE_NAMES:
        close = difflib.get_close_matches(name, GATE_NAMES, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(GATE_NAMES)}"
        raise ValueError(f"{text[:60]!r} is not a gate; {hint}")
    levels = _LEVELS.get(name, ())
    if colon and level not in levels:
        possible = f"its levels are {', '.join(levels)}" if levels else "it has no levels"
        raise ValueError(f"{text[:60]!r} is not a gate; {possible}")
    return Gate(next(known for known in GATE_NAMES if known == name), level or _DEFAULT_LEVELS.get(name, ""))
