"""`analyze(action="audit")`: accessibility, performance, or all checks of a page in one answer with scores."""

import time
from typing import Any

from attrs import define, field

from gasoline_cdp import limits
from gasoline_cdp.analysis.accessibility.judge import judge_accessibility
from gasoline_cdp.analysis.locations import on_page
from gasoline_cdp.analysis.page_quality import PRACTICE_RULES, SEO_RULES, judge_practices, judge_seo
from gasoline_cdp.analysis.performance.audit import PERFORMANCE_RULES, judge_performance, unjudged
from gasoline_cdp.analysis.performance.loads import document_of, requests_of
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.audits.axe_runs import in_turn, run_axe, steps_of, torn
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.findings import Finding, count_severities, score
from gasoline_cdp.operations.context import Context
from gasoline_cdp.probe.accessibility import AxeRequest, AxeRun
from gasoline_cdp.probe.dom import ask_page, require_page
from gasoline_cdp.records import LogRecord, NetworkRecord
from gasoline_cdp.redact import EDGE

_FACTS = {"html": limits.AUDIT_HTML_CHARS + EDGE, "samples": 5, "resources": 50}
CATEGORIES = ("accessibility", "performance", "seo", "best_practices")
# Advice on how to ask for less.
_NARROW = {
    "accessibility": "Narrow the audit with selector",
    "performance": "",
    "full": "Audit a part of it with scope='accessibility' or scope='performance'",
}
_NAVIGATED = "The page navigated while it was audited, so nothing can be said of it. Call again."
_LIMITS = {
    "accessibility": limits.ACCESSIBILITY_SECONDS,
    "performance": limits.PERFORMANCE_AUDIT_SECONDS,
    "full": limits.FULL_AUDIT_SECONDS,
}


@define
class Audited:
    """The result of an audit before it is fitted into an answer."""

    findings: list[Finding] = field(factory=list)
    summary: dict[str, Any] = field(factory=dict)
    warnings: list[str] = field(factory=list)
    done: list[str] = field(factory=list)
    notes: list[str] = field(factory=list)
    # The accessibility part came from the cache.
    remembered: bool = False
    # When the page was audited.
    audited_at: float = field(factory=time.time)

    def count(self, rules: int, failed: int, unjudged: int = 0) -> None:
        """Add to the counts of passed and checked rules."""
        self.summary["passed"] = self.summary.get("passed", 0) + rules - failed - unjudged
        self.summary["total_rules"] = self.summary.get("total_rules", 0) + rules


async def run_audit(
    context: Context, tab: Tab, scope: str, selector: str | None, *, force: bool
) -> tuple[Audited, bool]:
    """Audit a tab within the time limit of the scope, or use the cache. Also returns whether it came from the cache."""
    if selector is not None and scope != "accessibility":
        raise GasolineError(
            Code.INVALID_PARAMS,
            "selector narrows the accessibility audit only: use scope='accessibility', or leave selector out.",
            problems=["selector goes with scope='accessibility'"],
        )
    key = ("audit", tab.tab_id, tab.source.navigation, tab.raw_url, scope, selector)
    audited, url = Audited(), tab.source.url

    async def work() -> Audited | None:
        kept: Audited | None = None if force else context.audits.fresh(key, limits.ANALYZE_FRESH_SECONDS)
        if kept is None:
            await _audit(context, tab, scope, selector, audited, force=force)
        return kept

    try:
        kept = await in_turn(context, tab, _LIMITS[scope], work, narrow=_NARROW[scope])
        if kept is not None:
            return kept, True
    except GasolineError as error:
        if error.code is not Code.ANALYSIS_TIMEOUT or not audited.done:
            raise
        audited.warnings.append("timeout")
    if audited.done:
        audited.findings = [on_page(finding, url) for finding in audited.findings]
        _sum_up(audited, scope)
    else:
        # No counts: zeros would read as a clean page.
        audited.notes = [_NAVIGATED]
    if not audited.warnings:
        context.audits.keep(key, audited)
    return audited, scope == "accessibility" and audited.remembered


async def _audit(
    context: Context, tab: Tab, scope: str, selector: str | None, audited: Audited, *, force: bool
) -> None:
    """Run the parts of a scope. Quick ones come first, so that they are done if the time runs out."""
    navigation = tab.source.navigation
    total = 2 if scope == "full" else 1
    if scope != "accessibility":
        context.progress(0, total, "reading how the page loaded")
        try:
            await _loaded(context, tab, scope, audited)
        except GasolineError as error:
            if error.code is not Code.PAGE_NAVIGATED:
                raise
            audited.warnings.append("page_navigated")
            return
    if scope != "performance":
        context.progress(total - 1, total, "checking accessibility")
        run, audited.remembered = await run_axe(
            context,
            tab,
            AxeRequest(scope=steps_of(selector)),
            fresh=limits.ANALYZE_FRESH_SECONDS,
            force_refresh=force,
        )
        if tab.source.navigation != navigation:
            # The other parts audited another page.
            run = AxeRun(warnings=["page_navigated"])
        _take_over(run, audited)
    context.progress(total, total, "done")


def _take_over(run: AxeRun, audited: Audited) -> None:
    """Add the results of axe-core."""
    audited.warnings += run.warnings
    if audited.remembered:
        audited.audited_at = run.taken_at
    if run.result:
        audited.findings += judge_accessibility(run.result)
        audited.done.append("accessibility")
        counts = {name: len(run.result[name]) for name in ("violations", "passes", "incomplete")}
        audited.count(sum(counts.values()), counts["violations"], counts["incomplete"])
        if sum(rule["nodeCount"] for rule in run.result["violations"]) > limits.AUDIT_AFFECTED:
            audited.notes.append("run_accessibility_audit lists every element, by cursor.")
        if run.frames_unreached:
            missed = number_of(run.frames_unreached, "frame")
            audited.notes.append(f"{missed} could not be checked for accessibility.")
    elif audited.done:
        audited.notes.append("The page navigated before its accessibility was checked: that part is missing.")


async def _loaded(context: Context, tab: Tab, scope: str, audited: Audited) -> None:
    source = tab.source
    records: list[NetworkRecord] = list(context.telemetry.network.newest())
    vectors = {
        record.url for record in records if record.source.tab_id == tab.tab_id and record.mime.startswith("image/svg")
    }
    facts: dict[str, Any] = await ask_page(tab, "page_facts", _FACTS, sorted(vectors))
    await require_page(tab)
    if tab.source.navigation != source.navigation:
        raise torn(tab)
    requests, complete = requests_of(records, source, document=source.url)
    vitals, route = context.telemetry.performance.vitals_of(tab.tab_id, source.navigation)
    record = route or vitals
    snapshot = context.telemetry.performance.snapshot_of_page(record.page_id) if record else None
    tasks = snapshot.long_tasks if snapshot else record.long_tasks if record else None
    unused = await context.capture.coverage.unused(tab.session)
    findings = judge_performance(record, tasks, requests, facts, unused)
    audited.findings += findings
    audited.done.append("performance")
    audited.count(len(PERFORMANCE_RULES), len(findings), len(unjudged(record, tasks, unused)))
    if unused is None:
        audited.notes.append("Unused code is not known: debug(action='coverage'), then reload the page.")
    if not complete:
        audited.notes.append("The page's first requests are not in memory: reload it for a complete answer.")
    if vitals is None:
        audited.notes.append("No vitals are known yet: the page has only just opened, or was open before us.")
    elif snapshot is None:
        audited.notes.append("The page has not settled: the scripts of its long tasks are known 2 s after it loaded.")
    if facts["readyState"] != "complete":
        audited.notes.append("The page is still loading.")
    if scope == "full":
        document = next(iter(document_of(records, source, source.url)), None)
        logs: list[LogRecord] = [
            record
            for record in context.telemetry.logs.newest()
            if record.source.tab_id == tab.tab_id and record.source.navigation == source.navigation
        ]
        findings = [*judge_seo(facts, document), *judge_practices(facts, requests, logs)]
        audited.findings += findings
        audited.done += ["seo", "best_practices"]
        audited.count(len(SEO_RULES) + len(PRACTICE_RULES), len(findings))


def _sum_up(audited: Audited, scope: str) -> None:
    audited.summary = {**count_severities(audited.findings), **audited.summary}
    if scope == "full":
        audited.summary["scores"] = {
            category: score(finding for finding in audited.findings if finding.category == category)
            for category in CATEGORIES
            if category in audited.done
        }
