"""The site of an address, as browsers define it: the registrable domain of its host."""

import ipaddress
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

_LIST = "public_suffix_list.dat"


def site_of(url: str) -> str:
    """The registrable domain of a host: shop.io, shop.co.uk, ann.github.io. The host itself if it has none."""
    host = _host(url)
    top = host.rpartition(".")[2]
    if top == host or _is_address(host):
        return host
    return _suffixes_below(top).privatesuffix(host) or host


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=32)
def _suffixes_below(top: str) -> "PublicSuffixList":
    """The public suffixes below one top-level domain. The whole list would take 150 ms and 2 MB."""
    # Most runs compare no hosts, and start faster without these imports.
    from importlib.resources import files  # noqa: PLC0415

    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415

    text = files("publicsuffixlist").joinpath(_LIST).read_text(encoding="utf-8")
    ends = (f".{top}", f".{_unicode(top)}")
    lines = [line for line in text.splitlines() if f".{line}".endswith(ends) and not line.startswith("//")]
    return PublicSuffixList("\n".join(lines))


def _unicode(label: str) -> str:
    """A label as spelled in the list."""
    try:
        return label.encode("ascii").decode("idna")
    except UnicodeError:
        return label
