"""What a judgement over headers, cookies, storage or a page says, before a tool gives it its form."""

import ipaddress
from typing import Literal
from urllib.parse import urlsplit

from attrs import frozen

Grade = Literal["critical", "high", "medium", "low", "info"]
GRADES: tuple[Grade, ...] = ("critical", "high", "medium", "low", "info")
Category = Literal["headers", "cookies", "storage", "transport", "page"]


@frozen(kw_only=True)
class Issue:
    """One thing that is wrong, named for the failing state."""

    grade: Grade
    category: Category
    issue: str
    message: str
    guidance: str
    affected: tuple[str, ...] = ()
    cwe: str = ""


def is_local(url: str) -> bool:
    """Whether an address is of this machine: development, where encryption is not to be had."""
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
