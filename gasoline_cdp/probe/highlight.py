"""Points at an element: a frame with a label, drawn by the browser above the page and outside its document."""

from typing import Any

import trio
from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.world import WORLD, PageFault
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.probe.dom import asking

_GROUP = "gasoline-highlight"

_LOOK: Params = {
    # The label: the element's tag, id, classes and size, at its edge or at the edge of the window.
    "showInfo": True,
    "showAccessibilityInfo": False,
    "contentColor": {"r": 255, "g": 96, "b": 0, "a": 0.18},
    "paddingColor": {"r": 255, "g": 96, "b": 0, "a": 0.18},
    "borderColor": {"r": 217, "g": 48, "b": 37, "a": 0.9},
    "contentOutlineColor": {"r": 217, "g": 48, "b": 37, "a": 1},
}


@frozen(kw_only=True)
class Highlighted:
    """Where the element is, in CSS pixels from the window's top left corner."""

    bounds: dict[str, float]
    drawn: bool
    on_screen: bool


class Highlights:
    """What is marked at the moment: at most one element in each tab, each until its time is over."""

    def __init__(self) -> None:
        self._until: dict[Tab, float] = {}
        self._changed = trio.Event()

    async def show(self, tab: Tab, selector: str, seconds: float) -> Highlighted:
        """Mark the first element that matches; what was marked before is not any more."""
        with asking(tab):
            session = tab.session
            await self.hide(tab)
            found = await _find(session, selector)
            try:
                placed = await _bounds(session, found)
                await session.send("DOM.enable")
                await session.send("Overlay.enable")
                await session.send("Overlay.highlightNode", {"objectId": found, "highlightConfig": _LOOK})
            finally:
                session.post("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})
            self._until[tab] = trio.current_time() + seconds
            self._changed.set()
            return placed

    async def hide(self, tab: Tab) -> None:
        """Remove the mark of a tab, if there is one."""
        if self._until.pop(tab, None) is not None and tab.state == "open":
            with trio.move_on_after(limits.PAGE_ANSWER_SECONDS):
                try:
                    await tab.session.send("Overlay.hideHighlight")
                    await tab.session.send("Overlay.disable")
                except (CdpClosed, CdpError):
                    # A page that is gone shows no mark.
                    return

    def hide_all(self) -> None:
        """The pilot was switched off: no mark stays."""
        for tab in self._until:
            self._until[tab] = -1.0
        self._changed.set()

    async def run(self) -> None:
        """Remove marks when their time is over, for ever."""
        while True:
            self._changed = trio.Event()
            now = trio.current_time()
            for tab in [tab for tab, until in self._until.items() if until <= now]:
                await self.hide(tab)
            with trio.move_on_at(min(self._until.values(), default=float("inf"))):
                await self._changed.wait()


async def _call(session: Session, function: str, call: Params) -> Params:
    return await session.send(
        "Runtime.callFunctionOn",
        {"functionDeclaration": page_script(function), "objectGroup": _GROUP, "silent": True, **call},
    )


async def _find(session: Session, selector: str) -> str:
    """The handle of the element, in our own world of the page's main frame."""
    tree = await session.send("Page.getFrameTree")
    world = await session.send(
        "Page.createIsolatedWorld", {"frameId": tree["frameTree"]["frame"]["id"], "worldName": WORLD}
    )
    context = {"executionContextId": world["executionContextId"]}
    reply = await _call(session, "find_element", {**context, "arguments": [{"value": selector}]})
    found: dict[str, Any] = reply.get("result") or {}
    if "exceptionDetails" in reply:
        raise PageFault("find_element")
    if found.get("subtype") == "node":
        return str(found["objectId"])
    told = await session.send(
        "Runtime.callFunctionOn",
        {
            "functionDeclaration": "function () { return this.problem; }",
            "objectId": found.get("objectId", ""),
            "returnByValue": True,
        },
    )
    if told["result"].get("value") == "invalid_selector":
        raise GasolineError(
            Code.INVALID_SELECTOR, "The selector is no CSS selector. Correct it.", selector=selector[:200]
        )
    raise GasolineError(
        Code.ELEMENT_NOT_FOUND,
        "No element matches the selector, in the page, its open shadow roots and its frames of the same origin.",
        selector=selector[:200],
    )


async def _bounds(session: Session, element: str) -> Highlighted:
    reply = await _call(
        session,
        "element_bounds",
        {"objectId": element, "arguments": [{"objectId": element}], "returnByValue": True},
    )
    placed: dict[str, Any] = reply["result"]["value"]
    return Highlighted(bounds=placed["bounds"], drawn=placed["drawn"], on_screen=placed["onScreen"])
