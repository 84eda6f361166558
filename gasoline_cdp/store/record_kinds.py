"""The kinds of records: their names, and where each is kept."""

from attrs import frozen

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


@frozen(kw_only=True)
class RecordKind:
    """Name and storage of a kind of record. `answers/record_entries.py` says how it is shown."""

    # Its name in `watch`.
    name: str
    # The attribute of `Telemetry` with its ring; empty for what `PerformanceStore` keeps.
    ring: str = ""
    # The name of its ring in `status`, and of its list in /snapshot; empty if it has none.
    buffer: str = ""
    snapshot_list: str = ""
    # Whether `watch` shows each one as it arrives.
    watched: bool = True


# Every kind of record. A test checks that each is kept and shown.
KINDS: dict[type[Record], RecordKind] = {
    LogRecord: RecordKind(name="log", ring="logs", buffer="logs", snapshot_list="logs"),
    NetworkRecord: RecordKind(name="network", ring="network", buffer="network"),
    BodyRecord: RecordKind(
        name="body", ring="bodies", buffer="network_bodies", snapshot_list="network_bodies", watched=False
    ),
    SocketRecord: RecordKind(name="websocket", ring="sockets", buffer="websockets", snapshot_list="websocket_events"),
    ActionRecord: RecordKind(name="action", ring="actions", buffer="actions", snapshot_list="enhanced_actions"),
    DomSnapshotRecord: RecordKind(name="dom_snapshot", ring="dom_snapshots", buffer="dom_snapshots"),
    VitalsRecord: RecordKind(name="vitals", watched=False),
    PerformanceRecord: RecordKind(name="performance"),
}
