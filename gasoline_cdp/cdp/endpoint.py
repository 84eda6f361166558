"""Where a browser's WebSocket is, and what it takes to be let in. Addresses and headers may hold credentials."""

import ipaddress
import re
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from attrs import field, frozen

from gasoline_cdp.redact import clean, safe_url

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_SHOWN_CHARS = 200
# The handshake sets these itself.
_OWN_HEADERS = {"host", "upgrade", "connection", "origin", "content-length", "transfer-encoding"}

Headers = tuple[tuple[str, str], ...]


@frozen(kw_only=True)
class Endpoint:
    """An address with its headers and certificates. Its `repr` shows no credentials."""

    address: str = field(repr=False)
    headers: Headers = field(default=(), repr=False)
    # Certificates of an authority to trust besides those of the system.
    ca_file: Path | None = None

    def shown(self) -> str:
        """The address without credentials, for messages."""
        return shown_address(self.address)

    def is_local(self) -> bool:
        """Whether it is on this machine."""
        parts = split_address(self.address, {"ws", "wss"})
        return parts is not None and is_loopback(parts.hostname or "")

    def leaks_credentials(self) -> bool:
        """Whether credentials would travel unencrypted to another machine."""
        parts = split_address(self.address, {"ws", "wss"})
        if parts is None or parts.scheme != "ws" or self.is_local():
            return False
        return bool(self.headers or parts.query or "@" in parts.netloc)


def split_address(address: str, schemes: set[str]) -> SplitResult | None:
    """The parts of an address with a host and, if any, a valid port."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return None
    return parts if parts.scheme in schemes and parts.hostname and port != 0 else None


def shown_address(address: str) -> str:
    """An address for messages: without user, password and query, where hosted browsers expect their token."""
    try:
        parts = urlsplit(address)
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return "an address that cannot be read"
    query = "?…" if parts.query or parts.fragment else ""
    return clean(safe_url(f"{parts.scheme}://{host}{parts.path}"))[:_SHOWN_CHARS] + query


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def parse_header(text: str) -> tuple[str, str]:
    """Split `Name: value`. Raises ValueError, whose message does not show the value."""
    name, colon, value = text.partition(":")
    name, value = name.strip(), value.strip()
    if not colon or not _NAME.fullmatch(name) or not value:
        raise ValueError('must look like "Name: value"')
    if any(ord(character) < 32 or ord(character) > 126 for character in value):
        raise ValueError(f"the value of {name[:60]} must be printable ASCII in one line")
    if name.lower() in _OWN_HEADERS:
        raise ValueError(f"{name[:60]} is set by the connection itself")
    return name, value
