"""Highlights an element: a frame with a label, drawn by the browser above the page and outside its document."""

from typing import Any

import trio
from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.world import Handle, PageFault, World, open_world
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.probe.dom import asking, frame_answers
from gasoline_cdp.probe.elements import STEP, frames_of, hold_element, one_at_a_time, release
from gasoline_cdp.probe.references import is_reference

_GROUP = "gasoline-highlight"

_STYLE: Params = {
    # The label: tag, id, classes and size, at the element's edge or at the edge of the window.
    "showInfo": True,
    "showAccessibilityInfo": False,
    "contentColor": {"r": 255, "g": 96, "b": 0, "a": 0.18},
    "paddingColor": {"r": 255, "g": 96, "b": 0, "a": 0.18},
    "borderColor": {"r": 217, "g": 48, "b": 37, "a": 0.9},
}
# Chrome draws borders only where an element has them. This one is drawn around every box.
_FRAME: Params = {"containerBorder": {"color": {"r": 217, "g": 48, "b": 37, "a": 1}}}
# Inline elements have no box to frame, so they are filled to be visible.
_INLINE: Params = {**_STYLE, "contentColor": {"r": 255, "g": 96, "b": 0, "a": 0.45}}


@frozen(kw_only=True)
class Highlighted:
    """The element's position, in CSS pixels from the window's top left corner."""

    bounds: dict[str, float]
    drawn: bool
    on_screen: bool
    inline: bool


@frozen
class _Mark:
    """Until when an element is highlighted, and the session that draws it."""

    until: float
    session: Session


class Highlights:
    """The current highlights: at most one per tab, each with a time limit."""

    def __init__(self) -> None:
        self._marks: dict[Tab, _Mark] = {}
        self._changed = trio.Event()

    async def show(self, tab: Tab, selector: str, seconds: float) -> Highlighted:
        """Highlight the first matching element, in place of the previous one."""
        with asking(tab):
            async with one_at_a_time(tab):
                await self.hide(tab)
                world, element = await _find(tab, selector)
                session = world.session
                try:
                    highlighted = await _measure(tab, world, element)
                    await _draw(session, element, _INLINE if highlighted.inline else _STYLE)
                finally:
                    session.post("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})
                    release(session)
            self._marks[tab] = _Mark(trio.current_time() + seconds, session)
            self._changed.set()
            return highlighted

    async def hide(self, tab: Tab) -> None:
        """Remove the highlight of a tab, if there is one."""
        mark = self._marks.pop(tab, None)
        if mark is not None and tab.state == "open":
            with trio.move_on_after(limits.PAGE_ANSWER_SECONDS):
                try:
                    await mark.session.send("Overlay.hideHighlight")
                    await mark.session.send("Overlay.disable")
                    # Makes Chrome forget the nodes that it reports changes of. Not "DOM.disable": the badge needs the
                    # domain.
                    await mark.session.send("DOM.getDocument", {"depth": 0})
                except (CdpClosed, CdpError):
                    # A page or frame that is gone shows no highlight.
                    return

    def hide_all(self) -> None:
        """The pilot was switched off: remove all highlights."""
        for tab, mark in self._marks.items():
            self._marks[tab] = _Mark(-1.0, mark.session)
        self._changed.set()

    async def run(self) -> None:
        """Remove highlights when their time is over, until cancelled."""
        while True:
            self._changed = trio.Event()
            now = trio.current_time()
            for tab in [tab for tab, mark in self._marks.items() if mark.until <= now]:
                await self.hide(tab)
            with trio.move_on_at(min((mark.until for mark in self._marks.values()), default=float("inf"))):
                await self._changed.wait()


async def _draw(session: Session, element: Handle, style: Params) -> None:
    node = {"objectId": element.object_id}
    await session.send("DOM.enable")
    await session.send("DOM.getDocument", {"depth": 0})
    await session.send("Overlay.enable")
    frame = {**await session.send("DOM.requestNode", node), "containerQueryContainerHighlightConfig": _FRAME}
    await session.send("Overlay.setShowContainerQueryOverlays", {"containerQueryHighlightConfigs": [frame]})
    await session.send("Overlay.highlightNode", {**node, "highlightConfig": style})


async def _find(tab: Tab, selector: str) -> tuple[World, Handle]:
    """The element: by a selector from an answer; otherwise the first match in the page, then in cross-origin frames."""
    if STEP in selector or is_reference(selector):
        held = await hold_element(tab, selector)
        if held is not None:
            return held[0].world, held[1]
    else:
        top = await open_world(tab.session)
        if element := await _first(top, selector):
            return top, element
        for frame in (await frames_of(tab))[1:]:
            try:
                with frame_answers(frame.world.session, tab.session):
                    if element := await _first(frame.world, selector):
                        return frame.world, element
            except (CdpClosed, CdpError, PageFault, GasolineError):
                # That frame is gone or hangs.
                continue
    raise GasolineError(
        Code.ELEMENT_NOT_FOUND,
        "No element matches the selector, in the page, its open shadow roots and its frames. query_dom with pierce "
        "shows what there is.",
        selector=selector[:200],
    )


async def _first(world: World, selector: str) -> Handle | None:
    """The first match in a frame's document, its shadow roots and its same-origin frames."""
    problem = await world.call(page_script("find_element"), selector, False)
    if problem == "invalid_selector":
        raise GasolineError(
            Code.INVALID_SELECTOR, "The selector is no CSS selector. Correct it.", selector=selector[:200]
        )
    if problem:
        return None
    return await world.call_for_handle(page_script("find_element"), selector, True, group=_GROUP)


async def _measure(tab: Tab, world: World, element: Handle) -> Highlighted:
    measured: dict[str, Any] = await world.call(page_script("element_bounds"), element)
    bounds: dict[str, float] = measured["bounds"]
    on_screen = bool(measured["onScreen"])
    if measured["framed"] and measured["drawn"]:
        # The element is in a cross-origin frame. Only the browser knows where that frame is.
        x, y = await _corner(world.session, {"objectId": element.object_id}, "border")
        session = world.session
        while session is not tab.session and session.parent is not None:
            owner = await session.parent.send("DOM.getFrameOwner", {"frameId": session.target_id})
            session = session.parent
            left, above = await _corner(session, {"backendNodeId": owner["backendNodeId"]}, "content")
            x, y = x + left, y + above
        bounds = {**bounds, "x": round(x, 2), "y": round(y, 2)}
        view = (await tab.session.send("Page.getLayoutMetrics"))["cssLayoutViewport"]
        on_screen = on_screen and (
            -bounds["width"] < x < view["clientWidth"] and -bounds["height"] < y < view["clientHeight"]
        )
    return Highlighted(
        bounds=bounds, drawn=bool(measured["drawn"]), on_screen=on_screen, inline=bool(measured["inline"])
    )


async def _corner(session: Session, node: Params, box: str) -> tuple[float, float]:
    """The top left corner of an element's box, in the window of its process, without the offset of outer frames."""
    await session.send("DOM.enable")
    quad = (await session.send("DOM.getBoxModel", node))["model"][box]
    return min(quad[0::2]), min(quad[1::2])
