"""Which tabs a person named: only those are attached to."""

from urllib.parse import SplitResult, urlsplit

from attrs import frozen

_PORTS = {"http": 80, "https": 443}


@frozen
class NamedTabs:
    """Addresses that pages must be at or below. Without any, every page is meant."""

    addresses: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.addresses)

    def include(self, url: str, *, worker: bool = False) -> bool:
        """Whether a page is at or below one of the addresses. For a worker, its origin decides."""
        return any(_below(url, address, worker=worker) for address in self.addresses)


ALL_TABS = NamedTabs()


def _below(url: str, address: str, *, worker: bool) -> bool:
    try:
        page, named = urlsplit(url), urlsplit(address)
        if _origin(page) != _origin(named):
            return False
    except ValueError:
        return False
    if named.scheme not in _PORTS:
        return url == address
    if worker:
        return True
    folder = named.path.rstrip("/")
    # Whole segments: /app is no beginning of /apple.
    return page.path == named.path or page.path.startswith(f"{folder}/") or page.path == folder


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)
