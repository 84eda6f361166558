"""Collects what gates judge: failures, broken budgets, contract violations, and the findings of audits."""

import time
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from attrs import field, frozen

from gasoline_cdp.analysis.gates.allowances import GateFinding
from gasoline_cdp.analysis.gates.failures import budget_findings, log_finding, request_finding
from gasoline_cdp.analysis.gates.gate import Gate
from gasoline_cdp.audits.run_audits import Selects, audit_pages, audit_traffic, audit_traffic_of
from gasoline_cdp.findings import Finding
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.project_settings import find_budgets
from gasoline_cdp.operations.record_filters import flush
from gasoline_cdp.records import LogRecord, Source
from gasoline_cdp.store.boundaries import RecordFilter

_LEAKS = (
    "leaks: no page was checked. Only a test knows which action should leave nothing behind: let it repeat that with "
    "expectNoLeaks(page, action) of the Playwright fixture, or expect_no_leaks(page, action) of the pytest plugin."
)
_CONTRACTS = "contract-violations: judged for the whole run, not for one test."


@frozen(kw_only=True)
class Collected:
    """Findings of a test or of a run, and what could not be checked."""

    findings: list[GateFinding] = field(factory=list)
    not_checked: list[str] = field(factory=list)


class _At(NamedTuple):
    """Something that has a source and a time, as records have."""

    source: Source
    ts: float


async def collect_findings(context: Context, wanted: RecordFilter, gates: Iterable[Gate]) -> Collected:
    """What the gates judge. Audits run now, where a gate needs one: on open pages, and on the captured traffic."""
    names = {gate.name for gate in gates}
    selects = context.boundaries.selects(wanted)
    of_test = wanted.by_test
    await flush(wanted, context)
    await context.capture.wait_known()
    context.telemetry.keep_failures()
    collected = Collected()
    findings = collected.findings
    if "a11y" in names:
        now = time.time()
        tabs = [tab for tab in context.tabs.open() if not of_test or selects(_At(tab.source, now))]
        problems = await audit_pages(context, tabs)
        collected.not_checked.extend(f"a11y: {problem}" for problem in problems)
    if "security" in names:
        if of_test:
            findings += _named("security", await audit_traffic_of(context, selects), wanted.test_id or "")
        else:
            await audit_traffic(context)
    findings += _failures(context, selects)
    findings += _broken_budgets(context, selects)
    findings += _audited(context, selects, of_test=of_test)
    if not of_test:
        violations = (one for contract in context.telemetry.contracts.newest() for one in contract.violations())
        findings += _named("contract-violations", violations)
    elif "contract-violations" in names:
        collected.not_checked.append(_CONTRACTS)
    checks = [check for check in context.leak_checks if selects(check)]
    for check in checks:
        test = context.boundaries.test_of(check.source, check.ts)
        findings += _named("leaks", check.findings, test)
    if "leaks" in names and not checks:
        collected.not_checked.append(_LEAKS)
    if lost := context.telemetry.run.lost:
        collected.not_checked.append(f"{lost} older failures or loads were too many to keep.")
    return collected


def _failures(context: Context, selects: Selects) -> Iterator[GateFinding]:
    for seen in context.telemetry.run.failures():
        record = seen.record
        if selects(record):
            test = context.boundaries.test_of(record.source, record.ts)
            if isinstance(record, LogRecord):
                yield log_finding(record, seen.count, test)
            else:
                yield request_finding(record, seen.count, test)


def _broken_budgets(context: Context, selects: Selects) -> Iterator[GateFinding]:
    budgets = find_budgets(context.directory)
    for load in context.telemetry.run.loads() if budgets else ():
        if budgets and selects(load):
            yield from budget_findings(budgets, load, context.boundaries.test_of(load.source, load.ts))


def _audited(context: Context, selects: Selects, *, of_test: bool) -> Iterator[GateFinding]:
    for audit in context.audit_findings.all():
        gate = "a11y" if audit.kind == "accessibility" else "security"
        if audit.source is None:
            # Of the traffic of all tests.
            yield from _named(gate, () if of_test else audit.findings)
        elif selects(_At(audit.source, audit.ts)):
            yield from _named(gate, audit.findings, context.boundaries.test_of(audit.source, audit.ts))


def _named(gate: Any, findings: Iterable[Finding], test: str = "") -> list[GateFinding]:
    return [GateFinding(gate=gate, finding=finding, test=test) for finding in findings]
