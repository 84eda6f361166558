"""Checks what search engines read of a page, and good practice."""

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import evolve

from gasoline_cdp.analysis.locations import source_of
from gasoline_cdp.analysis.markup import show_element
from gasoline_cdp.analysis.requests import is_browser_initiated
from gasoline_cdp.findings import Finding, Location, Severity
from gasoline_cdp.records import LogRecord, NetworkRecord
from gasoline_cdp.redact import safe_text, safe_url

_AFFECTED = 5
_TITLE_MAX = 70
_DESCRIPTION_MAX = 160
_LOCAL = ("localhost", "127.0.0.1", "[::1]")


# All rules, each by the id of its finding.
SEO_RULES = (
    "title_missing", "title_long", "description_missing", "description_long", "document_error_status",
    "indexing_forbidden", "viewport_missing", "language_missing", "canonical_ambiguous", "main_heading_missing",
    "link_text_vague", "links_uncrawlable",
)  # fmt: skip
PRACTICE_RULES = (
    "https_missing", "password_over_http", "mixed_content", "form_over_http", "errors_in_console", "requests_failed",
    "deprecated_features", "doctype_missing", "charset_not_utf8", "images_distorted", "paste_blocked", "redirect_chain",
)  # fmt: skip


def judge_seo(facts: dict[str, Any], document: NetworkRecord | None) -> list[Finding]:
    """What prevents search engines from finding or showing the page."""
    return [*_found_by_name(facts), *_found_at_all(facts, document), *_read_by_engines(facts)]


def _found_by_name(facts: dict[str, Any]) -> Iterable[Finding]:
    title, description = facts["title"].strip(), facts["description"]
    if not title:
        yield _seo_finding("title_missing", "high", "The page has no title", "Add a <title> that says what it is about")
    elif len(title) > _TITLE_MAX:
        message = f"The title has {len(title)} characters; results show about {_TITLE_MAX}"
        yield _seo_finding("title_long", "low", message, "Put what matters first, and shorten it")
    if not (description or "").strip():
        fix = 'Add <meta name="description" content="…"> with one or two sentences'
        yield _seo_finding("description_missing", "medium", "The page has no description", fix)
    elif len(description) > _DESCRIPTION_MAX:
        message = f"The description has {len(description)} characters; results show about {_DESCRIPTION_MAX}"
        yield _seo_finding("description_long", "low", message, "Shorten it")


def _found_at_all(facts: dict[str, Any], document: NetworkRecord | None) -> Iterable[Finding]:
    if document is not None and (document.status or 200) >= 400:
        message = f"The document itself answers with status {document.status}"
        yield _seo_finding("document_error_status", "critical", message, "Answer with 200 for pages that exist")
    header = document.response_headers.get("x-robots-tag", "") if document else ""
    if "noindex" in (facts["robots"] or "").lower() or "noindex" in header.lower():
        where = "its x-robots-tag header" if "noindex" in header.lower() else "its robots meta tag"
        fix = "Remove noindex if the page is to be found"
        yield _seo_finding(
            "indexing_forbidden", "info", f"Search engines are told not to list the page, by {where}", fix
        )


def _read_by_engines(facts: dict[str, Any]) -> Iterable[Finding]:
    if "width=" not in (facts["viewport"] or "").replace(" ", ""):
        fix = 'Add <meta name="viewport" content="width=device-width, initial-scale=1">'
        yield _seo_finding("viewport_missing", "high", "The page does not fit itself to small screens", fix)
    if not facts["language"].strip():
        yield _seo_finding("language_missing", "low", "The page does not say its language", "Add lang to <html>")
    if len(facts["canonicals"]) > 1:
        urls = [{"url": safe_url(url, 200)} for url in facts["canonicals"]]
        yield _seo_finding("canonical_ambiguous", "medium", "Several canonical addresses are named", "Leave one", urls)
    if not facts["headings"]:
        yield _seo_finding("main_heading_missing", "low", "The page has no <h1>", "Add one that says what it is about")
    if facts["vagueLinks"]["count"]:
        message = "Links have words that do not say where they lead"
        yield _sampled(
            "link_text_vague", "low", "seo", message, "Name the place in the link's text", facts["vagueLinks"]
        )
    if facts["uncrawlable"]["count"]:
        message = "Links that only scripts can follow lead search engines nowhere"
        yield _sampled("links_uncrawlable", "medium", "seo", message, "Give them a real href", facts["uncrawlable"])


def judge_practices(
    facts: dict[str, Any], requests: Sequence[NetworkRecord], logs: Sequence[LogRecord]
) -> list[Finding]:
    """Violations of good practice."""
    return [*_connection(facts, requests), *_problems(requests, logs), *_document(facts)]


def _connection(facts: dict[str, Any], requests: Sequence[NetworkRecord]) -> Iterable[Finding]:
    secure = facts["protocol"] == "https:"
    local = facts["host"] in _LOCAL or facts["protocol"] not in {"http:", "https:"}
    if not secure and not local:
        fix = "Serve the page over https, and redirect http to it"
        yield _practice("https_missing", "high", "The page came over an unencrypted connection", fix)
        if facts["passwordFields"]:
            message = "A password is asked for on an unencrypted page"
            yield _practice("password_over_http", "critical", message, fix, count=facts["passwordFields"])
    mixed = [record for record in requests if secure and record.url.startswith("http://")]
    if mixed:
        affected = [{"id": record.id, "url": record.url[:200]} for record in mixed]
        message = "An encrypted page loads resources over unencrypted connections"
        yield _practice("mixed_content", "high", message, "Use https addresses", affected, len(mixed))
    if secure and facts["insecureForms"]["count"]:
        message = "A form sends what is typed over an unencrypted connection"
        yield _sampled(
            "form_over_http", "high", "best_practices", message, "Use an https action", facts["insecureForms"]
        )


def _problems(requests: Sequence[NetworkRecord], logs: Sequence[LogRecord]) -> Iterable[Finding]:
    affected: list[dict[str, Any]]
    errors = [
        record for record in logs if record.level == "error" and record.kind in {"exception", "rejection", "console"}
    ]
    if errors:
        affected = [{"message": record.text[:200], "at": _location(record)} for record in errors]
        message = "Errors are in the console"
        finding = _practice("errors_in_console", "medium", message, "See observe(what='errors')", affected, len(errors))
        yield evolve(finding, location=Location(source=source_of(errors[0])))
    failed = [
        record
        for record in requests
        if not is_browser_initiated(record)
        and ((record.status or 0) >= 400 or record.outcome in {"failed", "cors_blocked"})
    ]
    if failed:
        affected = [{"id": record.id, "url": record.url[:200], "status": record.status} for record in failed]
        message = "Resources could not be loaded"
        yield _practice(
            "requests_failed", "medium", message, "Correct the address, or the server", affected, len(failed)
        )
    deprecated = [record for record in logs if record.kind == "browser" and "deprecat" in record.text.lower()]
    if deprecated:
        affected = [{"message": record.text[:200]} for record in deprecated]
        message = "The page uses what browsers are about to drop"
        yield _practice("deprecated_features", "low", message, "Use what the message names", affected, len(deprecated))


def _document(facts: dict[str, Any]) -> Iterable[Finding]:
    if not facts["doctype"] or facts["quirks"]:
        message = "The page is laid out by the rules of the last century (quirks mode)"
        yield _practice("doctype_missing", "medium", message, "Begin the document with <!doctype html>")
    if facts["charset"].lower() != "utf-8":
        message = f"The page is in {safe_text(facts['charset'], 30)}, not in UTF-8"
        yield _practice("charset_not_utf8", "low", message, 'Add <meta charset="utf-8"> as the first thing in <head>')
    if facts["distorted"]["count"]:
        message = "Images are shown in other proportions than they have"
        fix = "Correct width and height, or use object-fit"
        yield _sampled("images_distorted", "low", "best_practices", message, fix, facts["distorted"])
    if facts["pasteBlocked"]["count"]:
        message = "Fields do not let people paste"
        yield _sampled("paste_blocked", "medium", "best_practices", message, "Remove onpaste", facts["pasteBlocked"])
    if facts["redirects"] > 1:
        message = f"The document comes after {facts['redirects']} redirects"
        yield _practice("redirect_chain", "low", message, "Link to the last address", count=facts["redirects"])


def _location(record: LogRecord) -> str | None:
    frame = next(iter(record.frames), None)
    return f"{frame.url[:150]}:{frame.line}" if frame else None


def _seo_finding(
    rule: str, severity: Severity, title: str, fix: str, affected: list[dict[str, Any]] | None = None
) -> Finding:
    shown = affected or []
    return Finding(
        rule=rule, severity=severity, category="seo", title=title, fix=fix,
        affected=shown[:_AFFECTED], count=max(1, len(shown)),
    )  # fmt: skip


def _practice(
    rule: str,
    severity: Severity,
    title: str,
    fix: str,
    affected: Sequence[dict[str, Any]] = (),
    count: int = 1,
) -> Finding:
    shown = [{name: value for name, value in one.items() if value is not None} for one in affected[:_AFFECTED]]
    return Finding(
        rule=rule, severity=severity, category="best_practices", title=title, fix=fix,
        affected=shown, count=count,
    )  # fmt: skip


def _sampled(rule: str, severity: Severity, category: str, title: str, fix: str, sample: dict[str, Any]) -> Finding:
    return Finding(
        rule=rule, severity=severity, category=category, title=title, fix=fix, count=sample["count"],
        affected=[show_element(element) for element in sample["first"]],
    )  # fmt: skip
