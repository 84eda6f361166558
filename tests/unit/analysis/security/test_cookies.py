"""Cookies by their attributes."""

import pytest

from gasoline_cdp.analysis.security.cookies import judge_cookies, parse_browser_cookie, parse_set_cookie

pytestmark = pytest.mark.requirement("F5-SECURITY")

NOW = 1_790_000_000.0


def issues(header: str, *, local: bool = False) -> set[str]:
    return {finding.rule for finding in judge_cookies(parse_set_cookie(header, NOW), local=local)}


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("session=x; Secure; HttpOnly; SameSite=Lax; Path=/", set()),
        ("session=x; HttpOnly; SameSite=Lax", {"insecure_cookie"}),
        ("auth_token=x; Secure", {"session_cookie_for_scripts"}),
        ("theme=dark", set()),
        ("sticky-session=x", set()),
        ("session_affinity=x; Path=/", set()),
        ("AWSALBAuthSession-0=x", set()),
        ("lb_session=x", set()),
        ("XSRF-TOKEN=x; Secure", set()),
        ("theme=x; SameSite=None", {"samesite_none_without_secure"}),
        ("sid=x; Secure; HttpOnly; SameSite=None", {"session_cookie_cross_site"}),
        (
            "__Host-sid=x; Secure; HttpOnly; Domain=shop.io; Path=/",
            {"broken_host_prefix", "session_cookie_for_subdomains"},
        ),
        ("__Secure-x=x", {"broken_secure_prefix"}),
        ("theme=x; Max-Age=99999999", {"cookie_lives_too_long"}),
        ("session=; Max-Age=0", set()),
        ("session=; Expires=Thu, 01 Jan 1970 00:00:00 GMT", set()),
        ("theme=x; Expires=garbage; Max-Age=1e9", set()),
    ],
)
def test_attributes(header: str, found: set[str]) -> None:
    assert issues(header) == found


def test_on_this_machine_secure_is_not_asked_for() -> None:
    assert issues("session=x; HttpOnly", local=True) == set()


def test_several_cookies_and_one_that_was_cut() -> None:
    assert [cookie.name for cookie in parse_set_cookie("a=1\nb=2; Sec", NOW, whole=False)] == ["a"]
    (finding,) = judge_cookies(parse_set_cookie("sid=1; Secure\nsession=2; Secure", NOW), local=False)
    assert finding.affected == [{"name": "sid"}, {"name": "session"}]


def test_cookies_as_the_browser_tells_them_lose_their_value() -> None:
    cookie = parse_browser_cookie({"name": "sid", "value": "secret", "domain": "shop.io", "expires": -1}, NOW)
    assert "secret" not in repr(cookie)
    assert (cookie.domain, cookie.lifetime_days) == ("", None)
