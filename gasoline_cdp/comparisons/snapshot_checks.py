"""Checks that comparisons can include besides errors and requests. Each is a function that returns issues."""

from collections.abc import Iterable

from attrs import evolve

from gasoline_cdp import limits
from gasoline_cdp.analysis.accessibility.judge import rule_finding
from gasoline_cdp.analysis.compare.snapshots import BY_USE, SessionIssue, issue_of
from gasoline_cdp.analysis.locations import on_page
from gasoline_cdp.analysis.security.audit import audit
from gasoline_cdp.analysis.security.checks import Check
from gasoline_cdp.answers.paging import ListingArgs
from gasoline_cdp.audits.axe_runs import in_turn, run_axe, torn, unfinished
from gasoline_cdp.audits.page_security import judge_page
from gasoline_cdp.audits.traffic import traffic_of
from gasoline_cdp.comparisons.session_snapshot import Category, SnapshotCheck, TimeSpan
from gasoline_cdp.findings import by_alert_level
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Needs
from gasoline_cdp.operations.record_filters import settle_bodies
from gasoline_cdp.probe.accessibility import AxeRequest

# The other checks read the page itself.
_TRAFFIC_CHECKS: tuple[Check, ...] = ("credentials", "auth_patterns", "pii_exposure", "transport")


def needs_of(checks: Iterable[str], tab_id: int | None) -> Needs:
    """What these checks need: axe-core is slow, and reading cookies and storage needs the pilot."""
    wanted = set(checks)
    if not wanted & {"accessibility", "security"}:
        return Needs()
    return Needs(
        pilot="security" in wanted,
        slow=True,
        deadline=limits.FULL_AUDIT_SECONDS + limits.AUDIT_RESERVE_SECONDS,
        tab="occupied",
        tab_id=tab_id,
    )


async def find_accessibility(span: TimeSpan, context: Context) -> tuple[SessionIssue, ...]:
    """Violations that axe-core finds in the current page, by rule."""
    tab = context.tabs.pick(span.tab_id)

    async def audit() -> tuple[SessionIssue, ...]:
        run, _ = await run_axe(context, tab, AxeRequest(), fresh=limits.ANALYZE_FRESH_SECONDS, force_refresh=True)
        if "page_navigated" in run.warnings:
            raise torn(tab)
        if run.warnings:
            raise unfinished(tab)
        findings = (on_page(rule_finding(rule), tab.source.url) for rule in run.result["violations"])
        return tuple(issue_of(finding, "accessibility") for finding in findings)

    return await in_turn(context, tab, limits.ACCESSIBILITY_TOOL_SECONDS, audit)


async def find_contract_violations(span: TimeSpan, context: Context) -> tuple[SessionIssue, ...]:
    """API responses that differ from their learned shape, in any tab."""
    del span
    return tuple(
        issue_of(violation, "contract", shown_by=violation.location.endpoint)
        for contract in context.telemetry.contracts.newest()
        for violation in contract.violations()
    )


async def find_security(span: TimeSpan, context: Context) -> tuple[SessionIssue, ...]:
    """Problems of the page's headers, cookies, storage and scripts, and secrets exposed in the traffic."""
    judged = await judge_page(context.tabs.pick(span.tab_id), "full", context)
    # The number of affected cookies, keys or scripts does not say how often it occurred.
    page = (evolve(issue_of(finding, "security"), count=1) for finding in judged.findings)
    return (*page, *await _find_in_traffic(span, context))


async def _find_in_traffic(span: TimeSpan, context: Context) -> tuple[SessionIssue, ...]:
    """Warnings of security_audit within the span, one per kind of secret and endpoint."""
    await settle_bodies(context)
    filters = ListingArgs(tab_id=span.tab_id, url_filter=span.url_filter or None)
    traffic = traffic_of(filters, context, since=max(span.from_ts, span.seen_since))
    issues: dict[str, SessionIssue] = {}
    for finding in by_alert_level(audit(traffic, _TRAFFIC_CHECKS), "warning"):
        # Without a request, a script logged it or a socket carried it. It shows when its page is used.
        shown_by = finding.location.endpoint if finding.location.method else BY_USE
        issue = issue_of(finding, "security", shown_by=shown_by)
        known = issues.get(issue.key)
        issues[issue.key] = evolve(known, count=known.count + issue.count) if known is not None else issue
    return tuple(issues.values())


SNAPSHOT_CHECKS: dict[Category, SnapshotCheck] = {
    "accessibility": find_accessibility,
    "contracts": find_contract_violations,
    "security": find_security,
}
