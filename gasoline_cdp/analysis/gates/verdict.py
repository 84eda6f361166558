"""The verdict of gates on findings: what fails, what is allowed, and which allowances are of no use."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date

from attrs import frozen

from gasoline_cdp.analysis.gates.allowances import Allowance, GateFinding
from gasoline_cdp.analysis.gates.gate import GATE_NAMES, NOUNS
from gasoline_cdp.analysis.gates.settings import GateSettings


@frozen(kw_only=True)
class Verdict:
    """Failures in the order of the gates, the worst first."""

    failures: tuple[GateFinding, ...] = ()
    # Stopped by no gate: information only.
    others: tuple[GateFinding, ...] = ()
    allowed: tuple[GateFinding, ...] = ()
    # Allowances that nothing needed.
    unused: tuple[Allowance, ...] = ()
    # Allowances whose date is over, and how many failures each would still allow.
    expired: tuple[tuple[Allowance, int], ...] = ()
    # What a gate could not judge, and why.
    not_checked: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether no gate stops the build."""
        return not self.failures

    def summary(self) -> str:
        """`2 console errors, 1 network error`."""
        counts = Counter(gate_finding.gate for gate_finding in self.failures)
        parts = (
            f"{counts[name]} {NOUNS[name]}{'s' if counts[name] != 1 else ''}" for name in GATE_NAMES if counts[name]
        )
        return ", ".join(parts)


def judge(
    findings: Iterable[GateFinding], settings: GateSettings, *, today: date, not_checked: Sequence[str] = ()
) -> Verdict:
    """Sort findings into those that a gate of their path stops, those that are allowed, and others."""
    failures, others, allowed = [], [], []
    used: set[Allowance] = set()
    late: Counter[Allowance] = Counter()
    for gate_finding in findings:
        fitting = [one for one in settings.allowances if one.allows(gate_finding)]
        valid = [one for one in fitting if not one.expired(today)]
        used.update(valid)
        gates = settings.for_path(gate_finding.finding.location.path)
        if valid:
            allowed.append(gate_finding)
        elif any(gate.name == gate_finding.gate and gate.stops(gate_finding.finding) for gate in gates):
            failures.append(gate_finding)
            late.update(fitting)
        else:
            others.append(gate_finding)
    return Verdict(
        failures=tuple(sorted(failures, key=_rank)),
        others=tuple(sorted(others, key=_rank)),
        allowed=tuple(allowed),
        unused=tuple(one for one in settings.allowances if one not in used and not one.expired(today)),
        expired=tuple((one, late[one]) for one in settings.allowances if one.expired(today)),
        not_checked=tuple(not_checked),
    )


def _rank(gate_finding: GateFinding) -> tuple[int, int]:
    return GATE_NAMES.index(gate_finding.gate), -gate_finding.finding.count
