"""The views of the console: `errors` (with failed requests) and `logs`."""

from collections import Counter
from collections.abc import Iterator
from heapq import merge

from gasoline_cdp.analysis.requests import went_wrong
from gasoline_cdp.records import Level, LogRecord, NetworkRecord
from gasoline_cdp.tools.entries import show_log, show_network
from gasoline_cdp.tools.listing import Listing, ObserveArgs, make_listing, moments_of, summarise
from gasoline_cdp.tools.paging import fill_page, matches, start_of
from gasoline_cdp.tools.spec import Context

_SEVERITY: dict[Level, int] = {"error": 0, "warning": 1, "info": 2, "log": 3, "debug": 4}
# What a summary calls an error of a kind whose own name says only where it comes from.
_NAMES = {"console": "console error", "browser": "browser error"}


def list_errors(args: ObserveArgs, context: Context) -> Listing:
    """All that went wrong, in one list."""
    before, moments = start_of(args.cursor), moments_of(args, context)
    logs = (record for record in context.telemetry.logs.newest(before) if record.level == "error")
    requests = (record for record in context.telemetry.network.newest(before) if went_wrong(record))
    both: Iterator[LogRecord | NetworkRecord] = merge(logs, requests, key=lambda record: -record.seq)
    chosen = [
        record
        for record in both
        if record.ts in moments and matches(record, args, record.url if isinstance(record, NetworkRecord) else "")
    ]
    page = fill_page(
        chosen,
        args,
        lambda record: show_network(record) if isinstance(record, NetworkRecord) else show_log(record, context.capture),
        key=lambda record: _network_key(record) if isinstance(record, NetworkRecord) else _log_key(record),
    )
    kinds = Counter(
        "failed request" if isinstance(record, NetworkRecord) else _NAMES.get(record.kind, record.kind)
        for record in chosen
    )
    dropped = context.telemetry.logs.dropped + context.telemetry.network.dropped
    return make_listing(page, summarise("error", chosen, kinds), dropped)


def list_logs(args: ObserveArgs, context: Context) -> Listing:
    """The console, the browser's own messages, and the events in the life of tabs."""
    moments, worst = moments_of(args, context), _SEVERITY[args.level or "debug"]
    chosen = [
        record
        for record in context.telemetry.logs.newest(start_of(args.cursor))
        if record.ts in moments and _SEVERITY[record.level] <= worst and matches(record, args)
    ]
    page = fill_page(chosen, args, lambda record: show_log(record, context.capture), key=_log_key)
    levels = Counter[str](record.level for record in chosen)
    return make_listing(page, summarise("message", chosen, levels), context.telemetry.logs.dropped)


def _log_key(record: LogRecord) -> tuple[object, ...]:
    return (record.source.tab_id, record.kind, record.level, record.text, record.frames[:1])


def _network_key(record: NetworkRecord) -> tuple[object, ...]:
    # Asset and API failures repeat under one URL; the id of the newest stands for all of them.
    return (record.source.tab_id, record.method, record.url, record.status, record.outcome)
