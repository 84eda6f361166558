"""All rings, the order of arrival, the annotations, and the listeners to new records."""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any

from gasoline_cdp import limits
from gasoline_cdp.records import (
    ActionRecord,
    BodyRecord,
    DomSnapshotRecord,
    LogRecord,
    NetworkRecord,
    PerformanceRecord,
    Record,
    SocketRecord,
    VitalsRecord,
)
from gasoline_cdp.store.annotations import Annotations, R
from gasoline_cdp.store.code_changes import CodeChanges
from gasoline_cdp.store.contracts import Contracts
from gasoline_cdp.store.performance import PerformanceStore
from gasoline_cdp.store.record_kinds import KINDS
from gasoline_cdp.store.ring import Ring
from gasoline_cdp.store.run_evidence import RunEvidence
from gasoline_cdp.store.sightings import Sightings

Listener = Callable[[Record], None]


class Telemetry:
    """What has been captured. `next_seq` numbers records across all rings, so that one cursor orders them all."""

    def __init__(self) -> None:
        self._annotations = Annotations()
        forget = self._annotations.forget
        self.logs: Ring[LogRecord] = Ring(limits.LOG_ENTRIES, limits.LOG_BYTES, forget)
        self.network: Ring[NetworkRecord] = Ring(limits.NETWORK_ENTRIES, limits.NETWORK_BYTES, forget)
        self.bodies: Ring[BodyRecord] = Ring(limits.BODY_ENTRIES, limits.BODY_BYTES, self._forget_body)
        self.sockets: Ring[SocketRecord] = Ring(limits.SOCKET_ENTRIES, limits.SOCKET_BYTES)
        self.actions: Ring[ActionRecord] = Ring(limits.ACTION_ENTRIES, limits.ACTION_BYTES, forget)
        self.dom_snapshots: Ring[DomSnapshotRecord] = Ring(limits.DOM_SNAPSHOTS, limits.DOM_SNAPSHOT_BYTES)
        self.performance = PerformanceStore()
        self.sightings = Sightings()
        self.contracts = Contracts()
        self.run = RunEvidence()
        # When the code of tabs last changed stays known when the records are cleared.
        self.code_changes = CodeChanges()
        # Where each kind of record is kept.
        self._keep: dict[type[Record], Callable[[Any], None]] = {
            **{record: getattr(self, kind.ring).add for record, kind in KINDS.items() if kind.ring},
            BodyRecord: self._add_body,
            VitalsRecord: self.performance.add_vitals,
            PerformanceRecord: self.performance.add_snapshot,
        }
        self._bodies_by_request: dict[str, BodyRecord] = {}
        self._seq = 0
        self._listeners: list[Listener] = []

    def next_seq(self) -> int:
        """The sequence number of the next record."""
        self._seq += 1
        return self._seq

    @property
    def last_seq(self) -> int:
        """The sequence number of the newest record. Later ones have a greater number."""
        return self._seq

    def add(self, record: Record) -> None:
        """Store a record and call the listeners. They are sync, and must not raise or block."""
        self._keep[type(record)](record)
        self.run.add(record)
        for listener in self._listeners:
            listener(record)

    def annotate(self, seq: int, fields: dict[str, Any]) -> None:
        """Something was learned about the record with this number: these fields have better values."""
        self._annotations.add(seq, fields)
        self.run.annotate(seq, fields)

    def known(self, record: R) -> R:
        """A record with everything learned since it was stored. Whoever shows a record uses this."""
        return self._annotations.known(record)

    def keep_failures(self) -> None:
        """Keep failures of the whole run from now on, beyond what the rings hold: somebody marks or judges tests."""
        if not self.run.keeps_failures:
            captured: list[LogRecord | NetworkRecord] = [*self.logs.newest(), *self.network.newest()]
            captured.sort(key=lambda record: record.seq)
            self.run.keep_failures([self.known(record) for record in captured])

    def body_of(self, request_id: str) -> BodyRecord | None:
        """The bodies of a request, if they are kept."""
        return self._bodies_by_request.get(request_id)

    def _add_body(self, record: BodyRecord) -> None:
        self._bodies_by_request[record.id] = record
        self.bodies.add(record)

    def _forget_body(self, record: BodyRecord) -> None:
        if self._bodies_by_request.get(record.id) is record:
            del self._bodies_by_request[record.id]

    @property
    def listeners(self) -> int:
        """How many listeners there are."""
        return len(self._listeners)

    @contextmanager
    def listening(self, listener: Listener) -> Iterator[None]:
        """Get every record from now on, until the block ends."""
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)

    def rings(self) -> dict[str, Ring[Any]]:
        """Every ring, by its name in answers."""
        return {kind.buffer: getattr(self, kind.ring) for kind in KINDS.values() if kind.ring}

    def context_open(self, context: tuple[str, str]) -> None:
        """A browser context has its first page or worker."""
        for ring in self.rings().values():
            ring.context_open(context)

    def context_over(self, context: tuple[str, str]) -> None:
        """A browser context has no page and no worker any more."""
        for ring in self.rings().values():
            ring.context_over(context)

    def kept_of(self, browser_id: str) -> tuple[int, int]:
        """How many records of a browser are kept, and their bytes."""

        def belongs(context: Hashable) -> bool:
            return isinstance(context, tuple) and context[0] == browser_id

        kept = [ring.kept_in(belongs) for ring in self.rings().values()]
        return sum(count for count, _ in kept), sum(size for _, size in kept)

    def remove(self, unwanted: Callable[[Record], bool]) -> int:
        """Remove some records from all rings; return their number."""
        return sum(ring.remove(unwanted) for ring in self.rings().values())

    def clear(self) -> int:
        """Empty all rings; return how many records there were."""
        # Contracts stay: validate_api has an action to clear them.
        self.sightings.clear()
        self.run.clear()
        self._annotations.clear()
        self._bodies_by_request.clear()
        return sum(ring.clear() for ring in self.rings().values()) + self.performance.clear()
