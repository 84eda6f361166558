"""Parts of a HAR file that do not depend on each other: headers, cookies, times, addresses."""

import re
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from gasoline_cdp.measures import Timing

# `script https://app.test/main.js:12`
_INITIATOR = re.compile(r"(\S+) (.*):(\d+)")
_VERSIONS = {"h2": "HTTP/2.0", "h3": "HTTP/3.0"}
_FLAGS = {"secure": "secure", "httponly": "httpOnly"}
# A header with several lines is stored with line breaks. A browser joins other headers by itself.
_LINES = "\n"


def when(ts: float) -> str:
    """`2026-11-18T13:30:00.123Z`."""
    return datetime.fromtimestamp(ts, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def header_list(headers: dict[str, str]) -> list[dict[str, str]]:
    """Headers as HAR lists them: one entry for each line on the wire."""
    return [{"name": name, "value": line} for name, value in headers.items() for line in value.split(_LINES)]


def query_list(url: str) -> list[dict[str, str]]:
    """The parameters of a URL."""
    try:
        query = urlsplit(url).query
    except ValueError:
        # No parser would accept it, but a page asked for it.
        query = ""
    return [{"name": name, "value": value} for name, value in parse_qsl(query, keep_blank_values=True)]


def sent_cookies(headers: dict[str, str]) -> list[dict[str, str]]:
    """The cookies of a request. Values were masked when they were captured."""
    pairs = (part.strip().partition("=") for part in headers.get("cookie", "").split(";") if part.strip())
    return [{"name": name, "value": value} for name, _, value in pairs]


def set_cookies(headers: dict[str, str]) -> list[dict[str, Any]]:
    """The cookies that a response set, with their attributes."""
    return [_set_cookie(line) for line in headers.get("set-cookie", "").split(_LINES) if line.strip()]


def _set_cookie(line: str) -> dict[str, Any]:
    first, *attributes = [part.strip() for part in line.split(";")]
    name, _, value = first.partition("=")
    cookie: dict[str, Any] = {"name": name, "value": value}
    for attribute in attributes:
        key, _, content = attribute.partition("=")
        key = key.strip().lower()
        if key in _FLAGS:
            cookie[_FLAGS[key]] = True
        elif key in ("path", "domain"):
            cookie[key] = content
        elif key == "samesite":
            cookie["sameSite"] = content
    return cookie


def timings_of(timing: Timing | None, duration_ms: float | None) -> tuple[dict[str, float], float]:
    """The phases, and their sum. What no phase explains is `blocked`, so that the sum is the time that it took."""
    if timing is None:
        whole = max(0.0, duration_ms or 0.0)
        return {"blocked": -1, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": whole, "receive": 0}, whole
    phases = {
        "dns": timing.dns,
        # As in HAR, `connect` contains `ssl`.
        "connect": timing.connect,
        "send": max(0.0, timing.send),
        "wait": max(0.0, timing.wait),
        "receive": max(0.0, timing.receive),
    }
    known = sum(value for value in phases.values() if value >= 0)
    blocked = round(max(0.0, (duration_ms or known) - known), 3)
    return {"blocked": blocked, **phases, "ssl": timing.tls}, round(blocked + known, 3)


def server_of(remote_address: str) -> dict[str, Any]:
    """`serverIPAddress` and `connection` (the port) of `1.2.3.4:443`; nothing if not known."""
    address, _, port = remote_address.rpartition(":")
    if not address:
        return {}
    return {"serverIPAddress": address.strip("[]"), **({"connection": port} if port.strip("0") else {})}


def http_version(protocol: str) -> str:
    """As HAR files write it: HTTP/1.1, HTTP/2.0."""
    return _VERSIONS.get(protocol, protocol.upper()) or "unknown"


def initiator_of(phrase: str) -> dict[str, Any]:
    """What caused a request, as Chrome writes it into its own HAR files."""
    if match := _INITIATOR.fullmatch(phrase):
        return {"type": match[1], "url": match[2], "lineNumber": int(match[3]) - 1}
    return {"type": phrase or "other"}
