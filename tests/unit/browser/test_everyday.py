"""The everyday Chrome: where its port is written, one attempt, and only the tabs that a person named."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest
import trio

from gasoline_cdp.browser.everyday import Everyday, everyday_port_files
from gasoline_cdp.cdp.named_tabs import NamedTabs
from gasoline_cdp.config import CaptureOptions, Config
from gasoline_cdp.errors import Code, GasolineError
from tests.ports import free_port
from tests.support import PATIENCE, open_watch

pytestmark = pytest.mark.requirement("F2-EVERYDAY")

HOME = Path("/home/me")


@pytest.mark.parametrize(
    ("platform", "environ", "first"),
    [
        ("linux", {}, ".config/google-chrome"),
        ("linux", {"XDG_CONFIG_HOME": "/home/me/own"}, "own/google-chrome"),
        ("linux", {"CHROME_CONFIG_HOME": "/home/me/chrome", "XDG_CONFIG_HOME": "/home/me/own"}, "chrome/google-chrome"),
        ("darwin", {}, "Library/Application Support/Google/Chrome"),
        ("win32", {"LOCALAPPDATA": "/home/me/local"}, "local/Google/Chrome/User Data"),
    ],
)
def test_the_port_is_looked_for_where_chrome_has_its_profile(
    platform: str, environ: dict[str, str], first: str
) -> None:
    files = everyday_port_files(environ=environ, platform=platform, home=HOME)
    assert files[0] == HOME / first / "DevToolsActivePort"
    assert len(files) == len(set(files)) >= 5


def test_a_named_profile_is_the_only_one() -> None:
    files = everyday_port_files(environ={}, platform="linux", home=HOME, profile=Path("/srv/p"))
    assert files == [Path("/srv/p/DevToolsActivePort")]


async def test_without_a_browser_there_is_one_attempt_and_the_reason(tmp_path: Path) -> None:
    provider = Everyday(profile=tmp_path)
    for written, reason in (
        (None, "No Chrome of yours allows it yet."),
        (f"{free_port()}\n/devtools/browser/1", "Chrome is not running, or its debugging was switched off."),
    ):
        if written:
            (tmp_path / "DevToolsActivePort").write_text(written)
        with pytest.raises(GasolineError, match=reason) as refused:
            async with provider.open("b1", lambda _: None, strict=True):
                pytest.fail("there is no browser")
        assert refused.value.code is Code.NO_BROWSER
        assert refused.value.details["final"] is True
        assert "chrome://inspect/#remote-debugging" in refused.value.message


async def test_only_the_named_tabs_of_the_browser_are_attached_to(chromium: str, site: str, tmp_path: Path) -> None:
    address = urlsplit(chromium)
    (tmp_path / "DevToolsActivePort").write_text(f"{address.port}\n{address.path}")
    everyday = Everyday(profile=tmp_path, only=NamedTabs((f"{site}page",)))
    config = Config(browser=everyday, capture=CaptureOptions(), url=f"{site}page/console", strict=True)
    async with open_watch(config) as watch:
        await watch.log("")
        root = watch.daemon.root
        assert root is not None
        other = await root.send("Target.createTarget", {"url": f"{site}elsewhere"})
        try:
            # A tab is announced before this reply comes.
            await root.send("Target.getTargets")
            with trio.fail_after(PATIENCE):
                listed = await watch.call("observe", what="tabs")
            assert all(tab["url"].startswith(f"{site}page") for tab in listed["tabs"])
            assert listed["tabs"]
        finally:
            await root.send("Target.closeTarget", {"targetId": other["targetId"]})
            await watch.close_tabs()
