"""Waits for what a caller names: a text, an element, a request, or rest."""

from contextlib import suppress

import trio

from gasoline_cdp.acting.settling import settle
from gasoline_cdp.analysis.acting.steps import Waiting, parse_target
from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.connection import CdpClosed, CdpError
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.world import PageFault
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.probe.dom import frame_answers
from gasoline_cdp.probe.elements import frames_of, one_at_a_time
from gasoline_cdp.probe.input.actionable import Wanted, check
from gasoline_cdp.probe.input.gestures import until_ready
from gasoline_cdp.probe.input.refusals import Refused
from gasoline_cdp.probe.input.targets import find_target
from gasoline_cdp.records import Record

# How much of a call a wait may take. The rest is for the answer.
_RESERVE_SECONDS = 2.0
_WAIT_SECONDS = 15.0


async def wait_for(context: Context, tab: Tab, waiting: Waiting, since: float, until: float) -> str:
    """Wait until it is there. Raises `Refused` if it does not come in time. Requests since the call's begin count."""
    soon = min(until - _RESERVE_SECONDS, trio.current_time() + _WAIT_SECONDS)
    match waiting.kind:
        case "idle":
            if not (await settle(context, tab, since, soon)).at_rest:
                raise Refused("the page did not come to rest")
        case "request":
            await _request(context, tab, waiting.value, since, soon)
        case "element":
            target = parse_target(waiting.value)

            async def look(attempt: int) -> None:
                await check(await find_target(tab, target, first=True), Wanted(enabled=False), attempt)

            await until_ready(tab, soon, look)
        case _:

            async def read(_: int) -> None:
                if not await _has_text(tab, waiting.value):
                    raise Refused(f"the text {waiting.value[:80]!r} did not appear")

            await until_ready(tab, soon, read)
    return ""


async def _has_text(tab: Tab, text: str) -> bool:
    async with one_at_a_time(tab):
        frames = await frames_of(tab)
    for frame in frames:
        with suppress(GasolineError), frame_answers(frame.world.session, tab.session):
            try:
                if await frame.world.call(page_script("has_text"), text):
                    return True
            except (CdpClosed, CdpError, PageFault):
                if frame.outer is None:
                    raise
    return False


async def _request(context: Context, tab: Tab, part: str, since: float, until: float) -> None:
    """Wait until a request has ended whose address contains a text."""
    changed = trio.Event()

    def hear(_: Record) -> None:
        changed.set()

    with context.telemetry.listening(hear), trio.move_on_at(until):
        while True:
            context.capture.settle()
            if any(
                part in record.url and record.source.tab_id == tab.tab_id and record.ts >= since - 0.01
                for record in context.telemetry.network.newest()
            ):
                return
            with trio.move_on_after(0.5):
                await changed.wait()
            changed = trio.Event()
    raise Refused(f"no request with {part[:80]!r} in its address ended")
