"""The state of the browser, of the buffers and of the daemon itself."""

import os
import sys
import time
from pathlib import Path

from attrs import frozen

from gasoline_cdp import __version__
from gasoline_cdp.tools.spec import Context
from gasoline_cdp.tools.wording import number_of


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
class BufferAnswer:
    """One ring: what came, what is there, what had to go."""

    received: int
    kept: int
    dropped: int
    bytes: int
    max_entries: int


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
    buffers: dict[str, BufferAnswer]
    bodies: str
    bodies_skipped: int
    bodies_being_read: int
    requests_pending: int
    watchers: int
    pilot: bool


def memory_mb() -> float | None:
    """Resident memory of this process, where the system tells it cheaply."""
    if sys.platform != "linux":
        return None
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)


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
        buffers={
            name: BufferAnswer(
                received=ring.received,
                kept=len(ring),
                dropped=ring.dropped,
                bytes=ring.bytes,
                max_entries=ring.max_entries,
            )
            for name, ring in rings.items()
        },
        bodies=capture.bodies.mode,
        bodies_skipped=capture.bodies.skipped,
        bodies_being_read=capture.bodies.unfinished,
        requests_pending=sum(1 for _ in capture.network.in_flight()),
        watchers=context.telemetry.listeners,
        pilot=context.pilot,
    )
