"""Judges the security headers of a document and of the answers that other origins may read."""

import re
from collections.abc import Iterator, Mapping, Sequence

from gasoline_cdp.analysis.csp import Weakness, directives_of, is_open, split_policies, weaknesses_of
from gasoline_cdp.analysis.issues import Grade, Issue, is_local

# The checks made of every document, for counting those that passed.
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
) -> Iterator[Issue]:
    """The headers of a page's own answer. `meta_policies` are those that its text declares; None if nobody looked."""
    policies = split_policies(headers.get("content-security-policy", ""))
    yield from _judge_policies(policies, headers, meta_policies)
    yield from _judge_transport(headers, url)
    if headers.get("x-content-type-options", "").partition(",")[0].strip().lower() != "nosniff":
        yield Issue(
            grade="low",
            category="headers",
            issue="missing_nosniff",
            message="X-Content-Type-Options is not nosniff",
            guidance="Send X-Content-Type-Options: nosniff, so that uploads and JSON are never run as scripts.",
            cwe="CWE-693",
        )
    yield from _judge_frames(policies, headers)
    # Of several the browser takes the last that it knows.
    referrers = [one.strip() for one in headers.get("referrer-policy", "").lower().split(",")]
    referrer = next((one for one in reversed(referrers) if one in _REFERRER_POLICIES), "")
    if referrer in ("unsafe-url", "no-referrer-when-downgrade"):
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
            message="No Permissions-Policy: any script of the page may ask for camera, microphone and location",
            guidance="Send Permissions-Policy and turn off what the page does not use.",
        )


def _judge_frames(policies: Sequence[str], headers: Mapping[str, str]) -> Iterator[Issue]:
    """Who may show the page in a frame. A policy in the page's text has no say in this."""
    ancestors = [sources for one in policies if (sources := directives_of(one).get("frame-ancestors")) is not None]
    options = {one.strip() for one in headers.get("x-frame-options", "").lower().split(",")} - {""}
    if ancestors:
        protected = not all(map(is_open, ancestors))
    else:
        # As HTML has it: one known value counts; of several that differ, one known among them forbids all frames.
        protected = bool(options & {"deny", "sameorigin"}) or (len(options) > 1 and "allowall" in options)
    if protected:
        return
    ignored = bool(options) and not ancestors
    yield Issue(
        grade="medium",
        category="headers",
        issue="invalid_x_frame_options" if ignored else "missing_frame_protection",
        message="X-Frame-Options has a value that browsers ignore: any site may show this page in a frame"
        if ignored
        else "Any site may show this page in a frame",
        guidance="Send Content-Security-Policy: frame-ancestors 'self' (or X-Frame-Options: SAMEORIGIN).",
        cwe="CWE-1021",
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


def _judge_policies(
    policies: Sequence[str], headers: Mapping[str, str], meta_policies: Sequence[str] | None
) -> Iterator[Issue]:
    # Of a page that is not open any more only the header can be told.
    name = "Content-Security-Policy" if meta_policies is not None else "The Content-Security-Policy header"
    if not policies and not meta_policies:
        only_reports = "content-security-policy-report-only" in headers
        unknown = "; whether the page has a <meta> policy is not known" if meta_policies is None else ""
        yield Issue(
            grade="low" if unknown else "high",
            category="headers",
            issue="csp_report_only" if only_reports else "missing_csp",
            message=f"{name} {'only reports' if only_reports else 'is not set'}{unknown}",
            guidance="Send Content-Security-Policy with a script-src of nonces or hashes; it stops injected scripts.",
            cwe="CWE-693",
        )
        return
    weak = weaknesses_of([*policies, *(meta_policies or ())])
    for weakness, (grade, issue, what, guidance) in _WEAKNESSES.items():
        if weakness in weak:
            yield Issue(
                grade=grade,
                category="headers",
                issue=issue,
                message=f"{name} {what}",
                guidance=guidance,
                cwe="CWE-693",
            )


_WEAKNESSES: dict[Weakness, tuple[Grade, str, str, str]] = {
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
