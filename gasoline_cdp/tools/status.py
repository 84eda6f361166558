"""The state of the browser, of the buffers and of the daemon itself."""

import os
import sys
import time
from pathlib import Path
from typing import Any

from attrs import field, frozen

from gasoline_cdp import __version__
from gasoline_cdp.records import SocketRecord, Source
from gasoline_cdp.store.ring import Ring
from gasoline_cdp.tools.paging import iso
from gasoline_cdp.tools.spec import Context
from gasoline_cdp.tools.wording import number_of

_SOURCES_SHOWN = 5
_NAME_CHARS = 100
_PILOT_EVENTS_SHOWN = 10
_SWITCH = {
    "none": "",
    "open": "in the browser's tab 'Gasoline CDP'",
    "closed": "closed; start gasoline-cdp again to have it back",
}


@frozen(kw_only=True)
class BrowserAnswer:
    """The browser. `note` says what happened to it last."""

    state: str
    mode: str
    version: str | None = None
    pid: int | None = None
    headless: bool | None = None
    restarts: int = 0
    note: str | None = None


@frozen(kw_only=True)
class SourceAnswer:
    """A page, frame, worker or socket: what came from it since it last had nothing here, and what is kept."""

    source: str
    received: int
    kept: int


@frozen(kw_only=True)
class BufferAnswer:
    """One ring: what came, what is there, what had to go."""

    received: int
    kept: int
    dropped: int
    bytes: int
    max_entries: int
    # The busiest sources, if there is more than one.
    by_source: list[SourceAnswer] = field(factory=list)


@frozen(kw_only=True)
class PilotEntry:
    """The pilot was switched on or off, or a tool that needs it was allowed or refused."""

    ts: str
    what: str
    by: str
    tool: str = ""


@frozen(kw_only=True)
class Status:
    """What runs, and what was lost."""

    summary: str
    version: str
    pid: int
    uptime_seconds: float
    memory_mb: float | None
    browser: BrowserAnswer
    tabs: int
    # Targets captured since the start, by kind.
    targets: dict[str, int]
    buffers: dict[str, BufferAnswer]
    bodies: str
    bodies_skipped: int
    bodies_being_read: int
    # Errors and warnings whose objects were not looked into, and scripts not looked for a map, because of a flood.
    looks_skipped: int = 0
    source_maps_skipped: int = 0
    requests_pending: int
    # Because the page was too large to ask the browser, or did not answer.
    actions_without_role: int = 0
    watchers: int
    pilot: bool
    # Where the pilot's switch is, in a browser that has one.
    pilot_switch: str = ""
    # The newest flips of the pilot's switch and calls of tools that need it, newest first; and how many there were.
    pilot_events: list[PilotEntry] = field(factory=list)
    pilot_events_total: int = 0


def memory_mb() -> float | None:
    """Resident memory of this process, where the system tells it cheaply."""
    if sys.platform != "linux":
        return None
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)


def _by_source(ring: Ring[Any]) -> list[SourceAnswer]:
    lanes = ring.by_lane()
    if len(lanes) < 2:
        return []
    busiest = sorted(lanes.values(), key=lambda lane: -lane[1])[:_SOURCES_SHOWN]
    return [SourceAnswer(source=_name(newest), received=received, kept=kept) for newest, received, kept in busiest]


def _name(record: Any) -> str:
    """What a source is called: its socket, or its kind and address."""
    if isinstance(record, SocketRecord):
        return f"{record.connection_id} {record.url[:_NAME_CHARS]}"
    source: Source = record.source
    return f"tab {source.tab_id} {source.kind} {source.url[:_NAME_CHARS]}".strip() if source.tab_id else "browser"


def current_status(context: Context) -> Status:
    """Everything that says whether the other answers can be trusted."""
    browser, capture = context.browser, context.capture
    rings = context.telemetry.rings()
    tabs = sum(1 for _ in capture.tabs.open())
    lost = sum(ring.dropped for ring in rings.values())
    summary = f"Browser {browser.state}, {number_of(tabs, 'tab')}, {number_of(lost, 'record')} dropped."
    return Status(
        summary=f"{summary} {browser.note}".strip(),
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
            restarts=browser.restarts,
            note=browser.note or None,
        ),
        tabs=tabs,
        targets=dict(capture.targets_seen),
        buffers={
            name: BufferAnswer(
                received=ring.received,
                kept=len(ring),
                dropped=ring.dropped,
                bytes=ring.bytes,
                max_entries=ring.max_entries,
                by_source=_by_source(ring),
            )
            for name, ring in rings.items()
        },
        bodies=capture.bodies.mode,
        bodies_skipped=capture.bodies.skipped,
        bodies_being_read=capture.bodies.unfinished,
        looks_skipped=capture.objects.skipped,
        source_maps_skipped=capture.source_maps.skipped,
        actions_without_role=capture.actions.without_role,
        requests_pending=sum(1 for _ in capture.network.in_flight()),
        watchers=context.telemetry.listeners,
        pilot=context.pilot.on,
        pilot_switch=_SWITCH[context.pilot.switch_tab],
        pilot_events=[
            PilotEntry(ts=iso(event.ts), what=event.what, by=event.by, tool=event.tool)
            for event in list(reversed(context.pilot.events))[:_PILOT_EVENTS_SHOWN]
        ],
        pilot_events_total=context.pilot.total,
    )
