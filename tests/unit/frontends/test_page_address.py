"""The address that a person means."""

from pathlib import Path

import pytest

from gasoline_cdp.frontends.page_address import page_address


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("http://localhost:3000/a?b#c", "http://localhost:3000/a?b#c"),
        ("localhost:3000", "http://localhost:3000"),
        ("localhost", "http://localhost"),
        ("127.0.0.1/x", "http://127.0.0.1/x"),
        ("[::1]:8080", "http://[::1]:8080"),
        ("shop.test:8080/cart", "http://shop.test:8080/cart"),
        ("example.org/a", "https://example.org/a"),
        ("about:blank", "about:blank"),
        ("data:text/html,x", "data:text/html,x"),
    ],
)
def test_an_address_may_be_typed_as_in_a_browser(typed: str, address: str) -> None:
    assert page_address(typed) == address


def test_a_file_is_an_address(tmp_path: Path) -> None:
    page = tmp_path / "a page.html"
    page.write_text("x")
    assert page_address(str(page)) == page.as_uri()


@pytest.mark.parametrize("typed", ["", "headless", "not an address", "http:/", "-", "3000", "x" * 5000])
def test_what_is_no_address_is_refused(typed: str) -> None:
    with pytest.raises(ValueError, match="must be an address"):
        page_address(typed)
