"""Options that name running browsers: what goes together, and that no message shows credentials."""

from pathlib import Path
from typing import Any

import pytest

from gasoline_cdp.browser.attached import Attached
from gasoline_cdp.browser.everyday import Everyday
from gasoline_cdp.frontends.invocation import UsageError
from gasoline_cdp.frontends.options import config_of, parse

pytestmark = pytest.mark.requirement("F2-REMOTE")


def browser_of(*typed: str, here: Path = Path("/srv")) -> Any:
    return config_of(parse(typed, here), here).browser


def test_a_browser_may_be_named_for_attach_and_for_an_editor() -> None:
    for command in ("attach", "mcp"):
        browser = browser_of(command, "--ws-endpoint", "wss://grid.test/s", "--header", "X-Key: hidden")
        assert isinstance(browser, Attached)
        assert (browser.ws_endpoint, browser.headers) == ("wss://grid.test/s", (("X-Key", "hidden"),))
        assert "hidden" not in repr(browser)
    assert isinstance(browser_of("attach", "--everyday"), Everyday)


def test_addresses_and_headers_may_stand_in_files(tmp_path: Path) -> None:
    (tmp_path / "address").write_text("wss://grid.test/s?token=1\n")
    (tmp_path / "headers").write_text("X-Key: 1\n\nX-Other: 2\n")
    browser = browser_of("attach", "--ws-endpoint", "@address", "--header", "@headers", here=tmp_path)
    assert browser.ws_endpoint == "wss://grid.test/s?token=1"
    assert browser.headers == (("X-Key", "1"), ("X-Other", "2"))


def test_tabs_are_named_by_address() -> None:
    browser = browser_of("attach", "--everyday", "--only", "localhost:3000/app", "http://localhost:3000/app/x")
    assert browser.only.addresses == ("http://localhost:3000/app",)


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (["launch", "--only", "localhost:3000"], "unknown: --only"),
        (["mcp", "--only", "localhost:3000"], "--only is for a browser that gasoline-cdp attaches to"),
        (["mcp", "--header", "X: hidden"], "--header is for a browser that gasoline-cdp attaches to"),
        (["mcp", "--everyday", "--viewport", "800x600"], "--viewport is for a browser that gasoline-cdp starts"),
        (["attach", "--everyday", "--header", "X: hidden"], "--header is for a browser at an address"),
        (["attach", "--profile", "/srv/p"], "--profile is the profile of --everyday"),
        (["attach", "--everyday", "--browser-url", "http://127.0.0.1:1"], "not allowed with"),
        (["attach", "--header", "hidden"], 'must look like "Name: value"'),
        (["attach", *["--header", "X: hidden"] * 51], "at most 50 headers"),
        (["attach", *["--only", "localhost:3000"] * 51], "at most 50 addresses"),
        (["attach", "--only", "localhost:3000/a", "localhost:3000/b"], "not at or below an address of --only"),
        (["attach", "--header", "@/srv/none/such"], "cannot read"),
        (["launch", "--allow-browsers", "http://grid.test/"], "must be a host, or HOST:PORT"),
    ],
)
def test_what_does_not_go_together_is_refused(typed: list[str], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        browser_of(*typed)
    assert message in str(refused.value)
    assert "hidden" not in str(refused.value)


def test_hosts_are_compared_in_small_letters() -> None:
    config = config_of(parse(["launch", "--allow-browsers", "Grid.test", "--allow-browsers", "b.test:4444"]))
    assert config.serve.allow_browsers == ("b.test:4444", "grid.test")
