"""Where a browser that runs already can be reached."""

import sys
from pathlib import Path

import pytest

from gasoline_cdp.browser.address import active_port_files, find_address
from gasoline_cdp.chrome.profile import default_profile
from gasoline_cdp.errors import Code, GasolineError

HOME = Path("/me")


@pytest.mark.parametrize(
    ("platform", "environ", "second"),
    [
        ("linux", {}, "/me/.config/google-chrome"),
        ("linux", {"XDG_CONFIG_HOME": "/x"}, "/x/google-chrome"),
        ("darwin", {}, "/me/Library/Application Support/Google/Chrome"),
        ("win32", {}, "/me/AppData/Local/Google/Chrome/User Data"),
        ("win32", {"LOCALAPPDATA": "/l"}, "/l/Google/Chrome/User Data"),
    ],
)
def test_our_own_profile_is_looked_at_before_those_of_others(
    platform: str, environ: dict[str, str], second: str
) -> None:
    ours, chrome, *others = active_port_files(environ=environ, platform=platform, home=HOME)
    assert ours == default_profile(environ=environ, platform=platform, home=HOME) / "DevToolsActivePort"
    assert chrome == Path(second) / "DevToolsActivePort"
    assert others


@pytest.mark.skipif(sys.platform != "linux", reason="the directories are those of Linux")
async def test_the_first_file_with_an_address_is_believed(tmp_path: Path) -> None:
    environ = {"XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}

    async def found() -> str:
        return await find_address(ws_endpoint=None, browser_url=None, environ=environ, home=tmp_path)

    with pytest.raises(GasolineError) as raised:
        await found()
    assert raised.value.code is Code.NO_BROWSER
    # A browser that is just starting has not written its second line.
    for name, text in (("google-chrome", "9222\n"), ("chromium", "9333\n/devtools/browser/abc")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "DevToolsActivePort").write_text(text)
    assert await found() == "ws://127.0.0.1:9333/devtools/browser/abc"


@pytest.mark.parametrize("given", ["http://127.0.0.1:9222", "ws://", "ws://host:99999/", "ws://host:0/"])
async def test_what_is_no_socket_s_address_is_refused(given: str) -> None:
    with pytest.raises(GasolineError, match="--ws-endpoint must look like"):
        await find_address(ws_endpoint=given, browser_url=None, environ={}, home=HOME)
