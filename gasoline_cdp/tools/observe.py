"""`observe`: what the browser did, from the store."""

import re
import time
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from heapq import merge
from typing import Any, Literal

from attrs import field, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.records import Level, LogRecord, NetworkRecord
from gasoline_cdp.tools.entries import (
    LogEntry,
    NetworkDetail,
    NetworkEntry,
    TabEntry,
    show_log,
    show_network,
    show_network_detail,
    show_tab,
)
from gasoline_cdp.tools.network import BodiesAnswer, list_bodies
from gasoline_cdp.tools.page import PageInfo, page_info
from gasoline_cdp.tools.paging import ListingArgs, Page, fill_page, matches, start_of
from gasoline_cdp.tools.spec import Context, Tool
from gasoline_cdp.tools.status import Status, current_status

_SEVERITY: dict[Level, int] = {"error": 0, "warning": 1, "info": 2, "log": 3, "debug": 4}
_STATIC = {"Image", "Font", "Stylesheet", "Script", "Media", "Manifest", "TextTrack"}
_RELATIVE = re.compile(r"^(\d{1,6})\s?(s|m|h)$")

What = Literal["errors", "logs", "network", "network_bodies", "page", "tabs", "status"]


@frozen(kw_only=True)
class ObserveArgs(ListingArgs):
    """Arguments of observe."""

    what: What = wire.arg(
        "errors: all that went wrong, failed requests included; logs: console; network: requests; "
        "network_bodies: what they sent and got; page: what is shown now; tabs; status: browser, buffers, losses"
    )
    level: Level | None = wire.arg("logs: this level and worse", default=None)
    since: str | None = wire.arg("ISO time, or an age such as 30s, 5m", default=None)
    request_id: str | None = wire.arg("network: headers and timing of this one", default=None)
    include_static: bool = wire.arg("network: list scripts, styles, images too", default=False)


@frozen(kw_only=True)
class Listing:
    """A listing: what matched, newest first. `cursor` fetches the rest, `dropped` counts what memory could not keep."""

    summary: str
    entries: list[dict[str, Any]] = wire.entries_of(LogEntry, NetworkEntry)
    total: int
    dropped: int
    left_out: int = 0
    cursor: str | None = None
    static: dict[str, int] = field(factory=dict)
    pending: list[NetworkEntry] = field(factory=list)


@frozen(kw_only=True)
class TabsAnswer:
    """The open tabs, the one used last first."""

    summary: str
    tabs: list[TabEntry]


async def observe(
    args: ObserveArgs, context: Context
) -> Listing | NetworkDetail | BodiesAnswer | PageInfo | TabsAnswer | Status:
    """Answer from the store; only `page` asks Chrome."""
    match args.what:
        case "errors":
            return _errors(args, context)
        case "logs":
            return _logs(args, context)
        case "network":
            return _network(args, context)
        case "network_bodies":
            return list_bodies(args, context)
        case "page":
            return await page_info(args.tab_id, context)
        case "tabs":
            return _tabs(context)
        case "status":
            return current_status(context)


def since_of(text: str | None) -> float:
    """A moment, from an ISO time or from an age."""
    if text is None:
        return 0.0
    if age := _RELATIVE.match(text.strip()):
        return time.time() - int(age[1]) * {"s": 1, "m": 60, "h": 3600}[age[2]]
    try:
        moment = datetime.fromisoformat(text.strip())
        return (moment if moment.tzinfo else moment.astimezone()).timestamp()
    except (ValueError, OverflowError) as error:
        raise GasolineError(
            Code.INVALID_PARAMS,
            f"since must be an ISO 8601 time or an age such as 30s, 5m or 1h, not {text[:40]!r}.",
            problems=["since is not a time"],
        ) from error


def went_wrong(record: NetworkRecord) -> bool:
    """Whether a request belongs among the errors. What the page gave up by itself does not."""
    return record.outcome in {"http_error", "failed", "blocked", "cors_blocked"}


def _listing(page: Page, summary: str, dropped: int, **more: Any) -> Listing:
    return Listing(
        summary=summary,
        entries=page.entries,
        total=page.total,
        dropped=dropped,
        left_out=page.left_out,
        cursor=page.cursor,
        **more,
    )


def _log_key(record: LogRecord) -> tuple[object, ...]:
    return (record.source.tab_id, record.kind, record.level, record.text, record.frames[:1])


def _network_key(record: NetworkRecord) -> tuple[object, ...]:
    # Asset and API failures repeat under one URL; the id of the newest stands for all of them.
    return (record.source.tab_id, record.method, record.url, record.status, record.outcome)


def _errors(args: ObserveArgs, context: Context) -> Listing:
    before, since = start_of(args.cursor), since_of(args.since)
    logs = (record for record in context.telemetry.logs.newest(before) if record.level == "error")
    requests = (record for record in context.telemetry.network.newest(before) if went_wrong(record))
    both: Iterator[LogRecord | NetworkRecord] = merge(logs, requests, key=lambda record: -record.seq)
    chosen = [
        record
        for record in both
        if record.ts >= since and matches(record, args, record.url if isinstance(record, NetworkRecord) else "")
    ]
    page = fill_page(
        chosen,
        args,
        lambda record: show_network(record) if isinstance(record, NetworkRecord) else show_log(record),
        key=lambda record: _network_key(record) if isinstance(record, NetworkRecord) else _log_key(record),
    )
    kinds = Counter("failed request" if isinstance(record, NetworkRecord) else record.kind for record in chosen)
    dropped = context.telemetry.logs.dropped + context.telemetry.network.dropped
    return _listing(page, _counted("error", len(chosen), kinds, chosen), dropped)


def _logs(args: ObserveArgs, context: Context) -> Listing:
    since, worst = since_of(args.since), _SEVERITY[args.level or "debug"]
    chosen = [
        record
        for record in context.telemetry.logs.newest(start_of(args.cursor))
        if record.ts >= since and _SEVERITY[record.level] <= worst and matches(record, args)
    ]
    page = fill_page(chosen, args, show_log, key=_log_key)
    levels = Counter(record.level for record in chosen)
    return _listing(page, _counted("message", len(chosen), levels, chosen), context.telemetry.logs.dropped)


def _network(args: ObserveArgs, context: Context) -> Listing | NetworkDetail:
    if args.request_id is not None:
        return _one_request(args.request_id, context)
    since = since_of(args.since)
    matching = [
        record
        for record in context.telemetry.network.newest(start_of(args.cursor))
        if record.ts >= since and matches(record, args, record.url)
    ]
    chosen, static = [], Counter[str]()
    for record in matching:
        if args.include_static or went_wrong(record) or record.type not in _STATIC:
            chosen.append(record)
        else:
            static[record.type] += 1
    pending = [
        record
        for record in context.capture.pending_requests()
        if record.outcome == "pending" and record.ts >= since and matches(record, args, record.url)
    ]
    page = fill_page(chosen, args, show_network)
    outcomes = Counter(record.outcome for record in chosen)
    summary = _counted("request", len(chosen), outcomes, chosen)
    if static:
        summary += f" {sum(static.values())} static assets that loaded are only counted (include_static lists them)."
    return _listing(
        page,
        summary,
        context.telemetry.network.dropped,
        static=dict(static),
        pending=[show_network(record) for record in pending[:5]] if args.cursor is None else [],
    )


def _one_request(request_id: str, context: Context) -> NetworkDetail:
    for record in (*context.capture.pending_requests(), *context.telemetry.network.newest()):
        if record.id == request_id:
            return show_network_detail(record)
    raise GasolineError(
        Code.NO_SUCH_REQUEST,
        f"No request {request_id[:40]!r} is in the buffer (it holds the newest {limits.NETWORK_ENTRIES}). "
        "observe(what='network') lists them with their ids.",
    )


def _tabs(context: Context) -> TabsAnswer:
    tabs = [show_tab(tab, latest=place == 0) for place, tab in enumerate(context.capture.tabs.open())]
    return TabsAnswer(summary=f"{_number(len(tabs), 'tab')} open.", tabs=tabs)


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _counted(noun: str, count: int, kinds: Counter[Any], records: list[Any]) -> str:
    """A first line made of our own words and numbers only: text of pages stays in the entries."""
    if not count:
        return f"No {noun}s."
    parts = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())
    age = max(0.0, time.time() - max(record.ts for record in records))
    tabs = len({record.source.tab_id for record in records})
    return f"{_number(count, noun)} ({parts}) on {_number(tabs, 'tab')}; the newest {age:.0f} s ago."


TOOLS = (
    Tool(
        name="observe",
        title="Observe the browser",
        description=(
            "See what the browser really did: errors (start here), console, requests, bodies, tabs, status. "
            "History survives navigation. Reads memory only: fast, changes nothing. Newest first, folded, 8 KB; "
            "use cursor for the rest."
        ),
        args=ObserveArgs,
        answer=Listing,
        run=observe,
    ),
)
