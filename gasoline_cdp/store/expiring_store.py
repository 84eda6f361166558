"""What somebody asked to remember for a while: by name, bounded in number and in age."""

from typing import Generic, TypeVar

from gasoline_cdp.bounded import BoundedDict

T = TypeVar("T")


class ExpiringStore(Generic[T]):
    """Named pages. Old ones go by themselves; when there are too many, the one that was not used for longest goes.

    Time is told by the caller, in seconds of any clock that goes forward.
    """

    def __init__(self, most: int, seconds: float) -> None:
        self.most = most
        self.seconds = seconds
        self._pages: BoundedDict[str, tuple[float, T]] = BoundedDict(most, self._evicted)
        self._gone: list[str] = []

    def put(self, name: str, page: T, now: float) -> list[str]:
        """Write a page, in place of one of the same name; return the names of those that had to go."""
        self._expire(now)
        self._gone = []
        self._pages[name] = (now, page)
        return self._gone

    def _evicted(self, name: str, _: object) -> None:
        self._gone.append(name)

    def change(self, name: str, page: T) -> None:
        """Write a page anew that is there already, without making it any younger."""
        written, _ = self._pages[name]
        self._pages[name] = (written, page)

    def get(self, name: str, now: float) -> T | None:
        """Read a page; reading it is using it."""
        self._expire(now)
        if name not in self._pages:
            return None
        self._pages.move_to_end(name)
        return self._pages[name][1]

    def remove(self, name: str, now: float) -> T | None:
        """Tear a page out."""
        self._expire(now)
        torn = self._pages.pop(name, None)
        return torn[1] if torn else None

    def items(self, now: float) -> list[tuple[str, T]]:
        """All pages, the one used last first."""
        self._expire(now)
        return [(name, page) for name, (_, page) in reversed(self._pages.items())]

    def _expire(self, now: float) -> None:
        for name, (written, _) in list(self._pages.items()):
            if now - written > self.seconds:
                del self._pages[name]
