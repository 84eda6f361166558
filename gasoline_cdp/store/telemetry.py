"""All rings together, the order of arrival, and those who want to hear of each record."""

from collections.abc import Callable, Iterator
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
from gasoline_cdp.store.contracts import Contracts
from gasoline_cdp.store.performance import PerformanceStore
from gasoline_cdp.store.ring import Ring
from gasoline_cdp.store.sightings import Sightings

Listener = Callable[[Record], None]


class Telemetry:
    """What has been captured. `next_seq` numbers records across all rings, so that one cursor orders them all."""

    def __init__(self) -> None:
        self.logs: Ring[LogRecord] = Ring(limits.LOG_ENTRIES, limits.LOG_BYTES)
        self.network: Ring[NetworkRecord] = Ring(limits.NETWORK_ENTRIES, limits.NETWORK_BYTES)
        self.bodies: Ring[BodyRecord] = Ring(limits.BODY_ENTRIES, limits.BODY_BYTES)
        self.sockets: Ring[SocketRecord] = Ring(limits.SOCKET_ENTRIES, limits.SOCKET_BYTES)
        self.actions: Ring[ActionRecord] = Ring(limits.ACTION_ENTRIES, limits.ACTION_BYTES)
        self.dom_snapshots: Ring[DomSnapshotRecord] = Ring(limits.DOM_SNAPSHOTS, limits.DOM_SNAPSHOT_BYTES)
        self.performance = PerformanceStore()
        self.sightings = Sightings()
        self.contracts = Contracts()
        self._seq = 0
        self._listeners: list[Listener] = []

    def next_seq(self) -> int:
        """The place of the next record in the order of arrival."""
        self._seq += 1
        return self._seq

    @property
    def last_seq(self) -> int:
        """The place of the newest record; what comes later has a greater one."""
        return self._seq

    def add(self, record: Record) -> None:
        """Keep a record and tell the listeners; they are sync and must not raise or block."""
        match record:
            case LogRecord():
                self.logs.add(record)
            case NetworkRecord():
                self.network.add(record)
            case BodyRecord():
                self.bodies.add(record)
            case SocketRecord():
                self.sockets.add(record)
            case ActionRecord():
                self.actions.add(record)
            case DomSnapshotRecord():
                self.dom_snapshots.add(record)
            case VitalsRecord():
                self.performance.add_vitals(record)
            case PerformanceRecord():
                self.performance.add_snapshot(record)
        for listener in self._listeners:
            listener(record)

    @property
    def listeners(self) -> int:
        """How many hear of every record."""
        return len(self._listeners)

    @contextmanager
    def listening(self, listener: Listener) -> Iterator[None]:
        """Hear of every record from now on, until the block ends."""
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)

    def rings(self) -> dict[str, Ring[Any]]:
        """Every ring by the name that answers use for it."""
        return {
            "logs": self.logs,
            "network": self.network,
            "network_bodies": self.bodies,
            "websockets": self.sockets,
            "actions": self.actions,
            "dom_snapshots": self.dom_snapshots,
        }

    def clear(self) -> int:
        """Empty all rings; return how many records went."""
        # What was learned of endpoints stays: validate_api has its own way to forget it.
        self.sightings.clear()
        return sum(ring.clear() for ring in self.rings().values()) + self.performance.clear()
