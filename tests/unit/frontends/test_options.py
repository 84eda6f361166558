"""What can be typed, and the configuration that it makes."""

from pathlib import Path

import pytest

from gasoline_cdp.browser.attached import Attached
from gasoline_cdp.browser.launched import Launched
from gasoline_cdp.browser.provider import Provider
from gasoline_cdp.chrome.flags import Viewport
from gasoline_cdp.config import CaptureOptions, ServeOptions
from gasoline_cdp.frontends.invocation import UsageError
from gasoline_cdp.frontends.options import config_of, parse


def test_paths_are_those_of_the_directory_in_which_they_were_typed(tmp_path: Path) -> None:
    typed = ["launch", "--profile", "p", "--artifacts", "out", "--browser", "bin/chrome", "localhost:1"]
    config = config_of(parse(typed, tmp_path), tmp_path)
    assert config.browser == Launched(profile=tmp_path / "p", browser=str(tmp_path / "bin/chrome"))
    assert config.serve.artifacts == tmp_path / "out"
    assert (config.directory, config.url) == (tmp_path, "http://localhost:1")


def test_a_browser_s_name_is_no_path(tmp_path: Path) -> None:
    assert config_of(parse(["launch", "--browser", "chromium"]), tmp_path).browser == Launched(browser="chromium")


@pytest.mark.parametrize(
    ("typed", "browser"),
    [
        (["launch"], Launched()),
        (["mcp"], Launched()),
        (["attach"], Attached()),
        (["mcp", "--browser-url", "http://127.0.0.1:9222"], Attached(browser_url="http://127.0.0.1:9222")),
        (["mcp", "--ws-endpoint", "ws://127.0.0.1:9222/x"], Attached(ws_endpoint="ws://127.0.0.1:9222/x")),
    ],
)
def test_whoever_names_a_running_browser_attaches(typed: list[str], browser: Provider) -> None:
    assert config_of(parse(typed)).browser == browser


def test_what_follows_two_hyphens_is_for_the_browser() -> None:
    options = parse(["launch", "--headless", "--", "--headed", "--lang=de"])
    assert config_of(options).browser == Launched(headless=True, extra=("--headed", "--lang=de"))


@pytest.mark.parametrize("size", ["1280x800", "1280X800", "1280×800", "1280,800"])
def test_a_viewport_is_width_and_height(size: str) -> None:
    assert parse(["launch", "--viewport", size]).viewport == Viewport(1280, 800)


def test_options_that_were_not_given_have_their_defaults() -> None:
    config = config_of(parse(["launch"]))
    assert (config.capture, config.serve) == (CaptureOptions(), ServeOptions())


def test_an_address_that_filters_is_taken_as_it_is_typed() -> None:
    assert parse(["watch", "--url", "not an address"]).url == "not an address"
    with pytest.raises(UsageError, match="URL must be an address"):
        parse(["launch", "not an address"])
