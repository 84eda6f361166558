"""Finds the one element that a target names: by reference, by CSS selector, or by role and name."""

from collections.abc import Sequence
from typing import Any

from attrs import frozen

from gasoline_cdp.analysis.accessibility.tree import called, is_called
from gasoline_cdp.analysis.acting.steps import StepTarget
from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Session
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.world import Handle, PageFault
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.probe.accessibility_tree import Tree, read_trees
from gasoline_cdp.probe.dom import frame_answers
from gasoline_cdp.probe.elements import (
    STEP,
    FrameScope,
    frame_of,
    frames_of,
    hold_all,
    hold_element,
    one_at_a_time,
    release,
)
from gasoline_cdp.probe.input.refusals import Refused
from gasoline_cdp.probe.references import document_ids
from gasoline_cdp.redact import safe_text

# Elements held for one step.
GROUP = "gasoline-act"
_CANDIDATES = 5
_NAME_CHARS = 80


@frozen
class TargetElement:
    """An element that is held for a step, in its frame."""

    frame: FrameScope
    handle: Handle
    # Chrome's number of the node.
    node: int
    # Such as `LABEL`.
    tag: str = ""


async def find_target(tab: Tab, target: StepTarget, *, first: bool = False) -> TargetElement:
    """The element. Raises `Refused` if there is none, or several, unless the `first` will do.

    Raises `GasolineError` for what cannot be a selector.
    """
    if target.role:
        matches = await _by_role(tab, target)
    else:
        async with one_at_a_time(tab):
            if target.reference:
                return await _by_reference(tab, target.reference)
            matches = await _by_css(tab, target.css)
    if not matches:
        raise Refused(f"nothing matches {safe_text(target.text, _NAME_CHARS)}")
    if len(matches) > 1:
        drawn = [one for one in matches if await one.frame.world.call(page_script("is_drawn"), one.handle)]
        matches = drawn or matches
    if len(matches) > 1 and not first:
        raise Refused(await _say_candidates(tab, matches), final=True)
    return matches[0]


def release_targets(tab: Tab) -> None:
    """Release what was held for a step."""
    for session in (tab.session, *tab.session.below()):
        session.post("Runtime.releaseObjectGroup", {"objectGroup": GROUP})


async def _by_reference(tab: Tab, reference: str) -> TargetElement:
    try:
        held = await hold_element(tab, reference)
    except GasolineError as error:
        if error.code is Code.ELEMENT_NOT_FOUND:
            raise Refused(error.message.rstrip("."), final=True) from error
        raise
    if held is None:
        raise Refused(f"{reference} names nothing", final=True)
    frame, handle = held
    element = await _keep(frame, handle)
    release(frame.world.session)
    return element


async def _by_css(tab: Tab, selector: str) -> list[TargetElement]:
    if STEP in selector:
        frame, rest = await frame_of(tab, selector)
        return await _in_frame(frame, rest)
    matches: list[TargetElement] = []
    frames = await frames_of(tab)
    for frame in frames:
        try:
            with frame_answers(frame.world.session, tab.session):
                matches += await _in_frame(frame, selector)
        except (CdpClosed, CdpError, PageFault):
            if frame.outer is None:
                raise
    return matches or await _in_closed_roots(frames, selector)


async def _in_frame(frame: FrameScope, selector: str) -> list[TargetElement]:
    handles = await hold_all(frame, selector)
    matches = [await _keep(frame, handle) for handle in handles]
    release(frame.world.session)
    return matches


async def _in_closed_roots(frames: Sequence[FrameScope], selector: str) -> list[TargetElement]:
    """In shadow roots that scripts cannot enter: only Chrome knows them."""
    matches: list[TargetElement] = []
    worlds = {frame.world.frame_id: frame for frame in frames}
    for session in dict.fromkeys(frame.world.session for frame in frames):
        await session.send("DOM.enable")
        whole = (await session.send("DOM.getDocument", {"depth": -1, "pierce": True}))["root"]
        roots = _closed_roots(whole, frames[0].world.frame_id)
        # Makes Chrome forget the nodes that it would report changes of.
        await session.send("DOM.getDocument", {"depth": 0})
        for number, frame_id in roots:
            frame = worlds.get(frame_id) or next(one for one in frames if one.world.session is session)
            root = await _resolve(frame, number)
            array = root and await frame.world.call_for_handle(page_script("query_root"), selector, root, group=GROUP)
            matches += [await _keep(frame, handle) for handle in (await frame.world.items(array) if array else [])]
    return matches


def _closed_roots(node: dict[str, Any], frame_id: str) -> list[tuple[int, str]]:
    """The numbers of closed shadow roots, and of all roots inside them, each with its frame."""
    roots: list[tuple[int, str]] = []
    waiting = [(node, frame_id, False)]
    while waiting:
        one, frame, hidden = waiting.pop()
        for root in one.get("shadowRoots") or ():
            if root.get("shadowRootType") == "user-agent":
                continue
            inside = hidden or root.get("shadowRootType") == "closed"
            if inside:
                roots.append((int(root["backendNodeId"]), frame))
            waiting.append((root, frame, inside))
        if document := one.get("contentDocument"):
            waiting.append((document, str(one.get("frameId") or frame), False))
        waiting += [(child, frame, hidden) for child in one.get("children") or ()]
    return roots


async def _by_role(tab: Tab, target: StepTarget) -> list[TargetElement]:
    """By what the tree says, which is what an assistant has read."""
    wanted = "StaticText" if target.role.lower() == "text" else target.role
    trees = (await read_trees(tab, None)).trees
    return await _called(trees, wanted, target.name) or await _called(trees, wanted, target.name, loosely=True)


async def _called(trees: Sequence[Tree], role: str, name: str, *, loosely: bool = False) -> list[TargetElement]:
    matches: dict[tuple[str, int], TargetElement] = {}
    for tree in trees:
        numbers = [
            int(node.get("backendDOMNodeId") or 0)
            for node in tree.nodes
            if is_called(node, role, name, loosely=loosely)
        ]
        for number in dict.fromkeys(filter(None, numbers)):
            handle = await _resolve(tree.frame, number)
            world = tree.frame.world
            near = handle and await world.call_for_handle(page_script("nearest_element"), handle, group=GROUP)
            if near:
                element = await _keep(tree.frame, near)
                matches[world.frame_id, element.node] = element
    return list(matches.values())


async def _keep(frame: FrameScope, handle: Handle) -> TargetElement:
    """The element in a group of our own: other queries release theirs."""
    described = await frame.world.session.send("DOM.describeNode", {"objectId": handle.object_id})
    node = described["node"]
    number = int(node["backendNodeId"])
    own = await _resolve(frame, number)
    if own is None:
        raise CdpClosed("the element is gone")
    return TargetElement(frame, own, number, str(node.get("nodeName", "")).upper())


async def _resolve(frame: FrameScope, number: int) -> Handle | None:
    params = {"backendNodeId": number, "objectGroup": GROUP, "executionContextId": frame.world.context_id}
    (reply,) = await frame.world.session.send_many("DOM.resolveNode", [params])
    object_id = ((reply or {}).get("object") or {}).get("objectId")
    return Handle(str(object_id)) if object_id else None


async def _say_candidates(tab: Tab, matches: Sequence[TargetElement]) -> str:
    """The first of them, each with a reference that names it alone."""
    shown = []
    documents: dict[Session, dict[str, str]] = {}
    for element in matches[:_CANDIDATES]:
        session = element.frame.world.session
        if session not in documents:
            documents[session] = await document_ids(session)
        tag = tab.document_tags.of(documents[session].get(element.frame.world.frame_id, ""))
        reply = await session.send(
            "Accessibility.getPartialAXTree", {"objectId": element.handle.object_id, "fetchRelatives": False}
        )
        node: dict[str, Any] = next(iter(reply.get("nodes") or []), {})
        shown.append(f"{called(node) if node and not node.get('ignored') else 'element'} @{tag}{element.node}")
    more = f" and {len(matches) - len(shown)} more" if len(matches) > len(shown) else ""
    return f"{len(matches)} elements match: {', '.join(shown)}{more}. Name one by its reference"
