"""Content security policies: directives, weaknesses, and whether a page may connect to an address."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal
from urllib.parse import SplitResult, urlsplit

_PORTS = {"http": 80, "https": 443}
# Any host, in all spellings: `*`, `https:`, `https://*`, `*:443`.
_ANYWHERE = re.compile(r"https?:|(?:[a-z][a-z0-9+.-]{0,20}://)?\*(?::(?:\*|\d{1,5}))?/?")
_CUT = "…"

Weakness = Literal["scripts", "inline", "eval", "hosts", "data", "base", "base_missing", "object", "object_missing"]


def may_connect(policies: Iterable[str], page: str, url: str) -> bool:
    """Whether every policy of a page allows a connection to an address. If in doubt, no.

    `policies` are texts as in the header. Report-only ones count as well: our own request must not cause a report.
    """
    try:
        home, target = urlsplit(page), urlsplit(url)
        return all(_allows(_connect_sources(policy), home, target) for policy in policies)
    except ValueError:
        return False


def directives_of(policy: str) -> dict[str, list[str]]:
    """The sources of each directive. If one is repeated, the first counts."""
    directives: dict[str, list[str]] = {}
    for directive in policy.split(";"):
        name, *sources = directive.split()[:200] or [""]
        if name:
            directives.setdefault(name.lower(), [source.lower() for source in sources])
    return directives


def split_policies(header: str) -> list[str]:
    """The policies of a header. Several in one header, and in several headers, all apply."""
    return [policy.strip() for policy in header.replace("\n", ",").split(",") if policy.strip()]


def weaknesses_of(policies: Sequence[str]) -> set[Weakness]:
    """The combined weaknesses of a page's policies: only those that every policy has."""
    permitted = [_permitted(policy) for policy in policies]
    weak: set[Weakness] = set.intersection(*permitted) if permitted else set()
    weak -= {"base"} if "base_missing" in weak else set()
    weak -= {"object"} if "object_missing" in weak else set()
    # A policy without script directives is no weakness if another policy has them.
    return weak & {"scripts", "object", "object_missing"} if "scripts" in weak else weak


def _permitted(policy: str) -> set[Weakness]:
    whole = not policy.endswith(_CUT)
    directives = directives_of(policy if whole else policy.rpartition(";")[0])
    scripts = directives.get("script-src", directives.get("default-src"))
    elements = directives.get("script-src-elem", scripts)
    handlers = directives.get("script-src-attr", scripts)
    weaknesses: set[Weakness] = set()
    if elements is None:
        # In a policy that was cut, a missing directive may be in the rest.
        weaknesses |= {"scripts", "inline", "eval", "hosts", "data"} if whole else set()
    else:
        if _allows_inline(elements) or _allows_inline(handlers or []):
            weaknesses.add("inline")
        if "'unsafe-eval'" in (scripts or []):
            weaknesses.add("eval")
        if "'strict-dynamic'" not in elements:
            weaknesses |= {"hosts"} if is_open(elements) else set()
            weaknesses |= {"data"} if "data:" in elements else set()
    base, objects = directives.get("base-uri"), directives.get("object-src", directives.get("default-src"))
    if base is None:
        weaknesses |= {"base", "base_missing"} if whole else set()
    elif is_open(base):
        weaknesses.add("base")
    if objects is None:
        weaknesses |= {"object", "object_missing"} if whole else set()
    elif is_open(objects) or "data:" in objects:
        weaknesses.add("object")
    return weaknesses


def _allows_inline(sources: list[str]) -> bool:
    strict = any(source.startswith(("'nonce-", "'sha256-", "'sha384-", "'sha512-")) for source in sources)
    return "'unsafe-inline'" in sources and not strict and "'strict-dynamic'" not in sources


def is_open(sources: list[str]) -> bool:
    """Whether the sources of a directive allow every host."""
    return any(_ANYWHERE.fullmatch(source) for source in sources)


def _connect_sources(policy: str) -> list[str] | None:
    """The sources of connect-src or of its fallback; None if neither is set."""
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
    # We do not handle a path or a port wildcard: treat both as not allowed.
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
