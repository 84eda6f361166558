"""A ring that holds the newest records within a number of entries and of bytes, and counts what it let go."""

from collections import deque
from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar


class Sized(Protocol):
    """What a ring can hold: it has a place in the order of arrival, and a weight."""

    @property
    def seq(self) -> int: ...  # noqa: D102
    @property
    def size(self) -> int: ...  # noqa: D102


T = TypeVar("T", bound=Sized)


class Ring(Generic[T]):
    """The newest records. A record heavier than the whole ring is dropped at once, and counted as well."""

    def __init__(self, max_entries: int, max_bytes: int) -> None:
        self.max_entries = max_entries
        self.max_bytes = max_bytes
        self.received = 0
        self.dropped = 0
        self.bytes = 0
        self._records: deque[T] = deque()

    def __len__(self) -> int:
        return len(self._records)

    def add(self, record: T) -> None:
        """Put in the newest; the oldest make room."""
        self.received += 1
        if record.size > self.max_bytes:
            self.dropped += 1
            return
        self._records.append(record)
        self.bytes += record.size
        while len(self._records) > self.max_entries or self.bytes > self.max_bytes:
            self.bytes -= self._records.popleft().size
            self.dropped += 1

    def newest(self, before: int | None = None) -> Iterator[T]:
        """All records from the newest to the oldest, or only those that arrived before `before` (a seq)."""
        for record in reversed(self._records):
            if before is None or record.seq < before:
                yield record

    def clear(self) -> int:
        """Forget everything on request, which is not a loss; return how many records went."""
        removed = len(self._records)
        self._records.clear()
        self.bytes = 0
        return removed
