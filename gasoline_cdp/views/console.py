"""The views `errors` (with failed requests) and `logs`."""

from collections import Counter
from collections.abc import Iterator
from heapq import merge

from attrs import evolve

from gasoline_cdp.analysis.requests import went_wrong
from gasoline_cdp.answers.log_entries import LogEntry, show_log
from gasoline_cdp.answers.network_entries import NetworkEntry, show_network
from gasoline_cdp.answers.paging import fill_page, matches, start_of
from gasoline_cdp.answers.socket_entries import SocketEntry, show_socket
from gasoline_cdp.operations.context import Context
from gasoline_cdp.records import Level, LogRecord, NetworkRecord, SocketRecord
from gasoline_cdp.views.listing import Listing, ObserveArgs, dated, make_listing, time_window_of
from gasoline_cdp.views.summaries import summarise

_SEVERITY: dict[Level, int] = {"error": 0, "warning": 1, "info": 2, "log": 3, "debug": 4}
# Names for a summary: these kinds only say where an error comes from.
_NAMES = {"console": "console error", "browser": "browser error", "build": "build error"}
# Normal closure, going away, no status received.
_NORMAL_CLOSES = {1000, 1001, 1005}
_LONG_MS = 1000

Wrong = LogRecord | NetworkRecord | SocketRecord


def list_errors(args: ObserveArgs, context: Context) -> Listing:
    """Everything that failed, in one list."""
    before, window = start_of(args.cursor), time_window_of(args, context)
    logs = (record for record in context.telemetry.logs.newest(before) if record.level == "error")
    requests = (record for record in context.telemetry.network.newest(before) if went_wrong(record))
    sockets = (record for record in context.telemetry.sockets.newest(before) if _ended_badly(record))
    all_of_them: Iterator[Wrong] = merge(logs, requests, sockets, key=lambda record: -record.seq)
    chosen = [
        record
        for record in all_of_them
        if record in window and matches(record, args, "" if isinstance(record, LogRecord) else record.url)
    ]
    telemetry = context.telemetry

    def show(record: Wrong) -> LogEntry | NetworkEntry | SocketEntry:
        known = telemetry.known(record)
        if isinstance(known, NetworkRecord):
            body = telemetry.body_of(known.id)
            entry = dated(show_network(known, body=body.response_body if body else None), known, context)
            return _without_measures(entry) if context.form == "lines" else entry
        if isinstance(known, SocketRecord):
            return dated(show_socket(known), known, context)
        return dated(show_log(known), known, context)

    page = fill_page(chosen, args, show, form=context.form, key=_key)
    window.mark_shown(page.seqs)
    kinds = Counter(map(_kind, chosen))
    dropped = telemetry.logs.dropped + telemetry.network.dropped + telemetry.sockets.dropped
    return make_listing(page, summarise("error", chosen, kinds) + window.note, dropped)


def list_logs(args: ObserveArgs, context: Context) -> Listing:
    """Console messages, browser messages, and events of tabs."""
    window, worst = time_window_of(args, context), _SEVERITY[args.level or "debug"]
    chosen = [
        record
        for record in context.telemetry.logs.newest(start_of(args.cursor))
        if record in window and _SEVERITY[record.level] <= worst and matches(record, args)
    ]

    def show(record: LogRecord) -> LogEntry:
        entry = show_log(context.telemetry.known(record))
        return dated(entry, record, context) if record.level == "error" else entry

    page = fill_page(chosen, args, show, form=context.form, key=_log_key)
    window.mark_shown(page.seqs)
    levels = Counter[str](record.level for record in chosen)
    return make_listing(page, summarise("message", chosen, levels) + window.note, context.telemetry.logs.dropped)


def _without_measures(entry: NetworkEntry) -> NetworkEntry:
    """In lines, the view `network` has sizes and times. Here only a long time matters."""
    slow = entry.duration_ms is not None and entry.duration_ms >= _LONG_MS
    return evolve(entry, bytes=0, duration_ms=entry.duration_ms if slow else None)


def _ended_badly(record: SocketRecord) -> bool:
    """Whether a socket event is an error that nothing else reports.

    Chrome also logs the socket errors that it sees to the console. It reports neither code nor reason of a close;
    scripts that post to us do.
    """
    if record.event == "error":
        return bool(record.source.ingested_from)
    code = record.details.get("code")
    return record.event == "close" and isinstance(code, int) and code not in _NORMAL_CLOSES


def _kind(record: Wrong) -> str:
    if isinstance(record, LogRecord):
        return _NAMES.get(record.kind, record.kind)
    return "socket error" if isinstance(record, SocketRecord) else "failed request"


def _key(record: Wrong) -> tuple[object, ...]:
    if isinstance(record, LogRecord):
        return _log_key(record)
    if isinstance(record, SocketRecord):
        return (record.source.tab_id, record.url, record.event, record.details.get("message"))
    return _network_key(record)


def _log_key(record: LogRecord) -> tuple[object, ...]:
    return (record.source.tab_id, record.kind, record.level, record.text, record.frames[:1])


def _network_key(record: NetworkRecord) -> tuple[object, ...]:
    # Failures repeat under one URL. The newest one's id represents them all.
    return (record.source.tab_id, record.method, record.url, record.status, record.outcome)
