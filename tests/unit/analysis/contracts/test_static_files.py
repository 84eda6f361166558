"""Files of the page, told from answers of an API."""

import pytest

from gasoline_cdp.analysis.contracts.static_files import is_static_file

pytestmark = pytest.mark.requirement("F5-CONTRACTS")

CHANGED = {"last-modified": "Tue, 17 Nov 2026 10:00:00 GMT"}


@pytest.mark.parametrize(
    ("url", "headers", "static"),
    [
        ("http://a/main.1b5afdab099ad48dd567.hot-update.json", {}, True),
        ("http://a/@vite/client", {}, True),
        ("http://a/_next/static/development/_devMiddlewareManifest.json", {}, True),
        ("http://a/assets/index.js.map", {}, True),
        ("http://a/locales/en.json", CHANGED, True),
        ("http://a/manifest.webmanifest", CHANGED, True),
        ("http://a/assets/messages-B3kd9QxZ.json", {}, True),
        ("http://a/users.json", {}, False),
        ("http://a/api/users", CHANGED, False),
        ("http://a/api/report.v2.json?page=1", {}, False),
        ("http://a/", {}, False),
    ],
)
def test_a_file_is_no_endpoint(url: str, headers: dict[str, str], static: bool) -> None:
    assert is_static_file("GET", url, headers) is static


def test_what_is_sent_to_a_server_is_no_file() -> None:
    assert not is_static_file("POST", "http://a/users.json", CHANGED)
