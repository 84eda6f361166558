"""The state of the browser, of the buffers and of the daemon itself."""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import field, frozen

from gasoline_cdp import __version__
from gasoline_cdp.answers.amounts import clock, duration
from gasoline_cdp.answers.lines import Line, note
from gasoline_cdp.answers.paging import ListingArgs, iso, start_of
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.browser.status import BrowserStatus
from gasoline_cdp.operations.conditions_use import describe_conditions
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.debugger_use import describe_debugger
from gasoline_cdp.streaming import Streaming
from gasoline_cdp.views.browsers import BrowserEntry, GapEntry, cost_of, gap_lines, show_browser, show_gaps
from gasoline_cdp.views.buffers import BufferAnswer, show_buffer
from gasoline_cdp.views.export import ExportStatus, export_status

_SOURCES_SHOWN, _SOURCES_AT_ONCE = 5, 50
_PILOT_EVENTS_SHOWN, _SUBSCRIBERS_SHOWN = 10, 5
_SWITCH = {
    "none": "",
    "open": "in the browser's tab 'Gasoline CDP'",
    "closed": "closed, and what was switched on in it is off; start gasoline-cdp again to have it back",
}


@frozen(kw_only=True)
class BrowserAnswer:
    """The browser. `note` says what happened to it last."""

    state: str
    mode: str
    version: str | None = None
    pid: int | None = None
    headless: bool | None = None
    # The page size if it was set at the start, and where other clients reach the browser.
    viewport: str | None = None
    debug_url: str | None = None
    restarts: int = 0
    note: str | None = None
    # The last times at which nothing of it was seen, and how many there were.
    gaps: list[GapEntry] = field(factory=list)
    gaps_total: int = 0
    # What it costs; only where there are several browsers.
    records: int | None = None
    record_bytes: int | None = None
    cpu_seconds: float | None = None


@frozen(kw_only=True)
class IngestAnswer:
    """What scripts in pages posted. `missing` counts numbered batches that were sent but never arrived."""

    batches: int
    accepted: int
    rejected: int
    missing: int


@frozen(kw_only=True)
class PilotEntry:
    """The pilot was switched on or off, or a tool that needs it was allowed or refused."""

    ts: str
    what: str
    by: str
    tool: str = ""


@frozen(kw_only=True)
class StreamEntry:
    """A client that can receive events. `held_back` are delayed by the throttle, `repeated` had just been sent."""

    enabled: bool
    events: list[str]
    sent: int
    held_back: int
    repeated: int
    # Notifications that the client did not read in time.
    dropped: int


@frozen(kw_only=True)
class StreamingStatus:
    """Clients that receive events, and what was sent and dropped since the start."""

    subscribers: list[StreamEntry]
    left_out: int = 0
    sent: int
    dropped: int


@frozen(kw_only=True)
class Status:
    """What runs, and what data was lost."""

    summary: str
    version: str
    pid: int
    uptime_seconds: float
    memory_mb: float | None
    browser: BrowserAnswer
    # Those attached by request, then those of them that ended.
    browsers: list[BrowserEntry] = field(factory=list)
    tabs: int
    # Tabs whose first requests were not seen. They are filled in from the page's timing entries, as far as possible.
    tabs_joined_late: int = 0
    # Targets captured since the start, by kind.
    targets: dict[str, int]
    buffers: dict[str, BufferAnswer]
    bodies: str
    bodies_skipped: int
    bodies_being_read: int
    # Errors and warnings without deep previews, and scripts whose source map was not read, because of a flood.
    looks_skipped: int = 0
    source_maps_skipped: int = 0
    requests_pending: int
    # The page was too large to ask for roles, or did not answer.
    actions_without_role: int = 0
    watchers: int
    streaming: StreamingStatus
    # Set if a person asked for it at the start.
    export: ExportStatus | None = None
    # Set once something was posted.
    ingested: IngestAnswer | None = None
    # What of the debugger is in use, and what it has done; empty if nothing is.
    debugger: str = ""
    # The conditions that pages are tried under; empty if none are in force.
    conditions: str = ""
    pilot: bool
    # Where the pilot's switch is, if the browser has one.
    pilot_switch: str = ""
    # Switches of the pilot and calls of tools that need it, newest first, and how many there were.
    pilot_events: list[PilotEntry] = field(factory=list)
    pilot_events_total: int = 0
    # Leads to the sources of buffers that were left out.
    cursor: str | None = None

    def render(self) -> Iterator[Line]:
        """What runs and what was lost. Normal values are left out."""
        yield Line(self.summary, tone="heading")
        browser = self.browser
        facts = (
            browser.version,
            browser.mode,
            {True: "headless", False: "with a window", None: ""}[browser.headless],
            f"viewport {browser.viewport}" if browser.viewport else "",
            f"pid {browser.pid}" if browser.pid else "",
            f"debugging at {browser.debug_url}" if browser.debug_url else "",
            f"{number_of(browser.restarts, 'restart')}" if browser.restarts else "",
            cost_of(browser.records, browser.record_bytes or 0, browser.cpu_seconds or 0.0) if browser.records else "",
        )
        yield Line(", ".join(filter(None, facts)), tag="browser")
        yield from gap_lines(browser.gaps, browser.gaps_total, "browser")
        for attached in self.browsers:
            yield attached.line()
            yield from gap_lines(attached.gaps, attached.gaps_total, f"browser {attached.browser}")
        memory = f", {self.memory_mb:g} MB" if self.memory_mb else ""
        yield Line(f"{self.version}, pid {self.pid}, up {duration(self.uptime_seconds * 1000)}{memory}", tag="daemon")
        yield from self._in_use()
        yield Line(f"{number_of(self.requests_pending, 'request')} under way, {self._seen()}", tag="now")
        for name, buffer in self.buffers.items():
            if buffer.received:
                yield from buffer.lines(name)
        for name, count in self._skipped().items():
            yield Line(f"{count} {name}", tag="skipped", tone="warning")
        yield from self._passed_on()
        for event in self.pilot_events:
            what = f"{event.tool} {event.what.replace('_', ' ')}".strip()
            yield Line(f"{what} ({event.by.replace('_', ' ')})", time=clock(event.ts), tag="pilot")
        if (more := self.pilot_events_total - len(self.pilot_events)) > 0:
            yield note(f"{more} earlier events of the pilot")
        if self.cursor and any(buffer.dropped and buffer.sources_left_out for buffer in self.buffers.values()):
            yield note(f'more sources: cursor="{self.cursor}"')

    def _in_use(self) -> Iterator[Line]:
        switch = f"; its switch: {self.pilot_switch}" if self.pilot_switch else ""
        yield Line(f"bodies {self.bodies}; pilot {'on' if self.pilot else 'off'}{switch}", tag="capture")
        for tag, used in (("conditions", self.conditions), ("debugger", self.debugger)):
            if used:
                yield Line(used, tag=tag, tone="warning")

    def _passed_on(self) -> Iterator[Line]:
        """What went out to subscribers and a backend, and what pages posted."""
        if self.streaming.subscribers:
            held = sum(one.held_back for one in self.streaming.subscribers)
            number = number_of(len(self.streaming.subscribers) + self.streaming.left_out, "subscriber")
            counts = f"{self.streaming.sent} sent, {held} held back, {self.streaming.dropped} dropped"
            yield Line(f"{number}, {counts}", tag="streaming")
        if self.export:
            yield self.export.line()
        if self.ingested:
            posted = self.ingested
            lost = f"{posted.rejected} rejected, {posted.missing} missing batches"
            yield Line(f"{posted.accepted} accepted in {posted.batches} batches, {lost}", tag="posted")

    def _seen(self) -> str:
        return ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in self.targets.items()) + " seen"

    def _skipped(self) -> dict[str, int]:
        """What was skipped because of a flood."""
        counts = {
            "bodies not read": self.bodies_skipped,
            "objects not looked into": self.looks_skipped,
            "scripts not looked for a source map": self.source_maps_skipped,
            "actions without the role of their element": self.actions_without_role,
        }
        return {name: count for name, count in counts.items() if count}


def memory_mb() -> float | None:
    """Resident memory of this process, if the system provides it cheaply."""
    if sys.platform != "linux":
        return None
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)


def _ingested(context: Context) -> IngestAnswer | None:
    ingest = context.capture.ingest
    if not ingest.batches:
        return None
    return IngestAnswer(
        batches=ingest.batches, accepted=ingest.accepted, rejected=ingest.rejected, missing=ingest.missing
    )


def _streaming(streaming: Streaming) -> StreamingStatus:
    every = streaming.subscriptions
    on = [one for one in every if one.active]
    return StreamingStatus(
        subscribers=[
            StreamEntry(
                enabled=one.settings.enabled,
                events=list(one.settings.events),
                sent=one.sent,
                held_back=one.held_back,
                repeated=one.repeated,
                dropped=one.dropped,
            )
            for one in on[:_SUBSCRIBERS_SHOWN]
        ],
        left_out=max(0, len(on) - _SUBSCRIBERS_SHOWN),
        sent=streaming.sent + sum(one.sent for one in every),
        dropped=streaming.dropped + sum(one.dropped for one in every),
    )


def current_status(args: ListingArgs, context: Context) -> Status:
    """The state that decides whether other answers can be trusted."""
    browser, capture = context.browser, context.capture
    rings = context.telemetry.rings()
    start = start_of(args.cursor) or 0
    end = start + min(args.limit or _SOURCES_SHOWN, _SOURCES_AT_ONCE)
    more = any(len(ring.by_lane()) > end for ring in rings.values())
    tabs = sum(1 for _ in context.tabs.open())
    dropped = sum(ring.dropped for ring in rings.values())
    browsers = [show_browser(status, context) for status in context.browsers]
    own = show_browser(browser, context) if browsers and browser.mode != "none" else None
    joined_late = capture.navigation.joined_late + capture.backfill.joined_late
    return Status(
        summary=_summary(browser, browsers, tabs=tabs, joined_late=joined_late, dropped=dropped),
        version=__version__,
        pid=os.getpid(),
        uptime_seconds=round(time.monotonic() - context.started_at, 1),
        memory_mb=memory_mb(),
        browser=BrowserAnswer(
            state=browser.state,
            mode=browser.mode,
            version=browser.version or None,
            pid=browser.pid,
            headless=browser.headless,
            viewport=browser.viewport or None,
            debug_url=browser.debug_url or None,
            restarts=browser.restarts,
            note=browser.note or None,
            gaps=show_gaps(browser),
            gaps_total=browser.gaps_total,
            records=own.records if own else None,
            record_bytes=own.record_bytes if own else None,
            cpu_seconds=own.cpu_seconds if own else None,
        ),
        browsers=browsers,
        tabs=tabs,
        tabs_joined_late=joined_late,
        targets=dict(capture.targets_seen),
        buffers={name: show_buffer(ring, start, end) for name, ring in rings.items()},
        bodies=capture.bodies.mode,
        bodies_skipped=capture.bodies.skipped,
        bodies_being_read=len(capture.bodies.backlog),
        looks_skipped=capture.previews.backlog.skipped,
        source_maps_skipped=capture.source_maps.backlog.skipped,
        actions_without_role=capture.actions.without_role,
        requests_pending=sum(1 for _ in capture.network.in_flight()),
        # Streaming and the export listen, too. They have fields of their own.
        watchers=context.telemetry.listeners - context.streaming.listening - (context.export is not None),
        streaming=_streaming(context.streaming),
        export=export_status(context),
        ingested=_ingested(context),
        debugger=describe_debugger(capture),
        conditions=describe_conditions(context),
        pilot=context.pilot.on,
        pilot_switch=_SWITCH[context.pilot.switch_tab],
        pilot_events=[
            PilotEntry(ts=iso(event.ts), what=event.what, by=event.by, tool=event.tool)
            for event in list(reversed(context.pilot.events))[:_PILOT_EVENTS_SHOWN]
        ],
        pilot_events_total=context.pilot.total,
        cursor=str(end) if more else None,
    )


def _summary(
    browser: BrowserStatus, attached: Sequence[BrowserEntry], *, tabs: int, joined_late: int, dropped: int
) -> str:
    """What is worth knowing first: the browsers, the tabs, what was lost."""
    state = f"Browser {browser.state}" if browser.mode != "none" else "No browser of its own"
    if attached:
        state += f", {sum(one.state == 'running' for one in attached)} attached"
    summary = f"{state}, {number_of(tabs, 'tab')}, {number_of(dropped, 'record')} dropped."
    if joined_late:
        summary += f" {number_of(joined_late, 'tab')} joined late: first requests known only in part."
    return f"{summary} {browser.note}".strip()
