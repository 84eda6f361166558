"""Judges the security headers of a document and of the answers that other origins may read."""

import re
from collections.abc import Iterator, Mapping

from gasoline_cdp.analysis.csp import directives_of
from gasoline_cdp.analysis.issues import Issue, is_local

# The checks made of every document, for counting those that passed.
DOCUMENT_CHECKS = (
    "content_security_policy", "strict_transport_security", "content_type_options", "frame_protection",
    "referrer_policy", "permissions_policy",
)  # fmt: skip
_HALF_A_YEAR = 15_552_000
_MAX_AGE = re.compile(r"max-age\s*=\s*\"?(\d{1,12})", re.IGNORECASE)
_OPEN_SOURCES = {"*", "http:", "https:", "data:", "blob:"}


def judge_document(headers: Mapping[str, str], url: str, *, meta_policies: tuple[str, ...] = ()) -> Iterator[Issue]:
    """The headers of a page's own answer. `meta_policies` are those that its text declares."""
    policy = headers.get("content-security-policy", "")
    yield from _judge_policy(policy, headers, meta_policies)
    yield from _judge_transport(headers, url)
    if headers.get("x-content-type-options", "").strip().lower() != "nosniff":
        yield Issue(
            grade="low",
            category="headers",
            issue="missing_nosniff",
            message="X-Content-Type-Options is not nosniff",
            guidance="Send X-Content-Type-Options: nosniff, so that uploads and JSON are never run as scripts.",
            cwe="CWE-693",
        )
    if "frame-ancestors" not in policy.lower() and "x-frame-options" not in headers:
        yield Issue(
            grade="medium",
            category="headers",
            issue="missing_frame_protection",
            message="Any site may show this page in a frame",
            guidance="Send Content-Security-Policy: frame-ancestors 'self' (or X-Frame-Options: SAMEORIGIN).",
            cwe="CWE-1021",
        )
    referrer = headers.get("referrer-policy", "").lower()
    if "unsafe-url" in referrer or referrer.strip() == "no-referrer-when-downgrade":
        yield Issue(
            grade="low",
            category="headers",
            issue="weak_referrer_policy",
            message="Referrer-Policy hands whole addresses to other sites",
            guidance="Send Referrer-Policy: strict-origin-when-cross-origin.",
            cwe="CWE-200",
        )
    if "permissions-policy" not in headers:
        yield Issue(
            grade="info",
            category="headers",
            issue="missing_permissions_policy",
            message="No Permissions-Policy: frames may ask for camera, microphone and place",
            guidance="Send Permissions-Policy and turn off what the page does not use.",
        )


def _judge_transport(headers: Mapping[str, str], url: str) -> Iterator[Issue]:
    if not url.startswith("https:") or is_local(url):
        return
    header = headers.get("strict-transport-security", "")
    age = _MAX_AGE.search(header)
    if age is None:
        yield Issue(
            grade="medium",
            category="headers",
            issue="missing_hsts",
            message="Strict-Transport-Security is not set",
            guidance="Send Strict-Transport-Security: max-age=31536000; includeSubDomains.",
            cwe="CWE-319",
        )
    elif int(age[1]) < _HALF_A_YEAR:
        yield Issue(
            grade="low",
            category="headers",
            issue="short_hsts",
            message=f"Strict-Transport-Security lasts {int(age[1]) // 86400} days only",
            guidance="Raise max-age to a year: 31536000.",
            cwe="CWE-319",
        )


def _judge_policy(policy: str, headers: Mapping[str, str], meta_policies: tuple[str, ...]) -> Iterator[Issue]:
    if not policy and not meta_policies:
        only_reports = "content-security-policy-report-only" in headers
        yield Issue(
            grade="high",
            category="headers",
            issue="csp_report_only" if only_reports else "missing_csp",
            message="Content-Security-Policy only reports" if only_reports else "Content-Security-Policy is not set",
            guidance="Send Content-Security-Policy with a script-src of nonces or hashes; it stops injected scripts.",
            cwe="CWE-693",
        )
        return
    yield from _weaknesses(policy or meta_policies[0])


def _weaknesses(policy: str) -> Iterator[Issue]:
    directives = directives_of(policy)
    scripts = directives.get("script-src-elem", directives.get("script-src", directives.get("default-src")))
    whole = not policy.endswith("…")
    weak: list[tuple[str, str, str]] = []
    if scripts is None:
        if whole:
            weak.append(("csp_without_script_src", "does not limit scripts", "Add script-src with nonces or hashes."))
    else:
        strict = any(source.startswith(("'nonce-", "'sha256-", "'sha384-", "'sha512-")) for source in scripts)
        if "'unsafe-inline'" in scripts and not strict:
            weak.append(
                (
                    "csp_unsafe_inline",
                    "allows inline scripts",
                    "Replace 'unsafe-inline' in script-src by nonces or hashes.",
                )
            )
        if "'unsafe-eval'" in scripts:
            weak.append(("csp_unsafe_eval", "allows eval", "Drop 'unsafe-eval' from script-src."))
        if _OPEN_SOURCES & set(scripts) and "'strict-dynamic'" not in scripts:
            weak.append(
                ("csp_open_script_src", "allows scripts from anywhere", "Name the hosts in script-src, or use nonces.")
            )
    if whole and scripts is not None and "base-uri" not in directives:
        weak.append(("csp_without_base_uri", "does not limit <base>", "Add base-uri 'none' or 'self'."))
    if whole and "object-src" not in directives and "default-src" not in directives:
        weak.append(("csp_without_object_src", "does not limit plug-ins", "Add object-src 'none'."))
    for issue, what, guidance in weak:
        yield Issue(
            grade="low" if "without" in issue and "script" not in issue else "medium",
            category="headers",
            issue=issue,
            message=f"Content-Security-Policy {what}",
            guidance=guidance,
            cwe="CWE-693",
        )


def judge_cors(headers: Mapping[str, str]) -> Iterator[Issue]:
    """Who else may read an answer that depends on who is logged in."""
    origin = headers.get("access-control-allow-origin", "").strip().lower()
    if headers.get("access-control-allow-credentials", "").strip().lower() != "true":
        return
    if origin == "null":
        yield Issue(
            grade="high",
            category="headers",
            issue="cors_null_origin",
            message="Any sandboxed frame may read this answer with the user's cookies",
            guidance="Never answer Access-Control-Allow-Origin: null with credentials; name the origins that may.",
            cwe="CWE-942",
        )
    elif origin == "*":
        yield Issue(
            grade="medium",
            category="headers",
            issue="cors_wildcard_with_credentials",
            message="Access-Control-Allow-Origin is * together with credentials, which browsers refuse",
            guidance="Name the origin that may read the answer, and send Vary: Origin.",
            cwe="CWE-942",
        )


def judge_isolation(headers: Mapping[str, str], *, uses_shared_memory: bool) -> Iterator[Issue]:
    """A page that wants SharedArrayBuffer must be isolated from other origins."""
    if not uses_shared_memory:
        return
    opener = headers.get("cross-origin-opener-policy", "").lower()
    embedder = headers.get("cross-origin-embedder-policy", "").lower()
    if "same-origin" not in opener or not ("require-corp" in embedder or "credentialless" in embedder):
        yield Issue(
            grade="low",
            category="headers",
            issue="missing_cross_origin_isolation",
            message="The page uses SharedArrayBuffer and is not isolated from other origins",
            guidance="Send Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp.",
        )
