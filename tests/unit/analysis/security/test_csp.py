"""Whether a page may connect somewhere; what is not certain is not allowed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gasoline_cdp.analysis.security.csp import may_connect

pytestmark = pytest.mark.requirement("F2-SOURCEMAPS")

PAGE = "https://app.test/cart"


@pytest.mark.parametrize(
    ("policy", "url", "allowed"),
    [
        ("", "https://app.test/a.map", True),
        ("script-src 'self'; img-src *", "https://app.test/a.map", True),
        ("connect-src 'self'", "https://app.test/a.map", True),
        ("connect-src 'self'", "https://app.test:443/a.map", True),
        ("connect-src 'self'", "http://app.test/a.map", False),
        ("connect-src 'self'", "https://app.test:8443/a.map", False),
        ("connect-src 'self'", "https://cdn.test/a.map", False),
        ("connect-src 'none'", "https://app.test/a.map", False),
        ("connect-src", "https://app.test/a.map", False),
        ("default-src 'none'", "https://app.test/a.map", False),
        ("default-src 'none'; connect-src 'self'", "https://app.test/a.map", True),
        ("connect-src 'self'; connect-src *", "https://cdn.test/a.map", False),
        ("CONNECT-SRC 'SELF'", "https://app.test/a.map", True),
        ("connect-src *", "https://cdn.test/a.map", True),
        ("connect-src *", "ftp://cdn.test/a.map", False),
        ("connect-src https:", "https://cdn.test/a.map", True),
        ("connect-src https:", "http://cdn.test/a.map", False),
        ("connect-src https://cdn.test", "https://cdn.test/a.map", True),
        ("connect-src https://cdn.test/", "https://cdn.test/a.map", True),
        ("connect-src cdn.test", "https://cdn.test/a.map", True),
        ("connect-src cdn.test:8443", "https://cdn.test:8443/a.map", True),
        ("connect-src cdn.test:8443", "https://cdn.test/a.map", False),
        ("connect-src *.test", "https://cdn.test/a.map", True),
        ("connect-src *.cdn.test", "https://cdn.test/a.map", False),
        ("connect-src https://evil.test", "https://app.test.evil.test/", False),
        # Allowed by the letter, but more than we care to get right.
        ("connect-src https://cdn.test/maps/", "https://cdn.test/maps/a.map", False),
        ("connect-src https://cdn.test:*", "https://cdn.test:8443/a.map", False),
        ("connect-src 'nonce-abc' 'unsafe-inline'", "https://app.test/a.map", False),
        ("connect-src http://[", "https://app.test/a.map", False),
        ("connect-src cdn.test:port", "https://cdn.test/a.map", False),
    ],
)
def test_a_policy_says_where_a_page_may_connect_to(policy: str, url: str, allowed: bool) -> None:
    assert may_connect([policy], PAGE, url) is allowed


def test_every_policy_must_allow_it() -> None:
    assert may_connect([], PAGE, "https://cdn.test/a.map")
    assert may_connect(["connect-src *", "default-src https:"], PAGE, "https://cdn.test/a.map")
    assert not may_connect(["connect-src *", "default-src 'self'"], PAGE, "https://cdn.test/a.map")


def test_the_port_of_an_address_may_be_none() -> None:
    assert not may_connect(["connect-src 'self'"], "http://app.test:x/", "http://app.test:99999999/")


@given(st.lists(st.text(max_size=40), max_size=3), st.text(max_size=30), st.text(max_size=30))
def test_any_texts_are_judged(policies: list[str], page: str, url: str) -> None:
    assert may_connect([f"connect-src {policy}" for policy in policies], page, url) in (True, False)
