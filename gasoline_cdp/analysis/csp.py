"""Content security policies: their directives, and whether a page may connect to an address."""

from collections.abc import Iterable
from urllib.parse import SplitResult, urlsplit

_PORTS = {"http": 80, "https": 443}


def may_connect(policies: Iterable[str], page: str, url: str) -> bool:
    """Whether every policy of a page lets it connect to an address. In doubt it does not.

    `policies` are texts as in the header. Those that only report count as well: what we do must not be reported.
    """
    try:
        home, target = urlsplit(page), urlsplit(url)
        return all(_allows(_connect_sources(policy), home, target) for policy in policies)
    except ValueError:
        return False


def directives_of(policy: str) -> dict[str, list[str]]:
    """The sources of each directive; of repeated ones the first counts."""
    directives: dict[str, list[str]] = {}
    for directive in policy.split(";"):
        name, *sources = directive.split()[:200] or [""]
        if name:
            directives.setdefault(name.lower(), [source.lower() for source in sources])
    return directives


def _connect_sources(policy: str) -> list[str] | None:
    """The sources of connect-src, or of what it falls back to; None where neither is said."""
    directives = directives_of(policy)
    return directives.get("connect-src", directives.get("default-src"))


def _allows(sources: list[str] | None, home: SplitResult, target: SplitResult) -> bool:
    if sources is None:
        return True
    return any(_matches(source.lower(), home, target) for source in sources)


def _matches(source: str, home: SplitResult, target: SplitResult) -> bool:
    if source == "*":
        return target.scheme in _PORTS
    if source == "'self'":
        return _origin(home) == _origin(target)
    if source.endswith(":"):
        return source == f"{target.scheme}:"
    if source.startswith("'"):
        return False
    allowed = urlsplit(source if "://" in source else f"{target.scheme}://{source}")
    # A path, or a wildcard for the port, is more than we care to get right.
    simple = allowed.path in ("", "/") and not allowed.netloc.endswith(":*")
    return simple and allowed.scheme == target.scheme and _same_host(allowed, target)


def _same_host(allowed: SplitResult, target: SplitResult) -> bool:
    host, wanted = allowed.hostname or "", target.hostname or ""
    if host.startswith("*."):
        return wanted.endswith(host[1:]) and _port(allowed) == _port(target)
    return host == wanted and _port(allowed) == _port(target)


def _origin(url: SplitResult) -> tuple[str, str, int | None]:
    return url.scheme, url.hostname or "", _port(url)


def _port(url: SplitResult) -> int | None:
    return url.port or _PORTS.get(url.scheme)
