"""Recognises addresses of this machine."""

import ipaddress
from urllib.parse import urlsplit


def is_local(url: str) -> bool:
    """Whether an address belongs to this machine: development, where encryption is not available."""
    try:
        host = (urlsplit(url).hostname or "").lower()
    except ValueError:
        return False
    if host in ("localhost", "0.0.0.0") or host.endswith(".localhost"):  # noqa: S104 - compared, not listened on
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
