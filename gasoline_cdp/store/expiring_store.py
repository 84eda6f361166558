"""Named items that somebody asked to keep for a while: bounded in number and in age."""

from typing import Generic, TypeVar

from gasoline_cdp.bounded import BoundedDict

T = TypeVar("T")


class ExpiringStore(Generic[T]):
    """Items by name. Old ones expire. If there are too many, the least recently used one goes.

    The caller passes the time, in seconds of any monotonic clock.
    """

    def __init__(self, most: int, seconds: float) -> None:
        self.most = most
        self.seconds = seconds
        self._pages: BoundedDict[str, tuple[float, T]] = BoundedDict(most, self._evicted)
        self._gone: list[str] = []

    def put(self, name: str, page: T, now: float) -> list[str]:
        """Store an item, replacing one of the same name. Returns the names of those that had to go."""
        self._expire(now)
        self._gone = []
        self._pages[name] = (now, page)
        return self._gone

    def _evicted(self, name: str, _: object) -> None:
        self._gone.append(name)

    def change(self, name: str, page: T) -> None:
        """Replace an existing item without changing its age."""
        written, _ = self._pages[name]
        self._pages[name] = (written, page)

    def get(self, name: str, now: float) -> T | None:
        """Get an item. That counts as a use."""
        self._expire(now)
        if name not in self._pages:
            return None
        self._pages.move_to_end(name)
        return self._pages[name][1]

    def remove(self, name: str, now: float) -> T | None:
        """Remove an item."""
        self._expire(now)
        torn = self._pages.pop(name, None)
        return torn[1] if torn else None

    def items(self, now: float) -> list[tuple[str, T]]:
        """All items, the most recently used first."""
        self._expire(now)
        return [(name, page) for name, (_, page) in reversed(self._pages.items())]

    def _expire(self, now: float) -> None:
        for name, (written, _) in list(self._pages.items()):
            if now - written > self.seconds:
                del self._pages[name]
