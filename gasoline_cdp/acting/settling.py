"""Waits until what a step caused is over: its requests have ended, and the page has stopped changing."""

from collections.abc import Callable, Sequence
from contextlib import suppress

import trio
from attrs import frozen

from gasoline_cdp.analysis.requests import STATIC
from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.connection import CdpClosed, CdpError
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.world import PageFault, call_in_world
from gasoline_cdp.operations.context import Context
from gasoline_cdp.probe.input.replies import unless_dialog
from gasoline_cdp.records import NetworkRecord, Record

# A page that has not changed for this long is at rest.
_QUIET_MS = 100
# How often to look whether requests have ended that leave no record: those that a navigation gave up.
_LOOK_AGAIN_SECONDS = 0.25
# Requests that stay open as long as the page does, or that nobody waits for.
_OPEN_ENDED = frozenset({"EventSource", "WebSocket", "Ping", "Media", "Preflight"})
# What is only drawn when it has come: the page does nothing with it.
_DRAWN = frozenset({"Image", "Font", "Media", "Stylesheet"})
# The clocks of a page and of Chrome differ by less than this.
_CLOCK_SECONDS = 0.01


@frozen(kw_only=True)
class Settled:
    """Whether all came to rest in time, and which requests did not end."""

    at_rest: bool
    pending: tuple[NetworkRecord, ...] = ()


async def settle(context: Context, tab: Tab, since: float, until: float) -> Settled:
    """Wait until the requests begun since then have ended and the page is at rest, or a dialog is open."""
    quiet_ms = _QUIET_MS
    while tab.state == "open":
        with trio.move_on_at(until) as waiting:
            quiet = await _page_is_quiet(tab, milliseconds=quiet_ms)
            pending = requests_since(context, tab, since)
            if quiet and not pending:
                # What the page reported last is on its way.
                await context.capture.flush([tab])
                return Settled(at_rest=True)
            if tab.dialog or tab.state != "open":
                return Settled(at_rest=True)
            # The page is asked again when all of them have ended: what they brought may change it.
            quiet_ms = 0 if quiet and all(one.type in _DRAWN for one in pending) else _QUIET_MS
            while pending and tab.state == "open" and not tab.dialog:
                await _next_record(context)
                pending = requests_since(context, tab, since)
                if any(one.type not in _DRAWN for one in pending):
                    quiet_ms = _QUIET_MS
        if waiting.cancelled_caught or trio.current_time() >= until:
            return Settled(at_rest=False, pending=tuple(requests_since(context, tab, since)))
    return Settled(at_rest=True)


async def pause(context: Context, tab: Tab, since: float, until: float, *, still: bool, leaving: bool) -> None:
    """Wait between two steps until what the first one sent has been answered, and the page is at rest.

    `still`: it only changed what it was for, such as a field. `leaving`: the next one leaves the page, so what the page
    loads for itself does not matter.
    """

    def unanswered() -> bool:
        context.capture.settle()
        return any(
            one.ended is None
            and one.source.tab_id == tab.tab_id
            and one.ts >= since - _CLOCK_SECONDS
            and one.type not in (_OPEN_ENDED | STATIC if leaving else _OPEN_ENDED)
            for one in context.capture.network.in_flight()
        )

    with trio.move_on_at(until):
        while tab.state == "open" and not tab.dialog:
            quiet = await _page_is_quiet(tab, milliseconds=0 if still else _QUIET_MS, loading=not leaving)
            if quiet and not unanswered():
                return
            while unanswered() and tab.state == "open" and not tab.dialog:
                await _next_record(context)


async def first_effect(tab: Tab, until: float, happened: Callable[[], bool]) -> None:
    """Wait until anything happens in a page that nothing has happened in."""
    with trio.move_on_at(until):
        while not happened() and not await _page_is_quiet(tab, changes=True):
            pass


async def new_tabs_named(context: Context, tabs: Sequence[Tab], until: float) -> None:
    """Wait until the tabs that were opened have an address: a reader wants to know what came up."""
    with trio.move_on_at(until):
        while any(tab.state == "open" and not tab.source.url for tab in tabs):
            await _next_record(context)


def requests_since(context: Context, tab: Tab, since: float) -> list[NetworkRecord]:
    """The unfinished requests of a tab that began then or later."""
    return [
        record
        for record in context.capture.pending_requests()
        if record.source.tab_id == tab.tab_id and record.ts >= since - _CLOCK_SECONDS and record.type not in _OPEN_ENDED
    ]


async def _page_is_quiet(
    tab: Tab, *, changes: bool = False, milliseconds: int = _QUIET_MS, loading: bool = True
) -> bool:
    """Wait until the page has not changed for a while. False if it is navigating."""
    if tab.dialog:
        return True
    request = {"quiet_ms": milliseconds, "loading": loading}
    with suppress(CdpClosed, CdpError, PageFault):
        changed = await unless_dialog(tab, lambda: call_in_world(tab.session, page_script("page_quiet"), request))
        return bool(tab.dialog) or (bool(changed) if changes else changed is not None)
    return False


async def _next_record(context: Context) -> None:
    changed = trio.Event()

    def hear(_: Record) -> None:
        changed.set()

    with context.telemetry.listening(hear), trio.move_on_after(_LOOK_AGAIN_SECONDS):
        await changed.wait()
