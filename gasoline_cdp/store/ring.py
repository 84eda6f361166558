"""A buffer of the newest records, bounded in entries and bytes, and fair between browser contexts and their sources."""

from collections.abc import Callable, Hashable, Iterator
from heapq import merge
from typing import Generic, Protocol, TypeVar


class Sized(Protocol):
    """What a ring can hold: it has a sequence number, a size, a source, and a browser context."""

    @property
    def seq(self) -> int: ...  # noqa: D102
    @property
    def size(self) -> int: ...  # noqa: D102
    @property
    def lane(self) -> Hashable: ...  # noqa: D102
    @property
    def group(self) -> Hashable: ...  # noqa: D102


T = TypeVar("T", bound=Sized)


class _Lane(Generic[T]):
    """The records of one source, oldest first."""

    __slots__ = ("bytes", "received", "records")

    def __init__(self) -> None:
        # A list: an empty deque takes 600 bytes, and most sources of a test leave one or two records.
        self.records: list[T] = []
        self.bytes = 0
        self.received = 0


class _Group(Generic[T]):
    """The sources of one browser context."""

    __slots__ = ("bytes", "entries", "lanes", "over")

    def __init__(self) -> None:
        self.lanes: dict[Hashable, _Lane[T]] = {}
        self.entries = 0
        self.bytes = 0
        # The context is closed.
        self.over = False


class Ring(Generic[T]):
    """The newest records of all sources.

    If the ring is full, the browser context that uses most of it loses a record, and in it the source that uses most
    loses its oldest one. So a noisy tab, frame or socket pushes out its own records before those of others, a noisy
    test its own before those of its neighbours, and a single source can use the whole ring. Closed contexts share one
    part: the one closed first loses first. A record larger than the ring is dropped at once. Every dropped record is
    counted, and passed to `on_evict`.
    """

    def __init__(self, max_entries: int, max_bytes: int, on_evict: Callable[[T], None] | None = None) -> None:
        self.max_entries = max_entries
        self.max_bytes = max_bytes
        self.received = 0
        self.dropped = 0
        self.bytes = 0
        self._entries = 0
        self._on_evict = on_evict
        self._groups: dict[Hashable, _Group[T]] = {}
        # The closed contexts, the one closed first in front, and what they hold together.
        self._over: dict[Hashable, _Group[T]] = {}
        self._over_entries = 0
        self._over_bytes = 0

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
        name, key = record.group, record.lane
        group = self._groups.get(name)
        if group is None:
            group = self._groups[name] = _Group()
        lane = group.lanes.get(key)
        if lane is None:
            lane = group.lanes[key] = _Lane()
        lane.received += 1
        lane.records.append(record)
        lane.bytes += size
        self._count(group, 1, size)
        while self._entries > self.max_entries or self.bytes > self.max_bytes:
            self._drop_oldest_of(*self._largest(group, lane))

    def context_over(self, name: Hashable) -> None:
        """A browser context was closed: its records go before those of open ones."""
        group = self._groups.get(name)
        if group is not None and not group.over:
            group.over = True
            self._over[name] = group
            self._over_entries += group.entries
            self._over_bytes += group.bytes

    def context_open(self, name: Hashable) -> None:
        """A closed browser context has a page again."""
        group = self._over.pop(name, None)
        if group is not None:
            group.over = False
            self._over_entries -= group.entries
            self._over_bytes -= group.bytes

    def newest(self, before: int | None = None) -> Iterator[T]:
        """All records from newest to oldest, or only those that arrived before `before` (a seq)."""
        lanes = [reversed(lane.records) for group in self._groups.values() for lane in group.lanes.values()]
        ordered = lanes[0] if len(lanes) == 1 else merge(*lanes, key=lambda record: -record.seq)
        return iter(ordered) if before is None else (record for record in ordered if record.seq < before)

    def by_lane(self) -> dict[Hashable, tuple[T, int, int]]:
        """For each source: its newest record, how many arrived since it last had none, how many are kept."""
        return {
            (name, key): (lane.records[-1], lane.received, len(lane.records))
            for name, group in self._groups.items()
            for key, lane in group.lanes.items()
        }

    def remove(self, unwanted: Callable[[T], bool]) -> int:
        """Remove some records on request, which does not count as dropped. Returns their number."""
        removed = 0
        for name, group in list(self._groups.items()):
            for key, lane in list(group.lanes.items()):
                gone = [record for record in lane.records if unwanted(record)]
                if not gone:
                    continue
                removed += len(gone)
                size = sum(record.size for record in gone)
                numbers = {record.seq for record in gone}
                lane.records = [record for record in lane.records if record.seq not in numbers]
                lane.bytes -= size
                self._count(group, -len(gone), -size)
                for record in gone:
                    if self._on_evict is not None:
                        self._on_evict(record)
                self._tidy(name, group, key, lane)
        return removed

    def clear(self) -> int:
        """Remove everything on request, which does not count as dropped. Returns the number of records."""
        removed = self._entries
        self._groups.clear()
        self._over.clear()
        self._entries = self._over_entries = 0
        self.bytes = self._over_bytes = 0
        return removed

    def _count(self, group: _Group[T], entries: int, size: int) -> None:
        group.entries += entries
        group.bytes += size
        self._entries += entries
        self.bytes += size
        if group.over:
            self._over_entries += entries
            self._over_bytes += size

    def _weight(self, entries: int, size: int) -> float:
        return max(entries / self.max_entries, size / self.max_bytes)

    def _is_most(self, entries: int, size: int) -> bool:
        return entries * 2 > self.max_entries or size * 2 > self.max_bytes

    def _largest(self, group: _Group[T], lane: _Lane[T]) -> tuple[_Group[T], _Lane[T]]:
        # In a flood the adding source is nearly always the largest: no need to compare all others for each record.
        if not group.over and self._is_most(len(lane.records), lane.bytes):
            return group, lane
        if group.over or not self._is_most(group.entries, group.bytes):
            group = self._largest_group()
        heaviest = max(group.lanes.values(), key=lambda lane: self._weight(len(lane.records), lane.bytes))
        return group, heaviest

    def _largest_group(self) -> _Group[T]:
        weight, largest = self._weight(self._over_entries, self._over_bytes), next(iter(self._over.values()), None)
        for group in self._groups.values():
            if not group.over and (heavier := self._weight(group.entries, group.bytes)) > weight:
                weight, largest = heavier, group
        assert largest is not None  # noqa: S101 - told to the type checker: a full ring is not empty
        return largest

    def _drop_oldest_of(self, group: _Group[T], lane: _Lane[T]) -> None:
        gone = lane.records.pop(0)
        lane.bytes -= gone.size
        self._count(group, -1, -gone.size)
        self.dropped += 1
        self._tidy(gone.group, group, gone.lane, lane)
        if self._on_evict is not None:
            self._on_evict(gone)

    def _tidy(self, name: Hashable, group: _Group[T], key: Hashable, lane: _Lane[T]) -> None:
        if not lane.records:
            del group.lanes[key]
        if not group.lanes:
            del self._groups[name]
            self._over.pop(name, None)
