"""Judges a page itself: its storage keys, third-party scripts, forms, and mixed content."""

import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from gasoline_cdp.analysis.security.checks import protection_finding
from gasoline_cdp.analysis.security.local_hosts import is_local
from gasoline_cdp.findings import Finding

_SENSITIVE_KEY = re.compile(
    r"(?:^|[^a-z])(?:auth|token|jwt|secret|password|passwd|credential|api_?key|access_?key|private_?key|bearer|session_?id|sid)"
    r"(?:$|[^a-z])|(?:access|refresh|id|auth|session|bearer|api|user)_?token|auth_?(?:data|state|user)|[a-z](?:Token|Secret|Password|ApiKey)(?:$|[^a-z])",
)
_NOT_SENSITIVE = re.compile(r"csrf|xsrf|expir|_at$|count|type$|author|theme|lang", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_ACTIVE = {"script", "iframe", "style"}


def sensitive_keys(keys: Sequence[str]) -> list[str]:
    """The keys whose names suggest a secret."""
    chosen = []
    for key in keys:
        plain = _CAMEL.sub("_", key).lower()
        if _SENSITIVE_KEY.search(plain) and not _NOT_SENSITIVE.search(plain):
            chosen.append(key)
    return chosen


def judge_storage(local: Sequence[str], session: Sequence[str]) -> Iterator[Finding]:
    """Judges storage by key names only."""
    for name, keys in (("localStorage", sensitive_keys(local)), ("sessionStorage", sensitive_keys(session))):
        if keys:
            yield protection_finding(
                # localStorage outlives the session, and every script of the origin can read it.
                severity="medium" if name == "localStorage" else "low",
                category="storage",
                rule="sensitive_in_storage",
                title=f"{len(keys)} key{'s' if len(keys) > 1 else ''} in {name} named like a secret",
                fix="Any script of the page can read it. Keep sessions in HttpOnly cookies instead.",
                names=keys[:20],
                holder=name,
                cwe="CWE-922",
            )


def judge_scripts(scripts: Sequence[dict[str, Any]], page_url: str) -> Iterator[Finding]:
    """Scripts of other origins that could be replaced unnoticed."""
    own = _origin(page_url)
    foreign = sorted(
        {
            str(script["src"])
            for script in scripts
            if not script.get("integrity") and str(script["src"]).startswith("http") and _origin(script["src"]) != own
        }
    )
    if foreign:
        yield protection_finding(
            severity="low",
            category="page",
            rule="script_without_integrity",
            title=f"{len(foreign)} script{'s' if len(foreign) > 1 else ''} of other origins without integrity",
            fix="Add integrity (a hash) and crossorigin to scripts with a fixed version, or serve them yourself.",
            names=foreign[:20],
            cwe="CWE-353",
        )


def judge_mixed(resources: Sequence[dict[str, Any]], page_url: str) -> Iterator[Finding]:
    """What an https page loads over http."""
    if not page_url.startswith("https:"):
        return
    plain = [one for one in resources if str(one["url"]).startswith("http:") and not is_local(str(one["url"]))]
    for active in (True, False):
        urls = sorted({str(one["url"]) for one in plain if (one["kind"] in _ACTIVE) == active})
        if urls:
            yield protection_finding(
                severity="high" if active else "medium",
                category="transport",
                rule="mixed_active_content" if active else "mixed_content",
                title=f"An https page names {len(urls)} {'scripts or frames' if active else 'resources'} over http",
                fix="Use https for all of them; browsers block or upgrade what they can.",
                names=urls[:20],
                cwe="CWE-319",
            )


def judge_forms(forms: Sequence[dict[str, Any]], page_url: str) -> Iterator[Finding]:
    """Forms that expose a password."""
    for form in forms:
        if not form.get("password"):
            continue
        action = str(form.get("action") or page_url)
        where = (str(form.get("id") or action)[:200],)
        if action.startswith("http:") and not is_local(action):
            yield protection_finding(
                severity="critical",
                category="page",
                rule="password_over_http",
                title="A form sends a password over http",
                fix="Serve the page and the form's action over https.",
                names=where,
                cwe="CWE-319",
            )
        if str(form.get("method", "")).lower() == "get":
            yield protection_finding(
                severity="high",
                category="page",
                rule="password_form_uses_get",
                title="A form with a password uses GET: the password ends up in the address",
                fix='Set method="post" on the form.',
                names=where,
                cwe="CWE-598",
            )
        if form.get("autocomplete") == "missing":
            yield protection_finding(
                severity="info",
                category="page",
                rule="password_without_autocomplete",
                title="A password field does not say which password it wants",
                fix='Add autocomplete="current-password" or "new-password", for password managers.',
                names=where,
            )


def _origin(url: object) -> str:
    try:
        parts = urlsplit(str(url))
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}"
