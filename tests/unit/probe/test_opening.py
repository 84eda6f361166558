"""What is told of an address that does not load."""

import pytest

from gasoline_cdp.probe.opening import same_site, unreachable

URL = "http://localhost:3000/"


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        ("net::ERR_CONNECTION_REFUSED", "(net::ERR_CONNECTION_REFUSED). Is its server running? The browser tries"),
        ("net::ERR_EMPTY_RESPONSE", "tries again by itself"),
        ("net::ERR_NAME_NOT_RESOLVED", "did not load (net::ERR_NAME_NOT_RESOLVED). Check the address."),
        ("", "did not load. Check the address."),
    ],
)
def test_the_reason_decides_what_to_do(failure: str, told: str) -> None:
    assert told in unreachable(URL, failure)


@pytest.mark.parametrize(
    ("shown", "asked", "same"),
    [
        ("http://a.test/x", "http://a.test/y", True),
        ("http://a.test/x", "http://b.test/x", False),
        ("file:///a.html", "file:///b.html", False),
        ("file:///a.html", "file:///a.html", True),
    ],
)
def test_a_site_is_its_origin_and_a_file_itself(shown: str, asked: str, same: bool) -> None:
    assert same_site(shown, asked) is same
