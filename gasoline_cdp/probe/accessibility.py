"""Runs axe-core in a page and in all its frames, and lets axe join the results."""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import trio
from attrs import define, field, frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.markup import safe_markup
from gasoline_cdp.assets import page_script, vendored
from gasoline_cdp.cdp.connection import CdpClosed, CdpError
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.world import PageFault, World, frame_inside, open_world
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.probe.dom import frame_answers
from gasoline_cdp.redact import EDGE, safe_text

# Not the observers' world: axe brings polyfills of its own.
_WORLD = "gasoline-audit"
_GROUP = "gasoline-audit"
_MOST = {
    "text": 300,
    # Longer than shown, so that a secret at the cut is seen whole.
    "html": limits.AUDIT_HTML_CHARS + EDGE,
    # Enough of a related element's tag to recognise it.
    "tag": 120,
    "related": limits.AUDIT_RELATED,
    "allRelated": limits.AUDIT_ALL_RELATED,
    "data": 2000,
    "elements": limits.AUDIT_ELEMENTS,
    "layers": limits.AUDIT_LAYERS,
}


@frozen(kw_only=True)
class AxeRequest:
    """What to run, and on what."""

    # A selector, or several that lead into shadow roots and frames; empty for the whole page.
    scope: tuple[str, ...] = ()
    tags: tuple[str, ...] | None = None
    passes: bool = False

    def options(self) -> dict[str, Any]:
        """The options for the page script."""
        return {"tags": list(self.tags) if self.tags is not None else None, "passes": self.passes}


@define
class AxeRun:
    """The result of axe, shortened by the page script. `warnings` say what is missing."""

    tab_id: int = 0
    # When it ended, in seconds since the epoch.
    taken_at: float = 0.0
    # The number by which a cursor refers to it, once it is stored.
    number: int = 0
    passes: bool = False
    result: dict[str, Any] = field(factory=dict)
    frames: int = 1
    frames_unreached: int = 0
    warnings: list[str] = field(factory=list)


class Axe:
    """One audit of one tab. A new `generation` avoids the world in which an audit was cancelled."""

    def __init__(self, tab: Tab, request: AxeRequest, generation: int, on_progress: Callable[[int], None]) -> None:
        self._tab = tab
        self._request = request
        self._world = f"{_WORLD}-{generation}"
        self._on_progress = on_progress
        self._run = AxeRun(tab_id=tab.tab_id, passes=request.passes)
        # The page has answered, so from now on it is our code that keeps it busy.
        self.running = False

    async def audit(self) -> AxeRun:
        """Run the audit. Frames that are too slow or vanish are left out. The page itself must answer.

        Raises `CdpClosed` if the page navigates, and `invalid_selector`, `invalid_params`, `axe_injection_failed`.
        """
        run = self._run
        try:
            world = await open_world(self._tab.session, name=self._world, own_policy=True)
            self.running = True
            reply = await self._begin(world, {"scope": list(self._request.scope), "top": True})
        except PageFault as fault:
            raise _explain(fault) from fault
        if "unknown" in reply:
            raise _unknown_tags(reply)
        self._on_progress(run.frames)
        if "result" in reply:
            return await self._ended(reply["result"])
        partials: list[str | None] = []
        with trio.CancelScope(deadline=trio.current_effective_deadline() - limits.AUDIT_RESERVE_SECONDS) as scope:
            for frame in reply["frames"]:
                await self._frame(world, frame, partials)
        if scope.cancelled_caught and not run.warnings:
            run.warnings.append("timeout")
        request = {"partials": partials, "options": self._request.options(), "most": _MOST}
        return await self._ended((await world.call(page_script("axe_audit"), "finish", request))["result"])

    async def _ended(self, result: dict[str, Any]) -> AxeRun:
        # The result is kept for a while, so mask its secrets now. In a thread: a page may have thousands of elements.
        await trio.to_thread.run_sync(mask_html, result)
        self._run.result = result
        self._run.taken_at = time.time()
        return self._run

    async def _begin(self, world: World, where: dict[str, Any]) -> dict[str, Any]:
        """Run the rules in a frame. axe is loaded once per document."""
        request = {**where, "options": self._request.options(), "most": _MOST}
        reply: dict[str, Any] = await world.call(page_script("axe_audit"), "begin", request)
        if reply.get("missing"):
            try:
                await world.load(vendored("axe.min.js"))
            except (PageFault, CdpError) as error:
                raise _not_loaded(str(error)) from error
            reply = await world.call(page_script("axe_audit"), "begin", request)
            if reply.get("missing"):
                raise _not_loaded("it did not start")
        return reply

    async def _frame(self, outer: World, frame: dict[str, Any], partials: list[str | None]) -> None:
        """A frame and its child frames, in the order in which axe expects them; None for one that cannot be reached."""
        self._run.frames += 1
        try:
            if self._run.frames > limits.AUDIT_FRAMES:
                raise CdpClosed("there are too many frames")
            world = await self._inside(outer, frame["selector"])
            reply = await self._begin(world, {"context": frame["context"], "top": False})
        except (CdpError, CdpClosed, PageFault, GasolineError) as error:
            if outer.session.closed_reason:
                raise CdpClosed(outer.session.closed_reason) from error
            self._run.frames_unreached += 1
            if isinstance(error, GasolineError) and error.code is Code.PAGE_HUNG and not self._run.warnings:
                self._run.warnings.append("timeout")
            partials.append(None)
            return
        partials.append(reply["partial"])
        self._on_progress(self._run.frames)
        for inner in reply["frames"]:
            await self._frame(world, inner, partials)

    async def _inside(self, outer: World, selector: list[Any]) -> World:
        element = await outer.call_for_handle(
            page_script("axe_audit"), "frame", {"selector": selector, "most": _MOST}, group=_GROUP
        )
        inside = await frame_inside(outer, element, self._tab.session) if element else None
        outer.session.post("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})
        if inside is None:
            raise CdpClosed("the frame is gone")
        session, frame_id = inside
        with frame_answers(session, self._tab.session, limits.AUDIT_FRAME_SECONDS):
            return await open_world(session, frame_id, name=self._world, own_policy=True)


def mask_html(result: dict[str, Any]) -> None:
    """Mask the secrets in the HTML of all elements that a result contains."""
    for kind in ("violations", "incomplete"):
        for node in (node for rule in result[kind] for node in rule["nodes"]):
            node["html"] = safe_markup(node["html"], _MOST["html"])
            for check in (check for part in ("none", "all", "any") for check in node[part]):
                for other in check.get("related") or ():
                    other["html"] = safe_markup(other["html"], _MOST["tag"])


async def free_page(tab: Tab) -> None:
    """Stop an audit that never ends: a page can send axe into a loop (`<input name="parentNode">`)."""
    with trio.move_on_after(limits.AUDIT_PING_SECONDS) as waiting, suppress(CdpError, CdpClosed):
        await tab.session.send("Runtime.evaluate", {"expression": "0"})
    if waiting.cancelled_caught:
        with trio.move_on_after(limits.AUDIT_PING_SECONDS), suppress(CdpError, CdpClosed):
            await tab.session.send("Runtime.terminateExecution")


def _explain(fault: PageFault) -> GasolineError:
    said = safe_text(str(fault).partition("\n")[0], 300).rstrip(".")
    if "reading 'documentElement'" in said:
        return GasolineError(Code.AXE_INJECTION_FAILED, "The page has no elements at all: there is nothing to audit.")
    if "No elements found for include" in said:
        return GasolineError(
            Code.INVALID_SELECTOR, "The selector matches nothing in the page. query_dom shows what a selector matches."
        )
    if "valid selector" in said:
        return GasolineError(Code.INVALID_SELECTOR, f"The browser cannot read the selector: {said}.")
    return GasolineError(
        Code.AXE_INJECTION_FAILED,
        "The accessibility engine failed in this page; `details` has its words. Reload the page, or narrow the audit.",
        said=said,
    )


def _not_loaded(said: str) -> GasolineError:
    return GasolineError(
        Code.AXE_INJECTION_FAILED,
        "The accessibility engine could not be loaded into the page; `details` has the browser's words. "
        "Load an ordinary page, then call again.",
        said=safe_text(said, 200),
    )


def _unknown_tags(reply: dict[str, Any]) -> GasolineError:
    unknown = ", ".join(repr(tag[:40]) for tag in reply["unknown"][:5])
    standards = [tag for tag in reply["known"] if tag.startswith(("wcag2", "best", "cat.", "section", "EN-301"))]
    known = ", ".join(tag for tag in standards if not tag[4:].isdecimal())
    return GasolineError(
        Code.INVALID_PARAMS, f"axe-core has no tags {unknown}. Some that it has: {known}.", problems=["unknown tags"]
    )
