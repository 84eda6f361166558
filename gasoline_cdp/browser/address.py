"""Finds the debugging address of a running browser."""

import base64
import json
import ssl
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

import trio

from gasoline_cdp.cdp.endpoint import Endpoint, Headers, is_loopback, shown_address, split_address
from gasoline_cdp.chrome.profile import ACTIVE_PORT, default_profile, read_active_port
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.redact import safe_text

_HTTP_SECONDS = 5
_SCHEMES = {"ws": "http", "wss": "https"}


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
    *,
    ws_endpoint: str | None,
    browser_url: str | None,
    environ: Mapping[str, str],
    home: Path,
    headers: Headers = (),
    ca_file: Path | None = None,
) -> str:
    """The WebSocket address to attach to: as given, as the browser reports, or from its profile."""
    if ws_endpoint:
        if split_address(ws_endpoint, {"ws", "wss"}) is None:
            raise GasolineError(
                Code.NO_BROWSER,
                "--ws-endpoint must look like ws://127.0.0.1:9222/devtools/browser/…, "
                f"not {shown_address(ws_endpoint)[:60]!r}. Use --browser-url for http.",
                final=True,
            )
        return ws_endpoint
    if browser_url:
        return await trio.to_thread.run_sync(_ask_browser, browser_url, headers, ca_file)
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


async def asks_its_person(endpoint: Endpoint) -> bool:
    """Whether a browser on this machine asks its person before it accepts a connection: then nothing tries by itself.

    Such a browser was enabled at chrome://inspect, and has no /json/version.
    """
    parts = urlsplit(endpoint.address)
    if not endpoint.is_local() or not parts.path.startswith("/devtools/browser"):
        return False
    return await trio.to_thread.run_sync(_has_no_version, f"{_SCHEMES[parts.scheme]}://{_bare_netloc(parts)}")


def _has_no_version(origin: str) -> bool:
    try:
        with _opener(None).open(f"{origin}/json/version", timeout=_HTTP_SECONDS):
            return False
    except urllib.error.HTTPError as error:
        return error.code == 404
    except (OSError, HTTPException, ValueError):
        return False


def _ask_browser(browser_url: str, headers: Headers, ca_file: Path | None) -> str:
    """Ask /json/version. A browser enabled at chrome://inspect answers 404 there, and accepts the plain path."""
    parts = split_address(browser_url if "://" in browser_url else f"http://{browser_url}", {"http", "https"})
    if parts is None:
        raise GasolineError(
            Code.NO_BROWSER,
            f"--browser-url must look like http://127.0.0.1:9222, not {shown_address(browser_url)[:60]!r}.",
            final=True,
        )
    scheme = "wss" if parts.scheme == "https" else "ws"
    origin = f"{parts.scheme}://{_bare_netloc(parts)}"
    request = urllib.request.Request(f"{origin}/json/version", headers=dict(headers))  # noqa: S310 - see above
    if parts.username is not None:
        basic = base64.b64encode(f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()).decode()
        request.add_header("Authorization", f"Basic {basic}")
    try:
        with _opener(ca_file).open(request, timeout=_HTTP_SECONDS) as reply:
            named = urlsplit(str(json.loads(reply.read(100_000))["webSocketDebuggerUrl"]))
            # At the address that a person named: what answers there may not send us, and credentials, elsewhere.
            return urlunsplit((scheme, parts.netloc, named.path, named.query, ""))
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return f"{scheme}://{parts.netloc}/devtools/browser"
        advice = 'Check the credentials: --header "Name: value".' if error.code in (401, 403) else ""
        raise _no_browser(browser_url, f"it answered HTTP {error.code}", advice) from error
    except urllib.error.URLError as error:
        if isinstance(error.reason, ssl.SSLCertVerificationError):
            reason = f"its certificate is not accepted ({safe_text(error.reason.verify_message, 120)})"
            raise _no_browser(browser_url, reason, "If it is of an authority of your own: --ca-file FILE.") from error
        refused = isinstance(error.reason, ConnectionRefusedError) and is_loopback(parts.hostname or "")
        raise _no_browser(browser_url, "no browser answers there", refused=refused) from error
    except (OSError, HTTPException, ValueError, KeyError, TypeError) as error:
        raise _no_browser(browser_url, "no browser answers there") from error


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Otherwise headers would be sent to whatever host the answer names."""

    def redirect_request(self, *_: object, **__: object) -> None:
        return None


def _opener(ca_file: Path | None) -> urllib.request.OpenerDirector:
    # No proxy: a person named the address, whatever the environment says.
    handlers: list[urllib.request.BaseHandler] = [urllib.request.ProxyHandler({}), _NoRedirects()]
    if ca_file is not None:
        try:
            handlers.append(urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=ca_file)))
        except (OSError, ssl.SSLError) as error:
            message = f"--ca-file {ca_file} has no certificates in PEM form."
            raise GasolineError(Code.NO_BROWSER, message, final=True) from error
    return urllib.request.build_opener(*handlers)


def _bare_netloc(parts: SplitResult) -> str:
    return parts.netloc.rpartition("@")[2]


def _no_browser(browser_url: str, reason: str, advice: str = "", *, refused: bool = False) -> GasolineError:
    shown = shown_address(browser_url if "://" in browser_url else f"http://{browser_url}")
    advice = advice or "Is Chrome running with --remote-debugging-port?"
    more = {"refused": True} if refused else {}
    return GasolineError(Code.NO_BROWSER, f"Cannot attach to {shown}: {reason}. {advice}", address=shown, **more)
