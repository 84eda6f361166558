"""Options that say which running browser to attach to, and which ones programs may add."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gasoline_cdp.frontends.invocation import UsageError

_OPTION_FILE_BYTES = 64 * 1024
_HEADERS = 50
_BROWSERS_NAMED = 50


def attach_options(parser: argparse.ArgumentParser) -> None:
    """Options of a command that attaches to a browser."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--browser-url", metavar="URL", help="debugging address of the browser, such as http://127.0.0.1:9222"
    )
    where.add_argument(
        "--ws-endpoint", metavar="URL", help="WebSocket address of the browser, ws://… or wss://…; @FILE reads it"
    )
    where.add_argument(
        "--everyday",
        action="store_true",
        help="your own Chrome, once you allow it at chrome://inspect/#remote-debugging",
    )
    parser.add_argument(
        "--header",
        dest="headers",
        metavar="HEADER",
        action="append",
        default=[],
        help='"Name: value" to send when connecting; may be repeated; @FILE reads lines of them',
    )
    parser.add_argument("--ca-file", metavar="FILE", type=Path, help="also trust the certificates in FILE (PEM)")
    parser.add_argument(
        "--only",
        metavar="URL",
        action="append",
        default=[],
        help="attach only to tabs at or below URL; other tabs are not even listed; may be repeated",
    )


def allow_options(parser: argparse.ArgumentParser) -> None:
    """Which hosts programs may name."""
    parser.add_argument(
        "--allow-browsers",
        metavar="HOST",
        action="append",
        default=[],
        help="let programs attach browsers at HOST, or HOST:PORT, by POST /browsers; may be repeated",
    )


def attaches(given: Mapping[str, Any]) -> bool:
    """Whether these options mean a running browser."""
    named = given.get("browser_url") or given.get("ws_endpoint") or given.get("everyday")
    return bool(given.get("command") == "attach" or named)


def check_attach(given: Mapping[str, Any]) -> str:
    """What is wrong with a combination of options; empty if nothing is."""
    if "everyday" not in given:
        return ""
    if not attaches(given):
        extra = [name for name, value in (("--header", given.get("headers")), ("--only", given.get("only"))) if value]
        return f"{extra[0]} is for a browser that gasoline-cdp attaches to: name it, too" if extra else ""
    if given.get("viewport"):
        return "--viewport is for a browser that gasoline-cdp starts, not for one that it attaches to"
    if given.get("everyday") and given.get("headers"):
        return "--header is for a browser at an address, not for --everyday"
    if given.get("command") == "attach" and given.get("profile") and not given.get("everyday"):
        return "--profile is the profile of --everyday: add that"
    return ""


def resolve_attach(given: Mapping[str, Any], here: Path) -> dict[str, Any]:
    """The values of these options as the configuration has them. Raises UsageError, which shows no credentials."""
    resolved: dict[str, Any] = {}
    if given.get("ca_file"):
        resolved["ca_file"] = here / given["ca_file"]
    if str(given.get("ws_endpoint") or "").startswith("@"):
        resolved["ws_endpoint"] = _read("--ws-endpoint", given["ws_endpoint"], here).strip()
    if "headers" in given:
        resolved["headers"] = tuple(_headers(given["headers"], here))
    if "only" in given:
        resolved["only"] = _named_tabs(given["only"], given.get("url"))
    if "allow_browsers" in given:
        resolved["allow_browsers"] = tuple(sorted({_host(host) for host in given["allow_browsers"]}))
    return resolved


def _read(option: str, typed: str, here: Path) -> str:
    path = here / Path(typed[1:]).expanduser()
    try:
        with path.open("rb") as file:
            return file.read(_OPTION_FILE_BYTES).decode()
    except (OSError, ValueError) as error:
        raise UsageError(f"{option}: cannot read {path}: {getattr(error, 'strerror', None) or 'not UTF-8'}.") from None


def _headers(typed: list[str], here: Path) -> list[tuple[str, str]]:
    from gasoline_cdp.cdp.endpoint import parse_header  # noqa: PLC0415 - most commands need no browser

    lines: list[str] = []
    for one in typed:
        lines += _read("--header", one, here).splitlines() if one.startswith("@") else [one]
    try:
        headers = [parse_header(line) for line in lines if line.strip()]
    except ValueError as error:
        raise UsageError(f"--header {error}.") from None
    if len(headers) > _HEADERS:
        raise UsageError(f"--header: at most {_HEADERS} headers.")
    return headers


def _named_tabs(typed: list[str], url: str | None) -> Any:
    from gasoline_cdp.cdp.named_tabs import NamedTabs  # noqa: PLC0415 - as above
    from gasoline_cdp.frontends.page_address import page_address  # noqa: PLC0415 - as above

    if len(typed) > _BROWSERS_NAMED:
        raise UsageError(f"--only: at most {_BROWSERS_NAMED} addresses.")
    try:
        named = NamedTabs(tuple(str(page_address(one)) for one in typed))
    except ValueError as error:
        raise UsageError(f"--only {error}.") from None
    if named and url and not named.include(url):
        raise UsageError("The page to open is not at or below an address of --only: name it there, too.")
    return named


def _host(typed: str) -> str:
    host = typed.strip().lower()
    if not host or len(host) > 300 or any(character in host for character in "/@?#* \t"):
        raise UsageError("--allow-browsers must be a host, or HOST:PORT, without scheme and path.")
    return host
