"""Security headers of documents, and who may read an answer."""

import pytest

from gasoline_cdp.analysis.security.headers import judge_cors, judge_document, judge_isolation

pytestmark = pytest.mark.requirement("F5-SECURITY")

GOOD = {
    "content-security-policy": "default-src 'none'; script-src 'nonce-a'; base-uri 'none'; frame-ancestors 'self'",
    "strict-transport-security": "max-age=31536000; includeSubDomains",
    "x-content-type-options": "nosniff",
    "referrer-policy": "strict-origin-when-cross-origin",
    "permissions-policy": "camera=()",
}  # fmt: skip


REST = "base-uri 'none'; object-src 'none'; frame-ancestors 'self'"


def issues(url: str = "https://shop.io/", meta: tuple[str, ...] = (), **changes: str | None) -> set[str]:
    headers = {**GOOD, **{name.replace("_", "-"): value for name, value in changes.items()}}
    kept = {name: value for name, value in headers.items() if value is not None}
    return {finding.rule for finding in judge_document(kept, url, meta_policies=meta)}


def test_a_well_kept_page_has_no_issue() -> None:
    assert issues() == set()


@pytest.mark.parametrize(
    ("policy", "found"),
    [
        ("script-src 'unsafe-inline'; " + REST, {"csp_unsafe_inline"}),
        ("script-src 'self' 'unsafe-eval'; " + REST, {"csp_unsafe_eval"}),
        ("script-src https:; " + REST, {"csp_open_script_src"}),
        ("script-src https://*; " + REST, {"csp_open_script_src"}),
        ("script-src *:443; " + REST, {"csp_open_script_src"}),
        ("script-src 'self' data:; " + REST, {"csp_data_scripts"}),
        ("script-src 'self' blob:; " + REST, set()),
        ("script-src 'self'; object-src *; base-uri 'none'; frame-ancestors 'self'", {"csp_open_object_src"}),
        ("script-src 'self'; object-src 'none'; base-uri *; frame-ancestors 'self'", {"csp_open_base_uri"}),
        ("default-src *; base-uri 'none'; frame-ancestors 'self'", {"csp_open_script_src", "csp_open_object_src"}),
        ("script-src 'self' 'unsafe-inline' 'non…", {"missing_frame_protection"}),
        ("script-src 'unsafe-inline' 'nonce-a'; " + REST, set()),
        ("default-src 'self'; frame-ancestors 'self'", {"csp_without_base_uri"}),
        ("img-src *; object-src 'none'; frame-ancestors 'self'", {"csp_without_script_src"}),
    ],
)  # fmt: skip
def test_weaknesses_of_a_policy(policy: str, found: set[str]) -> None:
    assert issues(content_security_policy=policy) == found


def test_what_is_missing() -> None:
    assert issues(content_security_policy=None) == {"missing_csp", "missing_frame_protection"}
    assert issues(content_security_policy=None, content_security_policy_report_only="x", x_frame_options="DENY") == {
        "csp_report_only"
    }
    assert issues(strict_transport_security=None) == {"missing_hsts"}
    assert issues(strict_transport_security="max-age=60") == {"short_hsts"}
    assert issues(x_content_type_options=None) == {"missing_nosniff"}
    assert issues(referrer_policy="unsafe-url") == {"weak_referrer_policy"}
    assert issues(permissions_policy=None) == {"missing_permissions_policy"}


def test_a_policy_in_the_page_counts() -> None:
    assert "missing_csp" not in issues(content_security_policy=None, meta=("script-src 'self'",))


def test_header_and_page_policies_apply_together() -> None:
    loose = f"script-src 'self' 'unsafe-inline'; {REST}"
    assert issues(content_security_policy=loose) == {"csp_unsafe_inline"}
    assert issues(content_security_policy=loose, meta=("script-src 'self'",)) == set()
    assert issues(content_security_policy=f"{loose}, script-src 'nonce-a'") == set()
    assert issues(content_security_policy=f"script-src 'nonce-a'; {REST}", meta=("img-src *",)) == set()


def test_of_a_page_that_is_not_open_only_the_header_is_told() -> None:
    (missing,) = (one for one in judge_document({}, "https://shop.io/", meta_policies=None) if "csp" in one.rule)
    assert missing.severity == "low"
    assert "not known" in missing.title
    policy = {"content-security-policy": "script-src *"}
    weak = [one.title for one in judge_document(policy, "https://shop.io/", meta_policies=None) if "csp" in one.rule]
    assert all(message.startswith("The Content-Security-Policy header ") for message in weak)


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ("DENY", set()),
        ("SameOrigin", set()),
        ("SAMEORIGIN, SAMEORIGIN", set()),
        ("whimsy", {"invalid_x_frame_options"}),
        ("ALLOW-FROM https://shop.io", {"invalid_x_frame_options"}),
        ("ALLOWALL", {"invalid_x_frame_options"}),
        (None, {"missing_frame_protection"}),
    ],
)
def test_frame_options(options: str | None, found: set[str]) -> None:
    policy = "script-src 'nonce-a'; base-uri 'none'; object-src 'none'"
    assert issues(content_security_policy=policy, x_frame_options=options) == found


def test_frame_ancestors() -> None:
    policy = "script-src 'nonce-a'; base-uri 'none'; object-src 'none'; frame-ancestors "
    assert issues(content_security_policy=policy + "'none'", x_frame_options="whimsy") == set()
    assert issues(content_security_policy=policy + "*", x_frame_options="DENY") == {"missing_frame_protection"}
    # A page's own text has no say in who frames it.
    assert issues(content_security_policy=None, meta=(policy + "'none'",)) == {"missing_frame_protection"}


def test_lists_in_headers() -> None:
    assert issues(x_content_type_options="nosniff, nosniff") == set()
    assert issues(referrer_policy="unsafe-url, no-referrer") == set()
    assert issues(referrer_policy="no-referrer, unsafe-url, made-up") == {"weak_referrer_policy"}


def test_on_this_machine_nothing_is_said_of_encryption() -> None:
    assert issues("https://localhost:3000/", strict_transport_security=None) == set()
    assert issues("http://shop.io/", strict_transport_security=None) == set()


def test_answers_with_credentials_for_everybody() -> None:
    allowed = {"access-control-allow-credentials": "true"}
    assert [finding.rule for finding in judge_cors({**allowed, "access-control-allow-origin": "*"})] == [
        "cors_wildcard_with_credentials"
    ]
    assert [finding.rule for finding in judge_cors({**allowed, "access-control-allow-origin": "null"})] == [
        "cors_null_origin"
    ]
    assert not list(judge_cors({**allowed, "access-control-allow-origin": "https://shop.io"}))
    assert not list(judge_cors({"access-control-allow-origin": "*"}))


def test_shared_memory_needs_isolation() -> None:
    assert not list(judge_isolation({}, uses_shared_memory=False))
    assert len(list(judge_isolation({}, uses_shared_memory=True))) == 1
    isolated = {"cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp"}
    assert not list(judge_isolation(isolated, uses_shared_memory=True))
