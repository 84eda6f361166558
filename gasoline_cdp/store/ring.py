"""A buffer of the newest records, bounded in entries and bytes, and fair between their sources."""

from collections import deque
from collections.abc import Callable, Hashable, Iterator
from heapq import merge
from typing import Generic, Protocol, TypeVar


class Sized(Protocol):
    """What a ring can hold: it has a sequence number, a size, and a source."""

    @property
    def seq(self) -> int: ...  # noqa: D102
    @property
    def size(self) -> int: ...  # noqa: D102
    @property
    def lane(self) -> Hashable: ...  # noqa: D102


T = TypeVar("T", bound=Sized)


class _Lane(Generic[T]):
    """The records of one source, oldest first."""

    __slots__ = ("bytes", "received", "records")

    def __init__(self) -> None:
        self.records: deque[T] = deque()
        self.bytes = 0
        self.received = 0


class Ring(Generic[T]):
    """The newest records of all sources.

    If the ring is full, the source that uses most of it loses its oldest record. So a noisy tab, frame or socket pushes
    out its own records before those of others, and a single source can use the whole ring. A record larger than the
    ring is dropped at once. Every dropped record is counted, and passed to `on_evict`.
    """

    def __init__(self, max_entries: int, max_bytes: int, on_evict: Callable[[T], None] | None = None) -> None:
        self.max_entries = max_entries
        self.max_bytes = max_bytes
        self.received = 0
        self.dropped = 0
        self.bytes = 0
        self._entries = 0
        self._on_evict = on_evict
        self._lanes: dict[Hashable, _Lane[T]] = {}

    def __len__(self) -> int:
        return self._entries

    def add(self, record: T) -> None:
        """Add the newest record. The oldest record of the largest source makes room."""
        self.received += 1
        size = record.size
        if size > self.max_bytes:
            self.dropped += 1
            if self._on_evict is not None:
                self._on_evict(record)
            return
        key = record.lane
        lane = self._lanes.get(key)
        if lane is None:
            lane = self._lanes[key] = _Lane()
        lane.received += 1
        lane.records.append(record)
        lane.bytes += size
        self._entries += 1
        self.bytes += size
        while self._entries > self.max_entries or self.bytes > self.max_bytes:
            self._drop_oldest_of(self._largest(lane))

    def newest(self, before: int | None = None) -> Iterator[T]:
        """All records from newest to oldest, or only those that arrived before `before` (a seq)."""
        lanes = [reversed(lane.records) for lane in self._lanes.values()]
        ordered = lanes[0] if len(lanes) == 1 else merge(*lanes, key=lambda record: -record.seq)
        for record in ordered:
            if before is None or record.seq < before:
                yield record

    def by_lane(self) -> dict[Hashable, tuple[T, int, int]]:
        """For each source: its newest record, how many arrived since it last had none, how many are kept."""
        return {key: (lane.records[-1], lane.received, len(lane.records)) for key, lane in self._lanes.items()}

    def clear(self) -> int:
        """Remove everything on request, which does not count as dropped. Returns the number of records."""
        removed = self._entries
        self._lanes.clear()
        self._entries = 0
        self.bytes = 0
        return removed

    def _weight(self, lane: _Lane[T]) -> float:
        return max(len(lane.records) / self.max_entries, lane.bytes / self.max_bytes)

    def _largest(self, adding: _Lane[T]) -> _Lane[T]:
        # In a flood the adding source is nearly always the largest: no need to compare all others for each record.
        if len(adding.records) * 2 > self.max_entries or adding.bytes * 2 > self.max_bytes:
            return adding
        return max(self._lanes.values(), key=self._weight)

    def _drop_oldest_of(self, lane: _Lane[T]) -> None:
        gone = lane.records.popleft()
        lane.bytes -= gone.size
        self._entries -= 1
        self.bytes -= gone.size
        self.dropped += 1
        if not lane.records:
            del self._lanes[gone.lane]
        if self._on_evict is not None:
            self._on_evict(gone)
