"""What comparisons can look for beside errors and requests: each check as a function that gives issues."""

from gasoline_cdp import limits
from gasoline_cdp.analysis.performance import path_of
from gasoline_cdp.analysis.snapshots import Issue
from gasoline_cdp.probe.accessibility import AxeRequest
from gasoline_cdp.tools.audits import in_turn, run_axe
from gasoline_cdp.tools.moment import Category, Finder
from gasoline_cdp.tools.page_security import SecurityQuestion, analyze_security
from gasoline_cdp.tools.spec import Context


async def find_accessibility(tab_id: int | None, context: Context) -> tuple[Issue, ...]:
    """What axe-core finds wrong in the page now, by rule."""
    tab = context.capture.tabs.pick(tab_id)

    async def audit() -> tuple[Issue, ...]:
        run, _ = await run_axe(context, tab, AxeRequest(), fresh=limits.ANALYZE_FRESH_SECONDS, force_refresh=True)
        return tuple(
            Issue(
                key=str(rule["id"]),
                message=str(rule["help"]),
                count=int(rule["nodeCount"]),
                type="accessibility",
                page=path_of(tab.source.url),
            )
            for rule in (run.result or {}).get("violations", ())
        )

    return await in_turn(context, tab, limits.ACCESSIBILITY_TOOL_SECONDS, audit)


async def find_contract_violations(tab_id: int | None, context: Context) -> tuple[Issue, ...]:
    """What API answers broke of what was learned of them, whatever tab asked."""
    del tab_id
    return tuple(
        Issue(
            key=f"{violation.endpoint} {violation.type} {violation.field}",
            message=violation.description,
            count=max(1, violation.violation_count),
            type="contract",
        )
        for contract in context.telemetry.contracts.newest()
        for violation in contract.violations()
    )


async def find_security(tab_id: int | None, context: Context) -> tuple[Issue, ...]:
    """What is wrong with the headers, cookies, storage and scripts of the page now."""
    found = await analyze_security(SecurityQuestion(scope="full", tab_id=tab_id), context)
    return tuple(
        Issue(
            key=f"{finding.category} {finding.issue}", message=finding.message, type="security", page=path_of(found.url)
        )
        for finding in found.findings
    )


FINDERS: dict[Category, Finder] = {
    "accessibility": find_accessibility,
    "contracts": find_contract_violations,
    "security": find_security,
}
