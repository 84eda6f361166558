"""A person's own running Chrome, which asks the person each time somebody wants to connect.

Chrome from version 144 on can be opened at chrome://inspect/#remote-debugging. It then writes its port into its
profile. There is no /json/version, and each connection waits for a click without a time limit. A dialog stays when the
one who asked has hung up. So there is one attempt, and nothing is tried again by itself.
"""

import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import ClassVar

import trio
from attrs import frozen

from gasoline_cdp.browser.attached import Attached, AttachedLife
from gasoline_cdp.browser.provider import CONSENT, Say
from gasoline_cdp.browser.status import Mode
from gasoline_cdp.cdp.endpoint import split_address
from gasoline_cdp.cdp.named_tabs import ALL_TABS, NamedTabs
from gasoline_cdp.chrome.profile import ACTIVE_PORT, read_active_port
from gasoline_cdp.errors import Code, GasolineError

_PORT_SECONDS = 5.0
_SWITCH_ON = (
    "In your Chrome (144 or later), open chrome://inspect/#remote-debugging and switch on "
    '"Allow remote debugging for this browser instance". Then run this again.'
)


@frozen(kw_only=True)
class Everyday:
    """The browser of a profile that a person named, or the first one of this user that can be reached."""

    mode: ClassVar[Mode] = "attached"
    owned: ClassVar[bool] = False
    may_restart: ClassVar[bool] = False
    question: ClassVar[str] = CONSENT

    profile: Path | None = None
    # Only tabs at these addresses, if there are any.
    only: NamedTabs = ALL_TABS

    @asynccontextmanager
    async def open(self, browser_id: str, say: Say, *, strict: bool) -> AsyncIterator[AttachedLife]:
        """See `Provider`. Waits for the person's answer."""
        files = everyday_port_files(environ=os.environ, platform=sys.platform, home=Path.home(), profile=self.profile)
        attached = Attached(ws_endpoint=await _reachable(files), only=self.only)
        async with attached.open(browser_id, say, strict=strict) as life:
            yield life


def everyday_port_files(
    *, environ: Mapping[str, str], platform: str, home: Path, profile: Path | None = None
) -> list[Path]:
    """Where the browsers of this user write their debugging port."""
    if profile is not None:
        return [profile / ACTIVE_PORT]
    if platform == "darwin":
        base = home / "Library" / "Application Support"
        names = ["Google/Chrome", "Google/Chrome Beta", "Google/Chrome Canary", "Chromium", "Microsoft Edge"]
        profiles = [base / name for name in names]
    elif platform == "win32":
        base = Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
        names = ["Google/Chrome", "Google/Chrome Beta", "Google/Chrome SxS", "Chromium", "Microsoft/Edge"]
        profiles = [base / name / "User Data" for name in names]
    else:
        base = Path(environ.get("CHROME_CONFIG_HOME") or environ.get("XDG_CONFIG_HOME") or home / ".config")
        names = ["google-chrome", "google-chrome-beta", "google-chrome-unstable", "chromium", "microsoft-edge"]
        profiles = [base / name for name in names]
        # Where the packages of Snap and Flatpak keep theirs.
        profiles += [
            home / "snap" / "chromium" / "common" / "chromium",
            home / ".var" / "app" / "com.google.Chrome" / "config" / "google-chrome",
            home / ".var" / "app" / "org.chromium.Chromium" / "config" / "chromium",
        ]
    return [profile / ACTIVE_PORT for profile in profiles]


async def _reachable(files: list[Path]) -> str:
    """The address of the first browser whose port is open: the file stays when a browser ends. Raises `no_browser`."""
    closed = False
    for file in files:
        address = read_active_port(file)
        parts = split_address(address or "", {"ws"})
        if address is None or parts is None or parts.port is None:
            continue
        try:
            with trio.fail_after(_PORT_SECONDS):
                stream = await trio.open_tcp_stream("127.0.0.1", parts.port)
        except (OSError, trio.TooSlowError):
            closed = True
            continue
        # Chrome asks its person about a WebSocket only: this was not one.
        await stream.aclose()
        return address
    why = "Chrome is not running, or its debugging was switched off." if closed else "No Chrome of yours allows it yet."
    raise GasolineError(Code.NO_BROWSER, f"{why} {_SWITCH_ON}", tried=[str(file) for file in files], final=True)
