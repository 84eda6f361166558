"""`analyze(action="security")`: how well the page in a tab is protected."""

import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

from attrs import define, evolve, field, frozen

from gasoline_cdp.analysis.locations import on_page
from gasoline_cdp.analysis.security.audit import uses_shared_memory
from gasoline_cdp.analysis.security.cookies import is_safe, judge_cookies
from gasoline_cdp.analysis.security.headers import DOCUMENT_CHECKS, judge_cors, judge_document, judge_isolation
from gasoline_cdp.analysis.security.local_hosts import is_local
from gasoline_cdp.analysis.security.page import judge_forms, judge_mixed, judge_scripts, judge_storage
from gasoline_cdp.answers.finding_entries import PageFindingEntry, page_entry, page_finding_bytes
from gasoline_cdp.answers.lines import Line, note, rest_of
from gasoline_cdp.answers.paging import fitting, json_bytes
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.audits.axe_runs import torn
from gasoline_cdp.audits.traffic import LOCAL_NOTE
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.findings import SEVERITIES, Finding
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.pilot_gate import pilot_is_off
from gasoline_cdp.probe.dom import ask_page, require_page
from gasoline_cdp.probe.site_data import read_cookies, read_storage_keys
from gasoline_cdp.records import NetworkRecord
from gasoline_cdp.redact import safe_text, safe_url

# Rule → check of a document. All other rules belong to the content security policy.
_CHECK_OF = {
    "missing_hsts": "strict_transport_security",
    "short_hsts": "strict_transport_security",
    "missing_nosniff": "content_type_options",
    "missing_frame_protection": "frame_protection",
    "invalid_x_frame_options": "frame_protection",
    "weak_referrer_policy": "referrer_policy",
    "missing_permissions_policy": "permissions_policy",
}


@define
class JudgedPage:
    """Findings about the page in a tab, worst first, and counts of what was checked."""

    findings: list[Finding] = field(factory=list)
    summary: dict[str, Any] = field(factory=dict)
    warnings: list[str] = field(factory=list)


@frozen(kw_only=True)
class PageSecurity:
    """The security of a page. `summary` counts what was checked, by category. Never from a cache."""

    status: str
    action: str
    scope: str
    tab_id: int
    url: str
    duration_ms: int
    cached: bool
    findings: list[PageFindingEntry]
    summary: dict[str, Any]
    warnings: list[str] = field(factory=list)
    left_out: int = 0

    def render(self) -> Iterator[Line]:
        """Counts of findings and checks, the findings, and what was not checked."""
        counts = self.summary["by_severity"]
        severities = ", ".join(f"{count} {name}" for name, count in counts.items())
        head = f"{number_of(sum(counts.values()), 'finding')}: {severities}." if counts else "No findings."
        yield Line(f"{head} tab {self.tab_id}, {word(self.url)}", tone="heading")
        if checked := "; ".join(filter(None, map(self._checked, self.summary))):
            yield Line(f"Checked: {checked}.", tone="dim")
        for finding in self.findings:
            yield from finding.lines()
        yield from (note(warning) for warning in self.warnings)
        yield from rest_of(self.left_out, None)

    def _checked(self, category: str) -> str:
        """`headers passed 2, failed 4`; empty if there was nothing to check."""
        if category == "by_severity":
            return ""
        counts = ", ".join(
            f"{name.replace('_', ' ')} {count}" for name, count in self.summary[category].items() if count
        )
        return f"{category} {counts}" if counts else ""


async def analyze_security(tab_id: int | None, scope: str, max_bytes: int, context: Context) -> PageSecurity:
    """Check the page in a tab, and show as many findings as fit into `max_bytes`."""
    begun = time.monotonic()
    tab = context.tabs.pick(tab_id)
    judged = await judge_page(tab, scope, context)
    entries = [page_entry(finding) for finding in judged.findings]
    shown = fitting(entries, max_bytes, page_finding_bytes if context.form == "lines" else json_bytes)
    return PageSecurity(
        status="success",
        action="security",
        scope=scope,
        tab_id=tab.tab_id,
        url=tab.source.url,
        duration_ms=round((time.monotonic() - begun) * 1000),
        cached=False,
        findings=shown,
        summary=judged.summary | {"by_severity": dict(Counter(finding.severity for finding in judged.findings))},
        warnings=judged.warnings,
        left_out=len(entries) - len(shown),
    )


async def judge_page(tab: Tab, scope: str, context: Context) -> JudgedPage:
    """Check the page in a tab. Reads only the names of storage keys, and no cookie values.

    Callers have already asked for the pilot. Check it again here, so that no path reads anything without it.
    """
    if not context.pilot.on:
        raise pilot_is_off("A look at a page's cookies and storage", context)
    navigation = tab.source.navigation
    judged = JudgedPage()
    findings: list[Finding] = []
    facts = await ask_page(tab, "security_facts") if scope in ("headers", "full") else {}
    await require_page(tab)
    if scope in ("headers", "full"):
        findings += _headers(tab, context, facts, judged)
    if scope in ("cookies", "full"):
        cookies = await read_cookies(tab)
        local = is_local(tab.raw_url)
        findings += judge_cookies(cookies, local=local)
        safe = sum(is_safe(cookie, local=local) for cookie in cookies)
        judged.summary["cookies"] = {"secure": safe, "insecure": len(cookies) - safe}
    if scope in ("storage", "full"):
        keys = await read_storage_keys(tab)
        flagged = list(judge_storage(keys.local, keys.session))
        findings += flagged
        judged.summary["storage"] = {
            "keys": len(keys.local) + len(keys.session),
            "flagged_keys": sum(finding.count for finding in flagged),
        }
    if scope == "full":
        flagged = [
            *judge_scripts(facts["scripts"], tab.raw_url),
            *judge_mixed(facts["resources"], tab.raw_url),
            *judge_forms(facts["forms"], tab.raw_url),
        ]
        findings += flagged
        scripts, forms = len(facts["scripts"]), len(facts["forms"])
        judged.summary["page"] = {"scripts": scripts, "forms": forms, "flagged": len(flagged)}
    if tab.source.navigation != navigation:
        raise torn(tab)
    if is_local(tab.raw_url):
        judged.warnings.append(LOCAL_NOTE)
    findings.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    judged.findings = [on_page(_safe(finding), tab.source.url) for finding in findings]
    context.audit_findings.add_page(tab.source, (scope,), tuple(judged.findings), kind="security")
    return judged


def _headers(tab: Tab, context: Context, facts: dict[str, Any], judged: JudgedPage) -> list[Finding]:
    records = [record for record in context.telemetry.network.newest() if record.source.tab_id == tab.tab_id]
    # Match by loader, not by URL: routers rewrite the URL.
    document = next(
        (record for record in records if tab.loader_id and record.loader_id == tab.loader_id and _is_answer(record)),
        None,
    )
    if document is None:
        judged.warnings.append(
            "The page was loaded before it was watched, or not over http: reload it to judge its headers."
        )
        return []
    if document.mocked:
        judged.warnings.append(
            "A mock answered the page itself, so its headers say nothing: end it and reload the page."
        )
        return []
    logs = [record for record in context.telemetry.logs.newest() if record.source.tab_id == tab.tab_id]
    findings = [
        *judge_document(document.response_headers, document.url, meta_policies=tuple(facts["policies"])),
        *judge_isolation(document.response_headers, uses_shared_memory=uses_shared_memory(logs)),
    ]
    failed = {_CHECK_OF.get(one.rule, "content_security_policy") for one in findings} & set(DOCUMENT_CHECKS)
    judged.summary["headers"] = {"passed": len(DOCUMENT_CHECKS) - len(failed), "failed": len(failed)}
    cors = {one.rule: one for record in records for one in judge_cors(record.response_headers)}
    return [*findings, *cors.values()]


def _is_answer(record: NetworkRecord) -> bool:
    return record.outcome in ("ok", "http_error") and record.url.startswith("http")


def _safe(finding: Finding) -> Finding:
    """Redact names of cookies, keys and scripts, which come from the page."""
    affected = [{"name": safe_url(one["name"], 200)} for one in finding.affected]
    return evolve(finding, title=safe_text(finding.title, 500), affected=affected)
