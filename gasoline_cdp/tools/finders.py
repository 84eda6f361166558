"""What comparisons can look for beside errors and requests: each check as a function that gives issues."""

from collections.abc import Iterable

from attrs import evolve

from gasoline_cdp import limits
from gasoline_cdp.analysis.findings import Check, SecurityFinding, at_least
from gasoline_cdp.analysis.normalise import endpoint_of
from gasoline_cdp.analysis.performance import path_of
from gasoline_cdp.analysis.security import audit
from gasoline_cdp.analysis.snapshots import BY_USE, Issue
from gasoline_cdp.probe.accessibility import AxeRequest
from gasoline_cdp.tools.audits import in_turn, run_axe, torn, unfinished
from gasoline_cdp.tools.moment import Category, Finder, Span
from gasoline_cdp.tools.page_security import SecurityQuestion, analyze_security
from gasoline_cdp.tools.paging import ListingArgs
from gasoline_cdp.tools.security import settle_bodies, traffic_of
from gasoline_cdp.tools.spec import Context, Needs

# The others are judged on the page itself.
_TRAFFIC_CHECKS: tuple[Check, ...] = ("credentials", "auth_patterns", "pii_exposure", "transport")


def needs_of(checks: Iterable[str], tab_id: int | None) -> Needs:
    """What these checks need: axe-core takes its time, and a page's cookies and storage are read with the pilot."""
    wanted = set(checks)
    return Needs(
        pilot="security" in wanted,
        slow=bool(wanted & {"accessibility", "security"}),
        deadline=limits.FULL_AUDIT_SECONDS + limits.AUDIT_RESERVE_SECONDS,
        tab_id=tab_id,
    )


async def find_accessibility(span: Span, context: Context) -> tuple[Issue, ...]:
    """What axe-core finds wrong in the page now, by rule."""
    tab = context.capture.tabs.pick(span.tab_id)

    async def audit() -> tuple[Issue, ...]:
        run, _ = await run_axe(context, tab, AxeRequest(), fresh=limits.ANALYZE_FRESH_SECONDS, force_refresh=True)
        if "page_navigated" in run.warnings:
            raise torn(tab)
        if run.warnings:
            raise unfinished(tab)
        return tuple(
            Issue(
                key=str(rule["id"]),
                message=str(rule["help"]),
                count=int(rule["nodeCount"]),
                type="accessibility",
                page=path_of(tab.source.url),
            )
            for rule in run.result["violations"]
        )

    return await in_turn(context, tab, limits.ACCESSIBILITY_TOOL_SECONDS, audit)


async def find_contract_violations(span: Span, context: Context) -> tuple[Issue, ...]:
    """What API answers broke of what was learned of them, whatever tab asked."""
    del span
    return tuple(
        Issue(
            key=f"{violation.endpoint} {violation.type} {violation.field}",
            message=violation.description,
            count=max(1, violation.violation_count),
            type="contract",
            shown_by=violation.endpoint,
        )
        for contract in context.telemetry.contracts.newest()
        for violation in contract.violations()
    )


async def find_security(span: Span, context: Context) -> tuple[Issue, ...]:
    """What is wrong with the headers, cookies, storage and scripts of the page now, and what the traffic gave away."""
    found = await analyze_security(SecurityQuestion(scope="full", tab_id=span.tab_id), context)
    page = (
        Issue(
            key=f"{finding.category} {finding.issue}", message=finding.message, type="security", page=path_of(found.url)
        )
        for finding in found.findings
    )
    return (*page, *await _find_in_traffic(span, context))


async def _find_in_traffic(span: Span, context: Context) -> tuple[Issue, ...]:
    """What security_audit would warn of within the span, one for each kind of secret and endpoint."""
    await settle_bodies(context)
    filters = ListingArgs(tab_id=span.tab_id, url_filter=span.url_filter or None)
    traffic = traffic_of(filters, context, since=max(span.from_ts, span.seen_since))
    issues: dict[str, Issue] = {}
    for finding in at_least(audit(traffic, _TRAFFIC_CHECKS), "warning"):
        issue = _issue(finding)
        known = issues.get(issue.key)
        issues[issue.key] = evolve(known, count=known.count + issue.count) if known is not None else issue
    return tuple(issues.values())


def _issue(finding: SecurityFinding) -> Issue:
    """By what and where, never by which value: a fingerprint is of one run, and a snapshot may be of another."""
    evidence = finding.evidence
    url = str(evidence.get("resource_url") or evidence.get("url") or evidence.get("page_url") or "")
    name = str(evidence.get("param_name") or evidence.get("header") or evidence.get("name") or "")
    method = str(evidence.get("method", ""))
    endpoint = endpoint_of(method, url).strip()
    where = f"{endpoint} {name}".rstrip()
    return Issue(
        key=f"{finding.category} {finding.title} {where}",
        message=finding.description,
        count=finding.count,
        type="security",
        page=path_of(str(evidence.get("page_url") or "")),
        shown_by=endpoint if method and evidence.get("place") != "websocket" else BY_USE,
    )


FINDERS: dict[Category, Finder] = {
    "accessibility": find_accessibility,
    "contracts": find_contract_violations,
    "security": find_security,
}
