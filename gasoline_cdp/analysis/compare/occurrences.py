"""What happened in the tabs, put in order so that causes can be looked up: loads, arrivals, workers and sockets."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from attrs import evolve, field, frozen

from gasoline_cdp.analysis.compare.triggers import Cause, Try, load_of
from gasoline_cdp.analysis.normalise import endpoint_of, origin_of, without_ids
from gasoline_cdp.analysis.performance.loads import path_of
from gasoline_cdp.records import ActionRecord, LogRecord, NetworkRecord, SocketRecord, Source

_FETCHED = frozenset({"Fetch", "XHR", "Script", "EventSource"})


@frozen
class Opened:
    """A socket: where and when it was opened, and what its page was handling at the time."""

    id: str
    url: str
    source: Source
    ts: float
    during: float | None = None


@frozen
class Arrival:
    """A request or a socket through which something arrived. It has no name if its name changes each time."""

    name: str
    source: Source
    ts: float
    during: float | None
    # When the page last sent something through the same socket.
    asked: float | None = None


@frozen
class Records:
    """The records in which to look for causes: of the requested tabs, from the beginning."""

    actions: Sequence[ActionRecord] = ()
    network: Sequence[NetworkRecord] = ()
    sockets: Sequence[SocketRecord] = ()
    opened: Sequence[Opened] = ()
    # When documents finished loading, by tab and navigation.
    loaded: Mapping[tuple[int, int], float] = field(factory=dict)
    # Logs of workers that belong to no tab: they show that the worker ran.
    logs: Sequence[LogRecord] = ()


def loads_of(records: Records) -> tuple[dict[tuple[int, int], Try], set[tuple[int, int]]]:
    """The documents of all tabs by number, and those restored from a cache, which loaded nothing."""
    loads: dict[tuple[int, int], Try] = {}
    restored = set()
    newest: dict[int, tuple[int, int]] = {}
    for record in sorted(records.actions, key=lambda record: record.seq):
        if record.type != "navigate" or record.fields.get("within_document"):
            continue
        key = record.source.tab_id, record.source.navigation
        before = newest.get(record.source.tab_id)
        if before is not None:
            loads[before] = evolve(loads[before], until=record.ts)
        loads[key] = Try(cause=load_of(path_of(str(record.fields.get("to_url", "")))), ts=record.ts)
        newest[record.source.tab_id] = key
        if record.fields.get("restored"):
            restored.add(key)
    for key, ts in records.loaded.items():
        if key in loads:
            loads[key] = evolve(loads[key], loaded=ts)
    return loads, restored


def arrivals_of(records: Records) -> dict[int, list[tuple[float, Arrival]]]:
    """When responses and messages arrived, by tab and in order."""
    ends: dict[int, list[tuple[float, Arrival]]] = defaultdict(list)
    for record in records.network:
        if record.type in _FETCHED and record.duration_ms is not None:
            # A script's name contains a hash, which differs after each change.
            name = "" if record.type == "Script" else endpoint_of(record.method, record.url)
            link = Arrival(name, record.source, record.ts, record.during)
            ends[record.source.tab_id].append((record.ts + record.duration_ms / 1000, link))
    opened = {socket.id: socket for socket in records.opened}
    asked: dict[str, float] = {}
    for event in sorted(records.sockets, key=lambda event: event.ts):
        socket = opened.get(event.connection_id)
        if event.direction == "outgoing":
            asked[event.connection_id] = event.ts
        elif socket is not None:
            # An open socket sends whatever it likes at any time.
            name = "" if event.event == "message" else socket_name(socket.url, socket.source.url)
            link = Arrival(name, socket.source, socket.ts, socket.during, asked.get(event.connection_id))
            ends[event.source.tab_id].append((event.ts, link))
    for each in ends.values():
        each.sort(key=lambda end: end[0])
    return ends


def workers_of(records: Records) -> Iterable[Try]:
    """Workers that belong to no tab count as running when their last record arrived."""
    newest: dict[Cause, Try] = {}
    worker_logs = [(record.source, record.ts) for record in records.logs]
    for source, ts in (*worker_logs, *((record.source, record.ts) for record in records.network)):
        if not source.tab_id:
            one = Try(cause=worker_cause(source), ts=ts)
            newest[one.cause] = max(one, newest.get(one.cause, one), key=lambda one: one.ts)
    return newest.values()


def socket_name(url: str, page: str = "") -> str:
    """Identifies the sockets of a page: a path of its own server on any port, or a path elsewhere."""
    host = origin_of(url).partition("://")[2]
    elsewhere = "" if not page or host == origin_of(page).partition("://")[2] else host
    return f"WebSocket {elsewhere}{without_ids(path_of(url))}"


def worker_cause(source: Source) -> Cause:
    """A worker that belongs to no tab, as the cause of what it reports."""
    return Cause(kind="worker", path=without_ids(path_of(source.url)))
