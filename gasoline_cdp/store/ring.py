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

    __slots__ = ("bytes", "entries", "lanes")

    def __init__(self) -> None:
        self.lanes: dict[Hashable, _Lane[T]] = {}
        self.entries = 0
        self.bytes = 0

    def add(self, record: T) -> _Lane[T]:
        name = record.lane
        lane = self.lanes.get(name)
        if lane is None:
            lane = self.lanes[name] = _Lane()
        lane.received += 1
        lane.records.append(record)
        lane.bytes += record.size
        return lane


class _Closed(Generic[T]):
    """The records of a closed browser context, oldest first.

    Whatever source they have: there are a thousand such contexts after a thousand tests, most with a record or two.
    """

    __slots__ = ("lost", "records")

    def __init__(self, group: _Group[T]) -> None:
        lanes = group.lanes.items()
        self.records = sorted((one for _, lane in lanes for one in lane.records), key=lambda record: record.seq)
        # How many each source has lost, if any.
        self.lost = {key: gone for key, lane in lanes if (gone := lane.received - len(lane.records))} or None

    def drop_oldest(self) -> T:
        gone = self.records.pop(0)
        self.lost = self.lost or {}
        self.lost[gone.lane] = self.lost.get(gone.lane, 0) + 1
        return gone

    def by_lane(self) -> dict[Hashable, tuple[T, int, int]]:
        kept: dict[Hashable, tuple[T, int, int]] = {}
        for record in self.records:
            count = kept[record.lane][2] + 1 if record.lane in kept else 1
            kept[record.lane] = record, count + (self.lost or {}).get(record.lane, 0), count
        return kept


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
        self._over: dict[Hashable, _Closed[T]] = {}
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
        self._entries += 1
        self.bytes += size
        name = record.group
        closed = self._over.get(name) if self._over else None
        if closed is not None:
            closed.records.append(record)
            self._count_over(1, size)
            group = lane = None
        else:
            group = self._groups.get(name)
            if group is None:
                group = self._groups[name] = _Group()
            lane = group.add(record)
            group.entries += 1
            group.bytes += size
        while self._entries > self.max_entries or self.bytes > self.max_bytes:
            self._drop_oldest(group, lane)

    def context_over(self, name: Hashable) -> None:
        """A browser context was closed: its records go before those of open ones."""
        group = self._groups.pop(name, None)
        if group is not None:
            self._over[name] = _Closed(group)
            self._count_over(group.entries, group.bytes)

    def context_open(self, name: Hashable) -> None:
        """A closed browser context has a page again."""
        closed = self._over.pop(name, None)
        if closed is None:
            return
        group = self._groups[name] = _Group()
        for record in closed.records:
            group.add(record)
            group.entries += 1
            group.bytes += record.size
        for key, lane in group.lanes.items():
            lane.received += (closed.lost or {}).get(key, 0)
        self._count_over(-group.entries, -group.bytes)

    def newest(self, before: int | None = None) -> Iterator[T]:
        """All records from newest to oldest, or only those that arrived before `before` (a seq)."""
        lanes = [reversed(lane.records) for group in self._groups.values() for lane in group.lanes.values()]
        lanes += [reversed(closed.records) for closed in self._over.values()]
        ordered = lanes[0] if len(lanes) == 1 else merge(*lanes, key=lambda record: -record.seq)
        return iter(ordered) if before is None else (record for record in ordered if record.seq < before)

    def by_lane(self) -> dict[Hashable, tuple[T, int, int]]:
        """For each source: its newest record, how many arrived since it last had none, how many are kept."""
        by_name: dict[Hashable, tuple[T, int, int]] = {
            (name, key): (lane.records[-1], lane.received, len(lane.records))
            for name, group in self._groups.items()
            for key, lane in group.lanes.items()
        }
        for name, closed in self._over.items():
            by_name |= {(name, key): one for key, one in closed.by_lane().items()}
        return by_name

    def kept_in(self, belongs: Callable[[Hashable], bool]) -> tuple[int, int]:
        """How many records of some browser contexts are kept, and their bytes."""
        open_ones = [(group.entries, group.bytes) for name, group in self._groups.items() if belongs(name)]
        over = [record.size for name, closed in self._over.items() if belongs(name) for record in closed.records]
        return sum(count for count, _ in open_ones) + len(over), sum(size for _, size in open_ones) + sum(over)

    def remove(self, unwanted: Callable[[T], bool]) -> int:
        """Remove some records on request, which does not count as dropped. Returns their number."""
        before = self._entries
        for name, group in list(self._groups.items()):
            for key, lane in list(group.lanes.items()):
                lane.records, gone, size = self._without(lane.records, unwanted)
                lane.bytes -= size
                group.entries -= gone
                group.bytes -= size
                if not lane.records:
                    del group.lanes[key]
            if not group.lanes:
                del self._groups[name]
        for name, closed in list(self._over.items()):
            closed.records, gone, size = self._without(closed.records, unwanted)
            self._count_over(-gone, -size)
            if not closed.records:
                del self._over[name]
        return before - self._entries

    def _without(self, records: list[T], unwanted: Callable[[T], bool]) -> tuple[list[T], int, int]:
        """The records that stay; how many go, and their bytes."""
        gone = [record for record in records if unwanted(record)]
        if not gone:
            return records, 0, 0
        size = sum(record.size for record in gone)
        self._entries -= len(gone)
        self.bytes -= size
        if self._on_evict is not None:
            for record in gone:
                self._on_evict(record)
        numbers = {record.seq for record in gone}
        return [record for record in records if record.seq not in numbers], len(gone), size

    def clear(self) -> int:
        """Remove everything on request, which does not count as dropped. Returns the number of records."""
        removed = self._entries
        self._groups.clear()
        self._over.clear()
        self._entries = self._over_entries = 0
        self.bytes = self._over_bytes = 0
        return removed

    def _count_over(self, entries: int, size: int) -> None:
        self._over_entries += entries
        self._over_bytes += size

    def _weight(self, entries: int, size: int) -> float:
        return max(entries / self.max_entries, size / self.max_bytes)

    def _is_most(self, entries: int, size: int) -> bool:
        return entries * 2 > self.max_entries or size * 2 > self.max_bytes

    def _drop_oldest(self, group: _Group[T] | None, lane: _Lane[T] | None) -> None:
        """Drop a record of what uses most. `group` and `lane` have got the newest one, unless its context is closed."""
        if lane is None or not self._is_most(len(lane.records), lane.bytes):
            # In a flood the adding source is nearly always the largest: no need to compare all others for each record.
            if group is None or not self._is_most(group.entries, group.bytes):
                group = self._largest_group()
            lane = None if group is None else self._largest_lane(group)
        gone = self._drop_over() if group is None or lane is None else self._drop_from(group, lane)
        self._entries -= 1
        self.bytes -= gone.size
        self.dropped += 1
        if self._on_evict is not None:
            self._on_evict(gone)

    def _largest_group(self) -> _Group[T] | None:
        """None: the closed contexts together use most."""
        weight, largest = self._weight(self._over_entries, self._over_bytes), None
        for group in self._groups.values():
            if (heavier := self._weight(group.entries, group.bytes)) > weight:
                weight, largest = heavier, group
        return largest

    def _largest_lane(self, group: _Group[T]) -> _Lane[T]:
        return max(group.lanes.values(), key=lambda lane: self._weight(len(lane.records), lane.bytes))

    def _drop_over(self) -> T:
        name, closed = next(iter(self._over.items()))
        gone = closed.drop_oldest()
        self._count_over(-1, -gone.size)
        if not closed.records:
            del self._over[name]
        return gone

    def _drop_from(self, group: _Group[T], lane: _Lane[T]) -> T:
        gone = lane.records.pop(0)
        lane.bytes -= gone.size
        group.entries -= 1
        group.bytes -= gone.size
        if not lane.records:
            del group.lanes[gone.lane]
        if not group.lanes:
            del self._groups[gone.group]
        return gone
