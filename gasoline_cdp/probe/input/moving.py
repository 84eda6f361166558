"""Drags, scrolls and uploads."""

from typing import Any

import trio

from gasoline_cdp.analysis.acting.steps import StepTarget
from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.connection import Params
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.world import open_world
from gasoline_cdp.probe.input.actionable import Point, Wanted, check
from gasoline_cdp.probe.input.gestures import until_ready
from gasoline_cdp.probe.input.guard import guarding
from gasoline_cdp.probe.input.pointer import move, press_down, release_up
from gasoline_cdp.probe.input.refusals import Refused
from gasoline_cdp.probe.input.replies import catch_up, send_input
from gasoline_cdp.probe.input.targets import GROUP, TargetElement, find_target

# Pages begin a drag after some pixels, and follow each move.
_MOVES = 8


async def scroll(tab: Tab, target: StepTarget | None, by: str | tuple[int, int], until: float) -> str:
    """Scroll an element into view; or it, or the page, by pixels or to a side."""

    async def scrolled(attempt: int) -> str:
        if target is None:
            world = await open_world(tab.session)
            moved = await world.call(page_script("scroll_to"), by or "down")
        else:
            element = await find_target(tab, target)
            if not by:
                await check(element, Wanted(pointer=True, enabled=False), attempt)
                return ""
            moved = await element.frame.world.call(page_script("scroll_to"), by, element.handle)
        return "" if moved else "nothing moved: it was at its end"

    return await until_ready(tab, until, scrolled)


async def drag(tab: Tab, target: StepTarget, where: StepTarget | tuple[int, int], until: float) -> str:
    """Drag an element onto another one, or by so many pixels."""

    async def look(attempt: int) -> tuple[TargetElement, Point]:
        element = await find_target(tab, target)
        point = await check(element, Wanted(pointer=True), attempt)
        assert point is not None  # noqa: S101 - a pointer was wanted
        return element, point

    async def aim(attempt: int) -> Point:
        if isinstance(where, tuple):
            return Point(start.x + where[0], start.y + where[1])
        point = await check(await find_target(tab, where), Wanted(pointer=True, enabled=False), attempt)
        assert point is not None  # noqa: S101 - as above
        return point

    element, start = await until_ready(tab, until, look)
    end = await until_ready(tab, until, aim)
    # Scrolling to the other one may have moved the first.
    element, start = await until_ready(tab, until, look)
    end = await until_ready(tab, until, aim)
    return await _drag(tab, element, start, end)


async def _drag(tab: Tab, element: TargetElement, start: Point, end: Point) -> str:
    world = element.frame.world
    held: list[dict[str, Any]] = []
    begun = trio.Event()

    def intercepted(params: Params) -> None:
        held.append(params["data"])
        begun.set()

    await tab.session.send("Input.setInterceptDrags", {"enabled": True})
    try:
        with tab.session.listening("Input.dragIntercepted", intercepted):
            await move(tab, start)
            async with guarding(tab, element, "pointer") as reached:
                await press_down(tab, start)
                await catch_up(tab, world.session)
            if reached.pressed is not True:
                await release_up(tab, start)
                reached.require()
                raise Refused("the press reached nothing", final=True)
            await world.call(page_script("drag_started"), "watch")
            for number in range(1, _MOVES + 1):
                share = number / _MOVES
                point = Point(start.x + (end.x - start.x) * share, start.y + (end.y - start.y) * share)
                if held:
                    await _drag_event(tab, "dragOver", point, held[0])
                    continue
                await move(tab, point, held=True)
                if await world.call(page_script("drag_started"), "ask"):
                    await begun.wait()
                    await _drag_event(tab, "dragEnter", point, held[0])
            if held:
                await _drag_event(tab, "dragOver", end, held[0])
                await _drag_event(tab, "drop", end, held[0])
            await release_up(tab, end)
    finally:
        tab.session.post("Input.setInterceptDrags", {"enabled": False})
    return ""


async def _drag_event(tab: Tab, kind: str, point: Point, data: dict[str, Any]) -> None:
    await send_input(tab, "Input.dispatchDragEvent", [{"type": kind, "x": point.x, "y": point.y, "data": data}])


async def upload(tab: Tab, target: StepTarget, files: list[str], until: float) -> str:
    """Give files to a file field, also to one that is hidden behind its label."""

    async def gave(_: int) -> str:
        element = await find_target(tab, target)
        world = element.frame.world
        field = await world.call_for_handle(page_script("file_field"), element.handle, group=GROUP)
        if field is None:
            raise Refused("it is no file field, nor the label of one", final=True)
        if len(files) > 1 and not await world.call(page_script("takes_files"), field):
            raise Refused("the field takes one file only", final=True)
        await world.session.send("DOM.enable")
        await world.session.send("DOM.setFileInputFiles", {"files": files, "objectId": field.object_id})
        return ""

    return await until_ready(tab, until, gave)
