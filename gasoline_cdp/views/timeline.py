"""The view `timeline`: actions, requests and errors in order of time."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from attrs import evolve, frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.contracts.shapes import response_shape
from gasoline_cdp.analysis.elements import element_of
from gasoline_cdp.analysis.requests import went_wrong
from gasoline_cdp.answers.log_entries import show_log
from gasoline_cdp.answers.network_entries import show_network
from gasoline_cdp.answers.paging import fill_page, in_time, iso, matches
from gasoline_cdp.answers.timeline_entries import TimelineEntry
from gasoline_cdp.operations.context import Context
from gasoline_cdp.records import ActionRecord, LogRecord, NetworkRecord
from gasoline_cdp.views.listing import Listing, ObserveArgs, dated, make_listing, time_window_of
from gasoline_cdp.views.network import is_static
from gasoline_cdp.views.summaries import summarise

_MESSAGE_CHARS = 300

Happened = ActionRecord | NetworkRecord | LogRecord


def list_timeline(args: ObserveArgs, context: Context) -> Listing:
    """Everything merged, newest first, at most 200 entries."""
    matching = [record for record in _happened(context) if _fits(record, args)]
    start, window = _start_of_actions(matching, args.last_n_actions), time_window_of(args, context)
    wanted = set(args.include or ("actions", "network", "errors"))
    chosen = [
        record
        for record in in_time(matching, args.cursor)
        if record in window and record.ts >= start and (_is_change(record) or _PARTS[type(record)].name in wanted)
    ]
    shown, static = [], Counter[str]()
    for record in chosen:
        if isinstance(record, NetworkRecord) and is_static(record) and not args.include_static:
            static[record.type] += 1
            window.mark_shown([record.seq])
        else:
            shown.append(record)

    def show(record: Happened) -> TimelineEntry:
        entry = _PARTS[type(record)].show(context.telemetry.known(record), context)
        return dated(entry, record, context) if _is_wrong(record) else entry

    most = limits.TIMELINE_ENTRIES
    if args.limit is None:
        page = fill_page(shown, args, show, form=context.form, default_limit=most)
    else:
        page = fill_page(shown, evolve(args, limit=min(args.limit, most)), show, form=context.form)
    window.mark_shown(page.seqs)
    summary = summarise("event", shown, Counter(_event_of(record) for record in shown)) + window.note
    if page.left_out:
        summary += f" The newest {len(page.entries)} are shown, {page.left_out} older ones are not."
    telemetry = context.telemetry
    dropped = telemetry.actions.dropped + telemetry.network.dropped + telemetry.logs.dropped
    return make_listing(page, summary, dropped, static=dict(static))


def _happened(context: Context) -> Iterator[Happened]:
    telemetry = context.telemetry
    yield from telemetry.actions.newest()
    # A granted preflight adds nothing to its request.
    yield from (record for record in telemetry.network.newest() if not record.preflight_for or went_wrong(record))
    yield from (
        record for record in telemetry.logs.newest() if record.level in {"error", "warning"} or _is_change(record)
    )


def _fits(record: Happened, args: ObserveArgs) -> bool:
    return matches(record, args, record.url if isinstance(record, NetworkRecord) else "")


def _start_of_actions(records: list[Happened], last: int | None) -> float:
    """The time of the `last`-th action from the end."""
    times = sorted((record.ts for record in records if isinstance(record, ActionRecord)), reverse=True)
    return times[min(last, len(times)) - 1] if last and times else 0.0


def _is_change(record: Happened) -> bool:
    """A code change separates before from after, so it is shown whatever `include` says."""
    return isinstance(record, LogRecord) and record.kind == "change"


def _is_wrong(record: Happened) -> bool:
    if isinstance(record, LogRecord):
        return record.level == "error"
    return isinstance(record, NetworkRecord) and went_wrong(record)


def _event_of(record: Happened) -> str:
    if isinstance(record, ActionRecord):
        return "action"
    if isinstance(record, NetworkRecord):
        return "request"
    return "change" if _is_change(record) else record.level


def _show_action(record: ActionRecord, _: Context) -> TimelineEntry:
    return TimelineEntry(
        ts=iso(record.ts),
        event="action",
        type=record.type,
        element=element_of(record.selectors),
        fields=record.fields,
        tab_id=record.source.tab_id,
        frame=record.source.url[:_MESSAGE_CHARS] if record.source.kind == "iframe" else None,
    )


def _show_request(record: NetworkRecord, context: Context) -> TimelineEntry:
    entry = show_network(record)
    body = context.telemetry.body_of(record.id)
    shape = context.capture.bodies.inspection.shape_of(record.id)
    if shape is None and body and not body.response_truncated:
        shape = response_shape(body.response_body, limits.SHOWN_SHAPE_BYTES)
    return TimelineEntry(
        ts=entry.ts,
        event="request",
        id=entry.id,
        method=entry.method,
        url=entry.url,
        status=entry.status,
        outcome=entry.outcome if went_wrong(record) or record.status is None else None,
        failure=entry.failure,
        duration_ms=entry.duration_ms,
        response_shape=shape,
        tab_id=entry.tab_id,
        frame=entry.frame,
        worker=entry.worker,
    )


def _show_log(record: LogRecord, _: Context) -> TimelineEntry:
    entry = show_log(record)
    return TimelineEntry(
        ts=entry.ts,
        event=_event_of(record),
        type=entry.kind,
        message=entry.message[:_MESSAGE_CHARS],
        at=entry.at,
        tab_id=entry.tab_id,
        frame=entry.frame,
        worker=entry.worker,
    )


@frozen
class _Part:
    """A kind of record in the timeline: its name in `include`, and how it is shown."""

    name: str
    show: Callable[[Any, Context], TimelineEntry]


_PARTS: dict[type[Happened], _Part] = {
    ActionRecord: _Part("actions", _show_action),
    NetworkRecord: _Part("network", _show_request),
    LogRecord: _Part("errors", _show_log),
}
