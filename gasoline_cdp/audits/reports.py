"""Gathers what reports are made from: audits for SARIF, facts for the summary."""

import time
from collections import defaultdict

from attrs import evolve

from gasoline_cdp.analysis.compare.sessions import SessionDiff
from gasoline_cdp.analysis.gates.gate import Gate
from gasoline_cdp.analysis.gates.verdict import Verdict
from gasoline_cdp.analysis.performance.baselines import compare_with
from gasoline_cdp.analysis.performance.loads import path_of
from gasoline_cdp.analysis.performance.regressions import METRICS, Metrics, changes, metrics_of
from gasoline_cdp.analysis.performance.resources import compare_resources
from gasoline_cdp.artifacts.pr_summary import LoadComparison, RunFacts
from gasoline_cdp.artifacts.sarif import AuditReport
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.findings import Finding
from gasoline_cdp.operations.context import Context
from gasoline_cdp.records import PerformanceRecord
from gasoline_cdp.store.audit_findings import FinishedAudit

_NO_AUDIT = (
    "No audit has run, so there is nothing to report. Call run_accessibility_audit or security_audit first; "
    "`gasoline-cdp ci` runs both."
)


def audit_reports(context: Context) -> list[AuditReport]:
    """The audits that have run, by kind. Raises `no_audit` if none has: an empty report would look like success."""
    kinds: dict[str, list[FinishedAudit]] = defaultdict(list)
    for audit in context.audit_findings.all():
        kinds[audit.kind].append(audit)
    if not kinds:
        raise GasolineError(Code.NO_AUDIT, _NO_AUDIT)
    seen = [path_of(url) for url in context.telemetry.run.pages()]
    return [_report(kind, audits, seen) for kind, audits in sorted(kinds.items())]


def _report(kind: str, audits: list[FinishedAudit], seen: list[str]) -> AuditReport:
    findings: dict[tuple[str, str, str], Finding] = {}
    for audit in audits:
        for finding in audit.findings:
            # The same page in several tests: the newest audit of it counts, with all its elements.
            findings[finding.key, finding.location.path, finding.location.selector] = finding
    whole = any(not audit.page for audit in audits)
    audited = seen if whole else [path_of(audit.page) for audit in audits]
    partial = [path_of(audit.page) for audit in audits if audit.partial]
    return AuditReport(
        kind=kind,
        findings=list(findings.values()),
        audited=sorted(set(audited)),
        not_audited=sorted(set(seen) - set(audited)),
        notes=[f"Some frames could not be checked: {', '.join(sorted(set(partial)))}."] if partial else [],
        ended_at=max((audit.ts for audit in audits), default=time.time()),
    )


def run_facts(context: Context, verdict: Verdict, gates: list[Gate]) -> RunFacts:
    """The facts of a summary, without those of a command."""
    telemetry = context.telemetry
    return RunFacts(
        verdict=verdict,
        gates=gates,
        tests=len(context.boundaries),
        pages=len(telemetry.run.pages()),
        requests=telemetry.network.received,
        messages=telemetry.logs.received,
        loads=[_compared(context, one) for one in telemetry.performance.newest() if not one.soft_navigation],
        audits=sorted({audit.kind for audit in context.audit_findings.all()}),
    )


def compared_with(facts: RunFacts, name: str, diff: SessionDiff) -> RunFacts:
    """The facts with what changed since an earlier snapshot."""
    return evolve(facts, diff=diff, compared_with=name)


def _compared(context: Context, record: PerformanceRecord) -> LoadComparison:
    now = metrics_of(record)
    history = context.telemetry.performance.history_of(record)
    if history is None:
        return LoadComparison(path=record.path, changes=tuple(changes(now, now)))
    values = history.baseline.values
    worse, _ = compare_with(history.baseline, now)
    return LoadComparison(
        path=record.path,
        changes=tuple(changes(Metrics(**{name: values.get(name) for name in METRICS}), now)),
        worse=tuple(worse),
        resources=compare_resources(history.previous.resources, record.resources),
        samples=history.baseline.samples,
    )
