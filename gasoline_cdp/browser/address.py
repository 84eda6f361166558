"""Finds the debugging address of a running browser."""

import json
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import trio

from gasoline_cdp.chrome.profile import ACTIVE_PORT, default_profile, read_active_port
from gasoline_cdp.errors import Code, GasolineError

_HTTP_SECONDS = 5


def active_port_files(*, environ: Mapping[str, str], platform: str, home: Path) -> list[Path]:
    """Where browsers write their debugging port, ours first."""
    if platform == "darwin":
        base = home / "Library" / "Application Support"
        profiles = [base / "Google" / "Chrome", base / "Chromium", base / "Microsoft Edge"]
    elif platform == "win32":
        base = Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
        names = [("Google", "Chrome"), ("Chromium",), ("Microsoft", "Edge")]
        profiles = [base.joinpath(*name, "User Data") for name in names]
    else:
        base = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
        profiles = [base / name for name in ("google-chrome", "google-chrome-beta", "chromium", "microsoft-edge")]
    ours = default_profile(environ=environ, platform=platform, home=home)
    return [profile / ACTIVE_PORT for profile in (ours, *profiles)]


async def find_address(
    *, ws_endpoint: str | None, browser_url: str | None, environ: Mapping[str, str], home: Path
) -> str:
    """The WebSocket address to attach to: as given, as the browser reports, or from its profile."""
    if ws_endpoint:
        if _host_of(ws_endpoint, {"ws", "wss"}) is None:
            raise GasolineError(
                Code.NO_BROWSER,
                "--ws-endpoint must look like ws://127.0.0.1:9222/devtools/browser/…, "
                f"not {ws_endpoint[:60]!r}. Use --browser-url for http.",
            )
        return ws_endpoint
    if browser_url:
        return await trio.to_thread.run_sync(_ask_browser, browser_url)
    tried = active_port_files(environ=environ, platform=sys.platform, home=home)
    for file in tried:
        if address := read_active_port(file):
            return address
    raise GasolineError(
        Code.NO_BROWSER,
        "No running browser with a debugging port was found. Start Chrome with --remote-debugging-port=9222 and a "
        "--user-data-dir of its own, then use --browser-url http://127.0.0.1:9222.",
        tried=[str(file) for file in tried],
    )


def _ask_browser(browser_url: str) -> str:
    """Ask /json/version. A browser enabled at chrome://inspect answers 404 there, and accepts the plain path."""
    parts = _host_of(browser_url if "://" in browser_url else f"http://{browser_url}", {"http", "https"})
    if parts is None:
        raise GasolineError(
            Code.NO_BROWSER, f"--browser-url must look like http://127.0.0.1:9222, not {browser_url[:60]!r}."
        )
    # No proxy: the address is on the user's own machine, whatever the environment says.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{parts.scheme}://{parts.netloc}/json/version", timeout=_HTTP_SECONDS) as reply:
            return str(json.loads(reply.read(100_000))["webSocketDebuggerUrl"])
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return f"ws://{parts.netloc}/devtools/browser"
        raise _no_browser(browser_url, f"it answered HTTP {error.code}") from error
    except (OSError, HTTPException, ValueError, KeyError, TypeError) as error:
        raise _no_browser(browser_url, "no browser answers there") from error


def _host_of(address: str, schemes: set[str]) -> SplitResult | None:
    """The parts of an address with a host and, if any, a valid port."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return None
    return parts if parts.scheme in schemes and parts.hostname and port != 0 else None


def _no_browser(browser_url: str, reason: str) -> GasolineError:
    return GasolineError(
        Code.NO_BROWSER,
        f"Cannot attach to {browser_url[:100]}: {reason}. Is Chrome running with --remote-debugging-port?",
        address=browser_url,
    )
