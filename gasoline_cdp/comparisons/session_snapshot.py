"""Captures a snapshot of the session for the tools that compare."""

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from typing import Literal, TypeVar

from attrs import frozen

from gasoline_cdp.analysis.compare.occurrences import Opened, Records
from gasoline_cdp.analysis.compare.snapshots import (
    SessionIssue,
    SessionSnapshot,
    Socket,
    Sourced,
    page_of,
    take_snapshot,
)
from gasoline_cdp.answers.paging import ListingArgs, matches
from gasoline_cdp.audits.axe_runs import torn
from gasoline_cdp.capture.websocket import SocketConnection
from gasoline_cdp.cdp.tabs import NO_TAB
from gasoline_cdp.operations.context import Context
from gasoline_cdp.records import OWN_WORDS, LogRecord, Record
from gasoline_cdp.redact import safe_text
from gasoline_cdp.store.code_changes import LastChange
from gasoline_cdp.views.websockets import matches_connection

R = TypeVar("R", bound=Sourced)

# What a comparison can include besides errors, requests, sockets and loads.
Category = Literal["accessibility", "contracts", "security"]


@frozen(kw_only=True)
class TimeSpan:
    """Which records belong to a snapshot: those of a tab and a URL, since a time."""

    tab_id: int | None = None
    url_filter: str = ""
    from_seq: int = 0
    from_ts: float = 0.0
    # Actions, secrets and the like count if they were seen since this time.
    seen_since: float = 0.0
    # The span begins with this code change.
    change: LastChange | None = None

    def __contains__(self, record: Record) -> bool:
        return record.seq > self.from_seq and not (self.change is not None and self.change.is_newer_than(record))


SnapshotCheck = Callable[[TimeSpan, Context], Awaitable[tuple[SessionIssue, ...]]]


async def capture_snapshot(
    context: Context, span: TimeSpan, checks: dict[Category, SnapshotCheck], include: tuple[Category, ...] = ()
) -> SessionSnapshot:
    """Everything captured within the span, and the results of the checks in `include`."""
    filters = ListingArgs(tab_id=span.tab_id, url_filter=span.url_filter or None)
    telemetry = context.telemetry
    # The checks may take a while, so they come first. The rest is read at one point in time.
    findings = await _run_checks(context, span, checks, include)
    await context.capture.wait_known()
    connections = context.capture.sockets.connections()
    socket_errors = Counter(record.connection_id for record in telemetry.sockets.newest() if record.event == "error")
    return take_snapshot(
        now=time.time(),
        page_url=_page_url(context, span.tab_id),
        url_filter=span.url_filter,
        logs=[record for record in telemetry.logs.newest() if record in span and matches(record, filters)],
        network=[
            record
            for record in telemetry.network.newest()
            # A request that began before the span does not count as tried in it.
            if record in span and record.ts >= span.from_ts and matches(record, filters, record.url)
        ],
        sockets=[
            (_socket(connection, socket_errors), _opened(connection))
            for connection in connections
            if connection.opened >= span.from_ts and matches_connection(connection, filters)
        ],
        performance=[
            record
            for record in telemetry.performance.newest()
            if record in span and matches(record, filters, record.url)
        ],
        findings=findings,
        pending=_of_tab(context.capture.pending_requests(), span),
        around=Records(
            actions=list(map(telemetry.known, _of_tab(telemetry.actions.newest(), span))),
            network=_of_tab(telemetry.network.newest(), span),
            sockets=_of_tab(telemetry.sockets.newest(), span),
            opened=[_opened(connection) for connection in connections],
            loaded=context.capture.navigation.loaded,
            logs=_of_tab(telemetry.logs.newest(), span),
        ),
        tried_since=max(span.from_ts, span.seen_since),
        known=telemetry.known,
        # Without a beginning: those of now.
        conditions=tuple(safe_text(one) for one in context.conditions.since(span.from_ts or time.time())),
    )


async def _run_checks(
    context: Context, span: TimeSpan, checks: dict[Category, SnapshotCheck], include: tuple[Category, ...]
) -> dict[str, tuple[SessionIssue, ...]]:
    """The results of the checks. Raises if the document changed meanwhile."""
    tab = context.tabs.pick(span.tab_id) if {"accessibility", "security"} & set(include) else None
    navigation = tab.source.navigation if tab else 0
    findings: dict[str, tuple[SessionIssue, ...]] = {
        category: await checks[category](span, context) for category in include
    }
    if tab and tab.source.navigation != navigation:
        raise torn(tab)
    return findings


def _of_tab(records: Iterable[R], span: TimeSpan) -> list[R]:
    return [record for record in records if span.tab_id is None or record.source.tab_id in (span.tab_id, NO_TAB)]


def _opened(connection: SocketConnection) -> Opened:
    return Opened(connection.id, connection.url, connection.source, connection.opened, connection.during)


def was_active(context: Context, span: TimeSpan, pages: tuple[str, ...]) -> bool:
    """Whether any of these pages (any page, if none is given) did anything within the span."""
    filters = ListingArgs(tab_id=span.tab_id)
    rings = (context.telemetry.logs, context.telemetry.network, context.telemetry.actions, context.telemetry.sockets)
    return any(
        record in span
        and record.ts >= span.from_ts
        and matches(record, filters)
        and not (isinstance(record, LogRecord) and record.kind in OWN_WORDS)
        and (not pages or page_of(record) in pages)
        for ring in rings
        for record in ring.newest()
    )


def _socket(connection: SocketConnection, errors: Counter[str]) -> Socket:
    return Socket(
        url=connection.url,
        state=connection.state,
        failed=int(connection.state == "refused" or errors[connection.id] > 0),
        messages=sum(connection.messages.values()),
        message_rate=connection.rate(),
        page_url=connection.source.url,
    )


def _page_url(context: Context, tab_id: int | None) -> str:
    tabs = [tab for tab in context.tabs.open() if not tab_id or tab.tab_id == tab_id]
    return tabs[0].source.url if tabs else ""
