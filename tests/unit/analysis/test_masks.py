"""Whether there was a secret, from what redaction left."""

import pytest

from gasoline_cdp.analysis.masks import shows_secret
from gasoline_cdp.redact import safe_body, safe_url

KEY = "AKIA" + "QWERTYUIOPASDFGH"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"


@pytest.mark.parametrize(
    "url",
    [
        f"https://app.test/x?k={KEY}",
        "https://app.test/x?api_key=abcdef",
        "https://me:pass123@app.test/",
        f"https://app.test/x?t={JWT}",
    ],
)
def test_a_secret_in_an_address(url: str) -> None:
    assert shows_secret(safe_url(url), by_name=True)


@pytest.mark.parametrize(
    "url", ["https://app.test/x?page=2", "https://app.test/" + "long/" * 1000, "data:text/plain," + "x" * 500]
)
def test_addresses_without_one(url: str) -> None:
    assert not shows_secret(safe_url(url), by_name=True)


def test_in_a_body_only_keys_of_a_known_make_count() -> None:
    assert shows_secret(safe_body(f'{{"note": "{KEY}"}}', 1000)[0], by_name=False)
    assert not shows_secret(safe_body('{"user": "a", "password": "hunter2hunter2"}', 1000)[0], by_name=False)
    assert not shows_secret(safe_body(f'{{"id": "{JWT}"}}', 1000)[0], by_name=False)
    assert not shows_secret("wait…and see", by_name=False)
