"""The verdict of the gates on one test or on the whole run, for test fixtures."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from attrs import evolve, field, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.gates.allowances import Allowance, AllowanceError, GateFinding, parse_allowance
from gasoline_cdp.analysis.gates.gate import Gate, parse_gate
from gasoline_cdp.analysis.gates.settings import GateSettings
from gasoline_cdp.analysis.gates.verdict import Verdict, judge
from gasoline_cdp.audits.gate_findings import collect_findings
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Needs, Operation
from gasoline_cdp.operations.project_settings import find_gates
from gasoline_cdp.operations.record_filters import FilterArgs, record_filter

_SHOWN = 50


@frozen(kw_only=True)
class VerdictArgs(FilterArgs):
    """Arguments of /verdict."""

    fail_on: list[str] | None = wire.arg("gates (default: those of the run)", default=None)
    allow: list[Any] | None = wire.arg("allowances, beside those of the project", default=None)


@frozen(kw_only=True)
class FailureEntry:
    """A finding that a gate stops."""

    gate: str
    rule: str
    severity: str
    text: str
    location: str
    count: int = 1
    status: int | None = None
    url: str | None = None
    test: str | None = None


@frozen(kw_only=True)
class VerdictAnswer:
    """The verdict. `unused` and `expired` are allowances to remove, `not_checked` is what gates could not see."""

    verdict: str
    summary: str
    failures: list[FailureEntry]
    left_out: int = 0
    allowed: int = 0
    unused: list[str] = field(factory=list)
    expired: list[str] = field(factory=list)
    not_checked: list[str] = field(factory=list)


def show_failure(gate_finding: GateFinding) -> FailureEntry:
    """A finding as an entry of an answer or a file."""
    finding = gate_finding.finding
    return FailureEntry(
        gate=gate_finding.gate,
        rule=finding.rule,
        severity=finding.severity,
        text=finding.title,
        location=finding.location.text(),
        count=finding.count,
        status=gate_finding.status,
        url=gate_finding.url or None,
        test=gate_finding.test or None,
    )


async def give_verdict(args: VerdictArgs, context: Context) -> VerdictAnswer:
    """Judge a test. Its pages are audited now, if a gate needs that, so ask while they are open."""
    gates, allowances = _parsed(args)
    settings = find_gates(context.directory, gates if gates is not None else context.fail_on)
    if gates is not None:
        # A test that names its gates means these, whatever the project says about a path.
        settings = evolve(settings, gates={"default": gates})
    # Of the allowances, only those that came with the question are the test's own.
    verdict = await judge_run(context, evolve(settings, allowances=(*settings.allowances, *allowances)), args)
    return VerdictAnswer(
        verdict="passed" if verdict.passed else "failed",
        summary=verdict.summary(),
        failures=[show_failure(gate_finding) for gate_finding in verdict.failures[:_SHOWN]],
        left_out=max(0, len(verdict.failures) - _SHOWN),
        allowed=len(verdict.allowed),
        unused=[str(one) for one in verdict.unused if one in allowances],
        expired=[f"{one}, until {one.until}" for one, _ in verdict.expired],
        not_checked=list(verdict.not_checked),
    )


async def judge_run(context: Context, settings: GateSettings, args: FilterArgs) -> Verdict:
    """Collect what the gates judge, and judge it."""
    collected = await collect_findings(context, record_filter(args), settings.all_gates())
    today = datetime.now(UTC).date()
    return judge(collected.findings, settings, today=today, not_checked=collected.not_checked)


def _parsed(args: VerdictArgs) -> tuple[tuple[Gate, ...] | None, Sequence[Allowance]]:
    problems = []
    gates, allowances = [], []
    for text in args.fail_on or ():
        try:
            gates.append(parse_gate(text))
        except ValueError as error:
            problems.append(f"fail_on: {error}")
    for index, given in enumerate(args.allow or ()):
        try:
            if not isinstance(given, dict):
                raise AllowanceError(f"allow[{index}]", "must be an object")
            allowances.append(parse_allowance(given))
        except AllowanceError as error:
            problems.append(f"allow[{index}]: {error}")
    if problems:
        raise GasolineError(Code.INVALID_PARAMS, f"The gates cannot be used: {'; '.join(problems)}.", problems=problems)
    return (tuple(gates) if args.fail_on is not None else None), allowances


def _needs(args: VerdictArgs, _: Context) -> Needs:
    audits = any(text.startswith("a11y") for text in args.fail_on or ("a11y",))
    return Needs(browser=False, deadline=limits.FULL_AUDIT_SECONDS if audits else limits.TOOL_SECONDS)


VERDICT = Operation(name="/verdict", args=VerdictArgs, answer=VerdictAnswer, run=give_verdict, needs=_needs)
