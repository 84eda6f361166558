"""What the views of `observe` share: arguments, the window of time, and the listing."""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any, Literal, TypeVar

from attrs import evolve, field, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.answers.action_entries import ActionEntry, DomSnapshotEntry
from gasoline_cdp.answers.lines import Line, note, rest_of, without_repeats
from gasoline_cdp.answers.log_entries import LogEntry
from gasoline_cdp.answers.network_entries import NetworkEntry
from gasoline_cdp.answers.paging import URL_FILTER, ListingArgs, Page
from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.answers.socket_entries import SocketEntry
from gasoline_cdp.answers.timeline_entries import TimelineEntry
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.record_filters import (
    BROWSER,
    BROWSER_CONTEXT_ID,
    RETRY,
    TEST_ID,
    WORKER,
    record_filter,
)
from gasoline_cdp.records import Level, Record
from gasoline_cdp.store.boundaries import RecordFilter
from gasoline_cdp.store.code_changes import LastChange
from gasoline_cdp.store.shown_records import ShownRecords
from gasoline_cdp.views.summaries import Summary

E = TypeVar("E", LogEntry, NetworkEntry, SocketEntry, TimelineEntry)

# So many lines say themselves of which kinds they are.
_FEW_ENTRIES = 30
_SINCE = "ISO time, age (30s, 5m), last (not shown to you yet) or change (of the code)"
_NO_CHANGE = (
    " No change of the code was seen yet: this is since the start. An edit that keeps the size of a file is not seen "
    "without ETag or date."
)
_RELATIVE = re.compile(r"^(\d{1,6})\s?(s|m|h)$")

What = Literal[
    "errors",
    "logs",
    "network",
    "network_bodies",
    "websockets",
    "actions",
    "dom_snapshots",
    "timeline",
    "vitals",
    "performance",
    "page",
    "screenshot",
    "accessibility_tree",
    "memory",
    "tabs",
    "analyze_result",
    "status",
]

# Views that list events with their times.
LISTINGS: tuple[What, ...] = (
    "errors", "logs", "network", "network_bodies", "websockets", "actions", "dom_snapshots", "timeline",
)  # fmt: skip


@frozen(kw_only=True)
class SinceArgs(ListingArgs):
    """Arguments of tools that show the same as a view of observe."""

    since: str | None = wire.arg(_SINCE, default=None)


@frozen(kw_only=True)
class ObserveArgs(ListingArgs):
    """Arguments of observe. Every view accepts `tab_id`, `limit`, `cursor` and `max_bytes`."""

    what: What = wire.choice(
        "errors (failed requests too), logs, network (GET 200 unless said; request_id: its headers, timing), "
        "network_bodies, websockets, actions (the user's), timeline (actions, requests, errors), dom_snapshots "
        "(headings), vitals, performance (loads by path), page, screenshot, accessibility_tree, memory, tabs, status, "
        "analyze_result (of a pending call)"
    )
    url_filter: str | None = wire.arg(URL_FILTER, default=None, only=(*LISTINGS, "performance"))
    level: Level | None = wire.arg("logs: lowest level to include.", default=None, only=("logs",))
    since: str | None = wire.arg(
        "ISO time, age (5m), last (not shown to you yet; tree: changes), change (of the code)",
        default=None,
        only=(*LISTINGS, "accessibility_tree"),
    )
    test_id: str | None = wire.arg(TEST_ID, default=None, only=LISTINGS)
    retry: int | None = wire.arg(RETRY, default=None, minimum=0, only=LISTINGS)
    worker: str | None = wire.arg(WORKER, default=None, only=LISTINGS)
    browser_context_id: str | None = wire.arg(BROWSER_CONTEXT_ID, default=None, only=LISTINGS)
    browser: str | None = wire.arg(BROWSER, default=None, only=LISTINGS)
    request_id: str | None = wire.arg(
        "network: show headers and timing of this request", default=None, only=("network", "network_bodies")
    )
    include_static: bool = wire.arg(
        "network: include scripts, styles, images", default=False, only=("network", "timeline")
    )
    last_n_actions: int | None = wire.arg(
        "actions, timeline: only since the last N actions",
        default=None,
        minimum=1,
        maximum=limits.ACTION_ENTRIES,
        only=("actions", "timeline"),
    )
    correlation_id: str | None = wire.arg(
        "analyze_result: the id that the pending answer gave.", default=None, only=("analyze_result",)
    )
    selector: str | None = wire.arg(
        "screenshot, accessibility_tree: only this element.", default=None, only=("screenshot", "accessibility_tree")
    )
    within: str | None = wire.arg("tree: inside this selector or ref", default=None, only=("accessibility_tree",))
    text: str | None = wire.arg("tree: lines with this text", default=None, only=("accessibility_tree",))
    interactive_only: bool = wire.arg(
        "tree: only what can be clicked, typed into or chosen.",
        default=False,
        only=("accessibility_tree",),
    )
    full_page: bool = wire.arg("screenshot: the whole page", default=False, only=("screenshot",))
    mark: bool = wire.arg("screenshot: draw the refs of controls", default=False, only=("screenshot",))
    format: Literal["jpeg", "png", "webp"] | None = wire.arg(
        "screenshot: image format", default=None, only=("screenshot",)
    )
    include: list[Literal["actions", "network", "errors"]] | None = wire.arg(
        "timeline: kinds to show", default=None, only=("timeline",)
    )


@frozen(kw_only=True)
class Listing:
    """A listing: what matched, newest first. `cursor` fetches the rest, `dropped` counts what memory could not keep."""

    summary: str
    entries: list[Any] = wire.entries_of(
        LogEntry, NetworkEntry, SocketEntry, ActionEntry, DomSnapshotEntry, TimelineEntry
    )
    total: int
    dropped: int
    left_out: int = 0
    cursor: str | None = None
    static: dict[str, int] = field(factory=dict)
    pending: list[NetworkEntry] = field(factory=list)
    # A larger limit shows them.
    pending_left_out: int = 0
    # The summary without counts by kind.
    brief: str = wire.internal("")
    # How the measured lines were written.
    shared: SharedFacts | None = wire.internal(None)
    text_chars: int = wire.internal(limits.LINE_TEXT_CHARS)

    def render(self) -> Iterator[Line]:
        """The summary with shared facts, one line per entry, and how to get the rest."""
        entries = [wire.typed(entry) for entry in self.entries]
        shared = self.shared or SharedFacts.of([*entries, *self.pending])
        few = len(entries) <= _FEW_ENTRIES and not self.left_out
        summary = self.brief if few and self.brief else self.summary
        yield Line(" ".join(filter(None, (summary, shared.heading()))), tone="heading")
        yield from shared.source_lines([*entries, *self.pending])
        yield from without_repeats(line for entry in entries for line in entry.lines(shared, self.text_chars))
        if self.pending:
            more = f" ({self.pending_left_out} more: a larger limit)" if self.pending_left_out else ""
            yield Line(f"Under way{more}:", tone="heading")
            yield from without_repeats(line for one in self.pending for line in one.lines(shared, self.text_chars))
        yield from rest_lines(self.left_out, self.cursor, self.dropped)


def rest_lines(left_out: int, cursor: str | None, dropped: int) -> Iterator[Line]:
    """What is not shown: entries that did not fit, and entries that memory could not keep."""
    yield from rest_of(left_out, cursor)
    if dropped:
        yield note(f"{dropped} older ones had to make room and are gone.", "warning")


def make_listing(page: Page, summary: Summary, dropped: int, **more: Any) -> Listing:
    """A page of entries as an answer."""
    return Listing(
        summary=str(summary),
        brief=summary.brief,
        entries=page.entries,
        total=page.total,
        dropped=dropped,
        left_out=page.left_out,
        cursor=page.cursor,
        shared=page.shared,
        text_chars=page.text_chars,
        **more,
    )


def since_of(text: str | None) -> float:
    """A timestamp from an ISO time or an age."""
    if text is None:
        return 0.0
    if age := _RELATIVE.match(text.strip()):
        return time.time() - int(age[1]) * {"s": 1, "m": 60, "h": 3600}[age[2]]
    try:
        given = datetime.fromisoformat(text.strip())
        return (given if given.tzinfo else given.astimezone()).timestamp()
    except (ValueError, OverflowError) as error:
        raise GasolineError(
            Code.INVALID_PARAMS,
            f"since must be an ISO 8601 time, an age such as 30s, 5m or 1h, last, or change, not {text[:40]!r}.",
            problems=["since is not a time"],
        ) from error


class TimeWindow:
    """Which records are wanted: since a time or a code change, of a test, not shown before."""

    def __init__(
        self,
        since: float = 0.0,
        selects: Callable[[Record], bool] | None = None,
        *,
        change: LastChange | None = None,
        note: str = "",
    ) -> None:
        self._since = since
        self._selects = selects
        self._change = change
        # A sentence for the end of the summary.
        self.note = note
        self._view = ""
        self._shown: ShownRecords | None = None
        self._only_new = False

    def of_view(self, view: str, shown: ShownRecords, *, only_new: bool) -> "TimeWindow":
        """Remember what this view shows to a client. With `only_new`, leave out what it already showed."""
        self._view, self._shown, self._only_new = view, shown, only_new
        return self

    @property
    def is_unlimited(self) -> bool:
        """Whether it contains every record."""
        return not (self._only_new or self._since) and self._change is None and self._selects is None

    def __contains__(self, record: Record) -> bool:
        if self._only_new and self._shown is not None and self._shown.has(self._view, record.seq):
            return False
        if self._change is not None and self._change.is_newer_than(record):
            return False
        return record.ts >= self._since and (self._selects is None or self._selects(record))

    def mark_shown(self, seqs: Iterable[int]) -> None:
        """Remember that these records are in the answer."""
        if self._shown is not None:
            self._shown.add(self._view, seqs)


def time_window_of(args: ObserveArgs, context: Context) -> TimeWindow:
    """The window that `since`, `test_id` and their like select."""
    return view_window(args.what, args.since, record_filter(args), args.tab_id, context)


def view_window(
    view: What, since: str | None, wanted: RecordFilter, tab_id: int | None, context: Context
) -> TimeWindow:
    """The same for a tool that shows what a view of observe does: what either showed is not new to the client."""
    only_new = since == "last"
    window = requested_window(None if only_new else since, wanted, context, tab_id)
    return window.of_view(view, context.client.shown, only_new=only_new)


def requested_window(
    since: str | None, wanted: RecordFilter, context: Context, tab_id: int | None = None
) -> TimeWindow:
    """The same for operations with other arguments, which do not remember what they showed."""
    selects = context.boundaries.selects(wanted) if wanted else None
    if since != "change":
        return TimeWindow(since_of(since), selects)
    change = context.telemetry.code_changes.last(tab_id)
    if change is None:
        return TimeWindow(0.0, selects, note=_NO_CHANGE)
    age = max(0.0, time.time() - change.ts)
    return TimeWindow(0.0, selects, change=change, note=f" Since the code changed {age:.0f} s ago.")


def dated(entry: E, record: Record, context: Context) -> E:
    """The entry of a failure, marked if the code of its tab has changed since."""
    return evolve(entry, before_change=True) if context.telemetry.code_changes.is_older(record) else entry
