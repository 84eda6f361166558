"""`analyze(action="security")`: how well the page in a tab is protected."""

import time
from collections import Counter
from typing import Any

from attrs import field, frozen

from gasoline_cdp.analysis.cookies import is_safe, judge_cookies
from gasoline_cdp.analysis.headers import DOCUMENT_CHECKS, judge_cors, judge_document, judge_isolation
from gasoline_cdp.analysis.issues import GRADES, Issue, is_local
from gasoline_cdp.analysis.page_security import judge_forms, judge_mixed, judge_scripts, judge_storage
from gasoline_cdp.analysis.security import newest_documents, uses_shared_memory
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.probe.dom import ask_page, require_page
from gasoline_cdp.probe.kept import read_cookies, read_storage_keys
from gasoline_cdp.redact import safe_text, safe_url
from gasoline_cdp.tools.security import LOCAL_NOTE
from gasoline_cdp.tools.spec import Context

# Of the checks of a document, which issue belongs to which.
_CHECK_OF = {
    "missing_hsts": "strict_transport_security",
    "short_hsts": "strict_transport_security",
    "missing_nosniff": "content_type_options",
    "missing_frame_protection": "frame_protection",
    "weak_referrer_policy": "referrer_policy",
    "missing_permissions_policy": "permissions_policy",
}


@frozen(kw_only=True)
class SecurityQuestion:
    """What to look at, and in which tab."""

    scope: str
    tab_id: int | None = None


@frozen(kw_only=True)
class PageFinding:
    """One thing that is wrong with the page, and how to mend it."""

    severity: str
    category: str
    issue: str
    message: str
    affected: list[str] = field(factory=list)
    guidance: str


@frozen(kw_only=True)
class PageSecurity:
    """How a page is protected. `summary` counts what was checked, by category."""

    status: str = "success"
    action: str
    scope: str
    url: str
    duration_ms: int
    findings: list[PageFinding]
    summary: dict[str, Any]
    warnings: list[str] = field(factory=list)


async def analyze_security(args: SecurityQuestion, context: Context) -> PageSecurity:
    """Judge the page that a tab shows. Of its storage only the names of keys are read, of cookies no values."""
    begun = time.monotonic()
    scope = args.scope
    tab = context.capture.tabs.pick(args.tab_id)
    issues: list[Issue] = []
    summary: dict[str, Any] = {}
    warnings: list[str] = []
    facts = await ask_page(tab, "security_facts") if scope in ("headers", "full") else {}
    await require_page(tab)
    if scope in ("headers", "full"):
        issues += _headers(tab, context, facts, summary, warnings)
    if scope in ("cookies", "full"):
        cookies = await read_cookies(tab)
        local = is_local(tab.raw_url)
        issues += judge_cookies(cookies, local=local)
        safe = sum(is_safe(cookie, local=local) for cookie in cookies)
        summary["cookies"] = {"secure": safe, "insecure": len(cookies) - safe}
    if scope in ("storage", "full"):
        keys = await read_storage_keys(tab)
        found = list(judge_storage(keys.local, keys.session))
        issues += found
        summary["storage"] = {
            "keys": len(keys.local) + len(keys.session),
            "flagged_keys": sum(len(issue.affected) for issue in found),
        }
    if scope == "full":
        found = [
            *judge_scripts(facts["scripts"], tab.raw_url),
            *judge_mixed(facts["resources"], tab.raw_url),
            *judge_forms(facts["forms"], tab.raw_url),
        ]
        issues += found
        summary["page"] = {"scripts": len(facts["scripts"]), "forms": len(facts["forms"]), "flagged": len(found)}
    if is_local(tab.raw_url):
        warnings.append(LOCAL_NOTE)
    issues.sort(key=lambda issue: GRADES.index(issue.grade))
    return PageSecurity(
        action="security",
        scope=scope,
        url=tab.source.url,
        duration_ms=round((time.monotonic() - begun) * 1000),
        findings=[_show(issue) for issue in issues],
        summary=summary | {"by_severity": dict(Counter(issue.grade for issue in issues))},
        warnings=warnings,
    )


def _headers(
    tab: Tab, context: Context, facts: dict[str, Any], summary: dict[str, Any], warnings: list[str]
) -> list[Issue]:
    records = [record for record in context.telemetry.network.newest() if record.source.tab_id == tab.tab_id]
    address = tab.source.url.partition("#")[0]
    document = next((record for record in newest_documents(records) if record.url.partition("#")[0] == address), None)
    if document is None:
        warnings.append("The page was loaded before it was watched, or not over http: reload it to judge its headers.")
        return []
    logs = [record for record in context.telemetry.logs.newest() if record.source.tab_id == tab.tab_id]
    found = [
        *judge_document(document.response_headers, document.url, meta_policies=tuple(facts["policies"])),
        *judge_isolation(document.response_headers, uses_shared_memory=uses_shared_memory(logs)),
    ]
    failed = {_CHECK_OF.get(issue.issue, "content_security_policy") for issue in found} & set(DOCUMENT_CHECKS)
    summary["headers"] = {"passed": len(DOCUMENT_CHECKS) - len(failed), "failed": len(failed)}
    cors = {issue.issue: issue for record in records for issue in judge_cors(record.response_headers)}
    return [*found, *cors.values()]


def _show(issue: Issue) -> PageFinding:
    return PageFinding(
        severity=issue.grade,
        category=issue.category,
        issue=issue.issue,
        message=safe_text(issue.message, 500),
        affected=[safe_url(name, 200) for name in issue.affected],
        guidance=issue.guidance,
    )
