"""Storage, scripts, forms and mixed content of a page."""

import pytest

from gasoline_cdp.analysis.security.page import judge_forms, judge_mixed, judge_scripts, sensitive_keys

pytestmark = pytest.mark.requirement("F5-SECURITY")


def test_keys_named_like_a_secret() -> None:
    keys = [
        "auth_token",
        "accessToken",
        "api_key",
        "jwt",
        "user.password",
        "theme",
        "author",
        "keyboard",
        "csrfToken",
        "token_expires",
    ]
    assert sensitive_keys(keys) == ["auth_token", "accessToken", "api_key", "jwt", "user.password"]


def test_scripts_of_others_without_integrity() -> None:
    scripts = [
        {"src": "https://cdn.io/a.js", "integrity": False},
        {"src": "https://cdn.io/b.js", "integrity": True},
        {"src": "https://shop.io/c.js", "integrity": False},
    ]
    (finding,) = judge_scripts(scripts, "https://shop.io/cart")
    assert finding.affected == [{"name": "https://cdn.io/a.js"}]


def test_mixed_content() -> None:
    resources = [{"kind": "script", "url": "http://cdn.io/a.js"}, {"kind": "image", "url": "http://cdn.io/a.png"}]
    assert [finding.severity for finding in judge_mixed(resources, "https://shop.io/")] == ["high", "medium"]
    assert not list(judge_mixed(resources, "http://shop.io/"))
    assert not list(judge_mixed([{"kind": "script", "url": "http://localhost/a.js"}], "https://shop.io/"))


def test_forms_with_passwords() -> None:
    form = {
        "id": "login",
        "action": "http://shop.io/login",
        "method": "get",
        "password": True,
        "autocomplete": "missing",
    }
    assert [finding.rule for finding in judge_forms([form], "http://shop.io/")] == [
        "password_over_http", "password_form_uses_get", "password_without_autocomplete",
    ]  # fmt: skip
    local = {**form, "action": "http://localhost/login", "method": "", "autocomplete": ""}
    assert not list(judge_forms([local, {**form, "password": False}], "http://localhost/"))
