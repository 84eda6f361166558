"""Judges the security headers of documents, and of responses that other origins may read."""

import re
from collections.abc import Iterator, Mapping, Sequence

from gasoline_cdp.analysis.security.checks import protection_finding
from gasoline_cdp.analysis.security.csp import Weakness, directives_of, is_open, split_policies, weaknesses_of
from gasoline_cdp.analysis.security.local_hosts import is_local
from gasoline_cdp.findings import Finding, Severity

# The checks of every document, to count those that passed.
DOCUMENT_CHECKS = (
    "content_security_policy", "strict_transport_security", "content_type_options", "frame_protection",
    "referrer_policy", "permissions_policy",
)  # fmt: skip
_HALF_A_YEAR = 15_552_000
_MAX_AGE = re.compile(r"max-age\s*=\s*\"?(\d{1,12})", re.IGNORECASE)
_REFERRER_POLICIES = {
    "no-referrer", "no-referrer-when-downgrade", "same-origin", "origin", "strict-origin", "origin-when-cross-origin",
    "strict-origin-when-cross-origin", "unsafe-url",
}  # fmt: skip


def judge_document(
    headers: Mapping[str, str], url: str, *, meta_policies: Sequence[str] | None = ()
) -> Iterator[Finding]:
    """The headers of a page's document. `meta_policies` come from its <meta> elements; None if they were not read."""
    policies = split_policies(headers.get("content-security-policy", ""))
    yield from _judge_policies(policies, headers, meta_policies)
    yield from _judge_transport(headers, url)
    if headers.get("x-content-type-options", "").partition(",")[0].strip().lower() != "nosniff":
        yield protection_finding(
            severity="low",
            category="headers",
            rule="missing_nosniff",
            title="X-Content-Type-Options is not nosniff",
            fix="Send X-Content-Type-Options: nosniff, so that uploads and JSON are never run as scripts.",
            cwe="CWE-693",
        )
    yield from _judge_frames(policies, headers)
    # If there are several, browsers use the last one that they know.
    referrers = [one.strip() for one in headers.get("referrer-policy", "").lower().split(",")]
    referrer = next((one for one in reversed(referrers) if one in _REFERRER_POLICIES), "")
    if referrer in ("unsafe-url", "no-referrer-when-downgrade"):
        yield protection_finding(
            severity="low",
            category="headers",
            rule="weak_referrer_policy",
            title="Referrer-Policy hands whole addresses to other sites",
            fix="Send Referrer-Policy: strict-origin-when-cross-origin.",
            cwe="CWE-200",
        )
    if "permissions-policy" not in headers:
        yield protection_finding(
            severity="info",
            category="headers",
            rule="missing_permissions_policy",
            title="No Permissions-Policy: any script of the page may ask for camera, microphone and location",
            fix="Send Permissions-Policy and turn off what the page does not use.",
        )


def _judge_frames(policies: Sequence[str], headers: Mapping[str, str]) -> Iterator[Finding]:
    """Which sites may show the page in a frame. Browsers ignore frame-ancestors in <meta> policies."""
    ancestors = [sources for one in policies if (sources := directives_of(one).get("frame-ancestors")) is not None]
    options = {one.strip() for one in headers.get("x-frame-options", "").lower().split(",")} - {""}
    if ancestors:
        protected = not all(map(is_open, ancestors))
    else:
        # As the HTML standard says: one known value applies; several different ones with a known one forbid all frames.
        protected = bool(options & {"deny", "sameorigin"}) or (len(options) > 1 and "allowall" in options)
    if protected:
        return
    ignored = bool(options) and not ancestors
    yield protection_finding(
        severity="medium",
        category="headers",
        rule="invalid_x_frame_options" if ignored else "missing_frame_protection",
        title="X-Frame-Options has a value that browsers ignore: any site may show this page in a frame"
        if ignored
        else "Any site may show this page in a frame",
        fix="Send Content-Security-Policy: frame-ancestors 'self' (or X-Frame-Options: SAMEORIGIN).",
        cwe="CWE-1021",
    )


def _judge_transport(headers: Mapping[str, str], url: str) -> Iterator[Finding]:
    if not url.startswith("https:") or is_local(url):
        return
    header = headers.get("strict-transport-security", "")
    age = _MAX_AGE.search(header)
    if age is None:
        yield protection_finding(
            severity="medium",
            category="headers",
            rule="missing_hsts",
            title="Strict-Transport-Security is not set",
            fix="Send Strict-Transport-Security: max-age=31536000; includeSubDomains.",
            cwe="CWE-319",
        )
    elif int(age[1]) < _HALF_A_YEAR:
        yield protection_finding(
            severity="low",
            category="headers",
            rule="short_hsts",
            title=f"Strict-Transport-Security lasts {int(age[1]) // 86400} days only",
            fix="Raise max-age to a year: 31536000.",
            cwe="CWE-319",
        )


def _judge_policies(
    policies: Sequence[str], headers: Mapping[str, str], meta_policies: Sequence[str] | None
) -> Iterator[Finding]:
    # For a page that is no longer open only the header is known.
    name = "Content-Security-Policy" if meta_policies is not None else "The Content-Security-Policy header"
    if not policies and not meta_policies:
        only_reports = "content-security-policy-report-only" in headers
        unknown = "; whether the page has a <meta> policy is not known" if meta_policies is None else ""
        yield protection_finding(
            severity="low" if unknown else "high",
            category="headers",
            rule="csp_report_only" if only_reports else "missing_csp",
            title=f"{name} {'only reports' if only_reports else 'is not set'}{unknown}",
            fix="Send Content-Security-Policy with a script-src of nonces or hashes; it stops injected scripts.",
            cwe="CWE-693",
        )
        return
    weak = weaknesses_of([*policies, *(meta_policies or ())])
    for weakness, (severity, rule, what, fix) in _WEAKNESSES.items():
        if weakness in weak:
            yield protection_finding(
                severity=severity,
                category="headers",
                rule=rule,
                title=f"{name} {what}",
                fix=fix,
                cwe="CWE-693",
            )


_WEAKNESSES: dict[Weakness, tuple[Severity, str, str, str]] = {
    "scripts": (
        "medium", "csp_without_script_src", "does not limit scripts", "Add script-src with nonces or hashes.",
    ),
    "inline": (
        "medium", "csp_unsafe_inline", "allows inline scripts",
        "Replace 'unsafe-inline' in script-src by nonces or hashes.",
    ),
    "eval": ("medium", "csp_unsafe_eval", "allows eval", "Drop 'unsafe-eval' from script-src."),
    "hosts": (
        "medium", "csp_open_script_src", "allows scripts from any host", "Name the hosts in script-src, or use nonces.",
    ),
    "data": ("medium", "csp_data_scripts", "allows scripts from data: addresses", "Drop data: from script-src."),
    "base": ("low", "csp_open_base_uri", "lets <base> point to any site", "Set base-uri 'none' or 'self'."),
    "base_missing": ("low", "csp_without_base_uri", "does not limit <base>", "Add base-uri 'none' or 'self'."),
    "object": ("low", "csp_open_object_src", "allows <object> and <embed> from any host", "Set object-src 'none'."),
    "object_missing": (
        "low", "csp_without_object_src", "does not limit <object> and <embed>", "Add object-src 'none'.",
    ),
}  # fmt: skip


def judge_cors(headers: Mapping[str, str]) -> Iterator[Finding]:
    """Which other origins may read a response that depends on the logged-in user."""
    origin = headers.get("access-control-allow-origin", "").strip().lower()
    if headers.get("access-control-allow-credentials", "").strip().lower() != "true":
        return
    if origin == "null":
        yield protection_finding(
            severity="high",
            category="headers",
            rule="cors_null_origin",
            title="Any sandboxed frame may read this answer with the user's cookies",
            fix="Never answer Access-Control-Allow-Origin: null with credentials; name the origins that may.",
            cwe="CWE-942",
        )
    elif origin == "*":
        yield protection_finding(
            severity="medium",
            category="headers",
            rule="cors_wildcard_with_credentials",
            title="Access-Control-Allow-Origin is * together with credentials, which browsers refuse",
            fix="Name the origin that may read the answer, and send Vary: Origin.",
            cwe="CWE-942",
        )


def judge_isolation(headers: Mapping[str, str], *, uses_shared_memory: bool) -> Iterator[Finding]:
    """A page that uses SharedArrayBuffer must be isolated from other origins."""
    if not uses_shared_memory:
        return
    opener = headers.get("cross-origin-opener-policy", "").lower()
    embedder = headers.get("cross-origin-embedder-policy", "").lower()
    if "same-origin" not in opener or not ("require-corp" in embedder or "credentialless" in embedder):
        yield protection_finding(
            severity="low",
            category="headers",
            rule="missing_cross_origin_isolation",
            title="The page uses SharedArrayBuffer and is not isolated from other origins",
            fix="Send Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp.",
        )
