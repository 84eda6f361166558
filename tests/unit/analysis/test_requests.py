"""Which requests are the browser's own."""

from typing import Any

import pytest

from gasoline_cdp.analysis.requests import is_browser_initiated, went_wrong
from tests.fakes import network_record


@pytest.mark.parametrize(
    ("url", "changes", "expected"),
    [
        ("http://app.test/favicon.ico", {}, True),
        ("http://app.test/favicon.ico?v=2", {}, True),
        # Asked for while the parser was at the next page.
        ("http://app.test/favicon.ico", {"initiator": "parser http://app.test/next:2"}, True),
        ("http://app.test/apple-touch-icon-120x120-precomposed.png", {}, True),
        ("http://app.test/.well-known/appspecific/com.chrome.devtools.json", {}, True),
        ("http://app.test/img/logo.png", {"request_headers": {"sec-fetch-dest": "image"}}, True),
        # What a page asks for is the page's, whatever its name.
        ("http://app.test/favicon.ico", {"type": "Fetch", "initiator": "script http://app.test/app.js:1"}, False),
        ("http://app.test/favicon.ico", {"type": "Document"}, False),
        ("http://app.test/img/favicon.ico.png", {}, False),
        ("http://app.test/next.js", {"initiator": "parser http://app.test/:1"}, False),
    ],
)
def test_the_browsers_own_requests_are_never_errors(url: str, changes: dict[str, Any], expected: bool) -> None:
    given = {"type": "Other", "initiator": "other", "outcome": "http_error", "status": 404, **changes}
    record = network_record(1, url, **given)
    assert (is_browser_initiated(record), went_wrong(record)) == (expected, not expected)
