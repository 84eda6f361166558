"""The view `websockets`: connections, and their messages and events."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from attrs import frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.answers.amounts import clock, number, size
from gasoline_cdp.answers.lines import Line, note, without_repeats
from gasoline_cdp.answers.paging import (
    ListingArgs,
    budget_of,
    fill_page,
    fitting,
    iso,
    matches,
    start_of,
)
from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.answers.socket_entries import SocketEntry, show_socket
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.capture.websocket import SocketConnection
from gasoline_cdp.operations.context import Context
from gasoline_cdp.views.listing import ObserveArgs, TimeWindow, rest_lines, time_window_of
from gasoline_cdp.views.summaries import summarise

_EVENTS_DEFAULT = 50


@frozen(kw_only=True)
class ConnectionEntry:
    """One connection with its counts. Close code and reason cannot be seen from outside the page."""

    id: str
    type: str
    url: str
    state: str
    opened: str
    status: int | None = None
    sent: int = 0
    received: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0
    messages_per_second: float | None = None
    closed: str | None = None
    tab_id: int

    def line(self, shared: SharedFacts) -> Line:
        """`ws1 open /socket 3 sent 96B, 12 received 1.25KB`."""
        rate = self.messages_per_second
        words = (
            shared.url(self.url),
            "eventsource" if self.type == "eventsource" else "",
            f"status {self.status}" if self.status not in {None, 101, 200} else "",
            f"{self.sent} sent {size(self.bytes_sent)}," if self.sent else "",
            f"{self.received} received {size(self.bytes_received)}" if self.received else "nothing received",
            f"{number(rate)}/s" if rate else "",
            f"closed {clock(self.closed)}" if self.closed else "",
            shared.tab(self.tab_id),
        )
        return Line(
            " ".join(filter(None, words)), time=clock(self.opened), tag=f"{self.id} {self.state}", tone="action"
        )


@frozen(kw_only=True)
class SocketsAnswer:
    """The connections, and events, newest first."""

    summary: str
    connections: list[ConnectionEntry]
    # A larger max_bytes shows them.
    connections_left_out: int = 0
    entries: list[Any] = wire.entries_of(SocketEntry)
    total: int
    dropped: int
    left_out: int = 0
    cursor: str | None = None
    # How the measured lines were written.
    shared: SharedFacts | None = wire.internal(None)
    text_chars: int = wire.internal(limits.LINE_TEXT_CHARS)

    def render(self) -> Iterator[Line]:
        """The connections, then the events, newest first."""
        entries: list[SocketEntry] = [wire.typed(entry) for entry in self.entries]
        shared = self.shared or SharedFacts.of([*self.connections, *entries])
        yield Line(" ".join(filter(None, (self.summary, shared.heading()))), tone="heading")
        for connection in self.connections:
            yield connection.line(shared)
        if self.connections_left_out:
            yield note(f"{self.connections_left_out} more connections: a larger max_bytes shows them")
        yield from shared.source_lines(entries)
        yield from without_repeats(line for entry in entries for line in entry.lines(shared, self.text_chars))
        yield from rest_lines(self.left_out, self.cursor, self.dropped)


def list_sockets(args: ObserveArgs, context: Context) -> SocketsAnswer:
    """The view for `observe`."""
    return list_socket_events(args, context, time_window_of(args, context))


def list_socket_events(
    args: ListingArgs,
    context: Context,
    window: TimeWindow,
    *,
    connection_id: str | None = None,
    direction: str | None = None,
) -> SocketsAnswer:
    """Matching connections and events, for `observe` and `get_websocket_events`."""
    chosen = [
        record
        for record in context.telemetry.sockets.newest(start_of(args.cursor))
        if record in window
        and matches(record, args, record.url)
        and connection_id in (None, record.connection_id)
        and direction in (None, record.direction)
    ]
    connections = [
        _show(connection)
        for connection in context.capture.sockets.connections()
        if connection_id in (None, connection.id) and matches_connection(connection, args)
    ]
    # Connections take at most half of the answer: with many of them, it still has events.
    shown = fitting(connections, budget_of(args, _EVENTS_DEFAULT) // 2 - 2)
    page = fill_page(
        chosen,
        args,
        show_socket,
        form=context.form,
        default_limit=_EVENTS_DEFAULT,
        reserved=len(wire.encode(wire.dump(shown))),
    )
    window.mark_shown(page.seqs)
    kinds = Counter[str](record.event for record in chosen)
    still_open = sum(connection.state == "open" for connection in connections)
    summary = f"{number_of(len(connections), 'connection')}, {still_open} open. {summarise('event', chosen, kinds)}"
    summary += window.note
    if not context.capture.sockets.enabled:
        off = "WebSocket and EventSource capture is off (--no-websockets): start without it to see them."
        summary = f"{off} {summary}" if connections or chosen else off
    return SocketsAnswer(
        summary=summary,
        connections=shown,
        connections_left_out=len(connections) - len(shown),
        entries=page.entries,
        total=page.total,
        dropped=context.telemetry.sockets.dropped,
        left_out=page.left_out,
        cursor=page.cursor,
        shared=page.shared,
        text_chars=page.text_chars,
    )


def matches_connection(connection: SocketConnection, filters: ListingArgs) -> bool:
    """Whether a connection matches the requested tab and URL."""
    wanted = (filters.url_filter or "").lower()
    same_tab = not filters.tab_id or connection.source.tab_id == filters.tab_id
    return same_tab and any(wanted in url.lower() for url in (connection.url, connection.source.url))


def _show(connection: SocketConnection) -> ConnectionEntry:
    return ConnectionEntry(
        id=connection.id,
        type=connection.kind,
        url=connection.url[:300],
        state=connection.state,
        opened=iso(connection.opened),
        status=connection.status,
        sent=connection.messages["outgoing"],
        received=connection.messages["incoming"],
        bytes_sent=connection.bytes["outgoing"],
        bytes_received=connection.bytes["incoming"],
        messages_per_second=connection.rate(),
        closed=iso(connection.closed) if connection.closed is not None else None,
        tab_id=connection.source.tab_id,
    )
