"""The table from record class to the function that makes its entry. `KINDS` has the names of the kinds."""

from collections.abc import Callable
from typing import Any

from gasoline_cdp import wire
from gasoline_cdp.answers.action_entries import show_action, show_dom_snapshot
from gasoline_cdp.answers.body_entries import body_fields, show_body
from gasoline_cdp.answers.log_entries import log_fields, show_log
from gasoline_cdp.answers.network_entries import show_network
from gasoline_cdp.answers.performance_entries import show_page_vitals, show_performance_snapshot
from gasoline_cdp.answers.socket_entries import show_socket, socket_fields
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
from gasoline_cdp.store.record_kinds import KINDS

SHOW: dict[type[Record], Callable[[Any], object]] = {
    LogRecord: show_log,
    NetworkRecord: show_network,
    BodyRecord: show_body,
    SocketRecord: show_socket,
    ActionRecord: show_action,
    DomSnapshotRecord: show_dom_snapshot,
    VitalsRecord: show_page_vitals,
    PerformanceRecord: show_performance_snapshot,
}


# Of what full buffers hold most: what their entries say, without the entry. Made by the thousand for one answer.
_FIELDS: dict[type[Record], Callable[[Any], dict[str, Any]]] = {
    LogRecord: log_fields,
    BodyRecord: body_fields,
    SocketRecord: socket_fields,
}


def show_record(record: Record) -> object:
    """A record of any kind as an entry. Pass it through `Telemetry.known` first, which adds what was learned later."""
    return SHOW[type(record)](record)


def record_json(record: Record) -> Any:
    """The entry of a record as values for `wire.encode`."""
    fields = _FIELDS.get(type(record))
    if fields is None or (isinstance(record, LogRecord) and record.values):
        # Also variables, which are entries of their own.
        return wire.dump(show_record(record))
    return fields(record)


def named_entry(record: Record) -> dict[str, Any]:
    """A record as JSON for `watch`: its entry and its kind."""
    return {"record": KINDS[type(record)].name, **wire.dump(show_record(record))}
