"""Sizes on the wire, as far as Chrome tells."""

from typing import Any

import pytest

from gasoline_cdp.capture.pending_request import PendingRequest
from gasoline_cdp.capture.wire_sizes import path_length, wire_sizes
from gasoline_cdp.measures import WireSizes
from tests.fakes import PAGE

pytestmark = pytest.mark.requirement("F11-HAR")


def sizes(**given: Any) -> WireSizes:
    response = {"protocol": "http/1.1", "encodedDataLength": 100, **given.pop("response", {})}
    defaults: dict[str, Any] = {
        "path_chars": 2,
        "encoded_bytes": 150,
        "header_text_bytes": 100,
        "request_headers": {"Host": "a"},
        "status": 200,
    }
    pending = PendingRequest(
        "r1", "1", PAGE, None, 1.0, 1.0, "GET", "http://a/b", "Fetch", response=response, **{**defaults, **given}
    )
    return wire_sizes(pending)


def test_sizes_are_those_of_the_messages() -> None:
    # GET /b HTTP/1.1, Host: a, and an empty line.
    request = len("GET /b HTTP/1.1\r\nHost: a\r\n\r\n")
    assert sizes() == WireSizes(request, 0, 100, 50)
    assert sizes(header_text_bytes=-1) == WireSizes(request, 0, 100, 50)
    assert sizes(request_headers={"Content-Length": "12"}).request_body == 12


def test_what_is_not_known_is_not_made_up() -> None:
    assert sizes(from_cache=True) == WireSizes(request_body=0)
    assert sizes(response={"protocol": "blob"}, has_post_data=True) == WireSizes()
    assert sizes(has_post_data=True, response={"protocol": "h2"}) == WireSizes(-1, -1, -1, 50)


def test_a_redirect_has_the_body_that_it_announces() -> None:
    assert sizes(status=302, encoded_bytes=101, response_headers={"content-length": "0"}).response_body == 0


@pytest.mark.parametrize(
    ("url", "length"),
    [("http://a", 1), ("http://a/", 1), ("http://a/b?c=1#d", 6), ("https://a/b", 2), ("about:blank", 1)],
)
def test_the_path_is_what_a_request_line_names(url: str, length: int) -> None:
    assert path_length(url) == length
