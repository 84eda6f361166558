"""Finds elements in a page, its shadow roots and its frames, with role and name as the browser computes them."""

from typing import Any, Protocol
from weakref import WeakKeyDictionary

import trio
from attrs import define, evolve, field, frozen

from gasoline_cdp import limits
from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Session
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.world import Handle, PageFault, World, frame_inside, open_world
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.probe.dom import frame_answers
from gasoline_cdp.probe.references import document_ids, gone, is_reference, parse_reference
from gasoline_cdp.redact import EDGE, safe_text

_GROUP = "gasoline-dom"
_MOST = {
    # A little longer than shown, so that a secret at the cut is seen whole.
    "text": limits.DOM_TEXT_CHARS + EDGE,
    "children": limits.DOM_CHILDREN,
    "attributes": limits.DOM_ATTRIBUTES,
    "attributeChars": limits.DOM_ATTRIBUTE_CHARS + EDGE,
}
_FRAMES = "iframe, frame"
STEP = ">>>"


@frozen(kw_only=True)
class DomQuery:
    """What to search for, and how much to return."""

    selector: str
    start: int = 0
    limit: int = limits.DOM_ELEMENTS
    styles: tuple[str, ...] | None = None
    depth: int = 0
    pierce: bool = False

    def request(self, steps: list[str], *, held: bool = False) -> dict[str, Any]:
        """The request for the page script. With `held`, elements are only found, not described."""
        return {
            "steps": steps,
            "from": self.start,
            "limit": self.limit,
            "styles": None if self.styles is None else list(self.styles),
            "depth": self.depth,
            "pierce": self.pierce,
            "held": held,
            "most": _MOST,
        }


@define
class ElementMatches:
    """The matching elements. `sessions` are those for which Chrome now keeps an accessibility tree."""

    url: str = ""
    title: str = ""
    match_count: int = 0
    elements: list[dict[str, Any]] = field(factory=list)
    frames_unreached: int = 0
    # The step of the selector that failed, and whether it matched anything.
    lost: str = ""
    lost_matched: bool = False
    sessions: list[Session] = field(factory=list)


class Counting(Protocol):
    """Counts the frames that could not be reached."""

    frames_unreached: int


@frozen
class FrameScope:
    """A frame: its world, and the selector that leads into it."""

    world: World
    path: str = ""
    # The frame around it; None for the page.
    outer: "FrameScope | None" = None

    def inside(self, selector: str) -> str:
        """A selector of this frame, from the top document."""
        return f"{self.path} {STEP} {selector}" if self.path else selector


_asked: WeakKeyDictionary[Tab, trio.Lock] = WeakKeyDictionary()


def one_at_a_time(tab: Tab) -> trio.Lock:
    """Around a query about elements: concurrent ones would find or release each other's elements."""
    return _asked.setdefault(tab, trio.Lock())


async def find_elements(tab: Tab, query: DomQuery) -> ElementMatches:
    """The elements of the page that match a selector, described. Raises `invalid_selector` and Chrome's errors."""
    async with one_at_a_time(tab):
        return await _find_elements(tab, query)


async def _find_elements(tab: Tab, query: DomQuery) -> ElementMatches:
    matches = ElementMatches()
    if is_reference(query.selector):
        frame, element = await _by_ref(tab, query.selector)
        await _search(frame, query, [], matches, element)
        return matches
    top = FrameScope(await open_world(tab.session))
    steps = [step.strip() for step in query.selector.split(STEP)]
    frame, steps = await _enter(tab, top, steps)
    await _search(frame, query, steps, matches)
    if query.pierce:
        for inner in await _frames_below(tab, frame, matches):
            try:
                with frame_answers(inner.world.session, tab.session):
                    await _search(inner, query, steps, matches)
            except (CdpError, CdpClosed, PageFault, GasolineError):
                # The frame is gone or hangs.
                matches.frames_unreached += 1
    return matches


async def hold_element(tab: Tab, selector: str) -> tuple[FrameScope, Handle] | None:
    """The first element that a selector or a reference names, for further queries; None if there is none.

    Only within `one_at_a_time`, until it is released.
    """
    if is_reference(selector):
        return await _by_ref(tab, selector)
    frame, steps = await _enter(
        tab, FrameScope(await open_world(tab.session)), [s.strip() for s in selector.split(STEP)]
    )
    answer = await _ask(frame.world, DomQuery(selector=selector, limit=1).request(steps, held=True))
    held = await _held(frame.world) if answer["matchCount"] else []
    return (frame, held[0]) if held else None


async def hold_all(frame: FrameScope, selector: str) -> list[Handle]:
    """Every element of a frame that a selector matches, in its open shadow roots too, up to `DOM_ELEMENTS`.

    Only within `one_at_a_time`.
    """
    query = DomQuery(selector=selector, pierce=True)
    answer = await _ask(frame.world, query.request([step.strip() for step in selector.split(STEP)], held=True))
    return await _held(frame.world) if answer["matchCount"] else []


async def frame_of(tab: Tab, selector: str) -> tuple[FrameScope, str]:
    """The frame that the steps of a selector lead into, and the steps that remain."""
    frame, steps = await _enter(
        tab, FrameScope(await open_world(tab.session)), [step.strip() for step in selector.split(STEP)]
    )
    return frame, f" {STEP} ".join(steps)


async def frames_of(tab: Tab, matches: Counting | None = None) -> list[FrameScope]:
    """The page and all reachable frames, parents first. Unreachable ones are counted.

    Only within `one_at_a_time`.
    """
    top = FrameScope(await open_world(tab.session))
    return [top, *(await _frames_below(tab, top, matches or ElementMatches()))]


def release(session: Session) -> None:
    """Release the elements held for a query."""
    session.post("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})


async def install_selectors(world: World) -> None:
    """Install what finds selectors of elements. Only needed where a document began before we attached."""
    for script in ("reading", "selectors", "containers"):
        await world.call(page_script(script))


async def _ask(world: World, request: dict[str, Any], *element: Handle) -> dict[str, Any]:
    answer: dict[str, Any] = await world.call(page_script("query_dom"), request, *element)
    if answer.get("missing"):
        await install_selectors(world)
        answer = await world.call(page_script("query_dom"), request, *element)
    if "invalid" in answer:
        raise GasolineError(
            Code.INVALID_SELECTOR,
            f"The browser cannot read the selector: {safe_text(answer['invalid'], 300)} Use CSS; to find "
            "elements by their text, ask observe(what='accessibility_tree').",
        )
    return answer


async def _held(world: World) -> list[Handle]:
    array = await world.call_for_handle(page_script("asked_elements"), group=_GROUP)
    return await world.items(array) if array else []


async def _enter(tab: Tab, frame: FrameScope, steps: list[str]) -> tuple[FrameScope, list[str]]:
    """Follow the steps that lead into frames. Returns the frame and the remaining steps."""
    while len(steps) > 1:
        answer = await _ask(frame.world, DomQuery(selector="", limit=1).request(steps, held=True))
        if "into" not in answer:
            break
        (owner,) = await _held(frame.world)
        frame = await _open(tab, frame, owner, answer["into"])
        steps = answer["rest"]
    return frame, steps


async def _open(tab: Tab, outer: FrameScope, owner: Handle, selector: str) -> FrameScope:
    inside = await frame_inside(outer.world, owner, tab.session)
    if inside is None:
        raise CdpClosed("the frame is gone")
    session, frame_id = inside
    with frame_answers(session, tab.session):
        return FrameScope(await open_world(session, frame_id), outer.inside(selector), outer)


async def _frames_below(tab: Tab, top: FrameScope, matches: Counting) -> list[FrameScope]:
    waiting = [top]
    frames: list[FrameScope] = []
    request = DomQuery(selector=_FRAMES, limit=limits.DOM_FRAMES, pierce=True).request([_FRAMES], held=True)
    while waiting:
        outer = waiting.pop(0)
        try:
            with frame_answers(outer.world.session, tab.session):
                answer = await _ask(outer.world, request)
                owners = await _held(outer.world) if answer["matchCount"] else []
        except (CdpError, CdpClosed, PageFault, GasolineError):
            continue
        for owner, selector in zip(owners, answer["selectors"], strict=False):
            try:
                if len(frames) >= limits.DOM_FRAMES:
                    raise CdpClosed("there are too many frames")
                frame = await _open(tab, outer, owner, selector)
            except (CdpError, CdpClosed, GasolineError):
                matches.frames_unreached += 1
                continue
            waiting.append(frame)
            frames.append(frame)
    return frames


async def _search(
    frame: FrameScope, query: DomQuery, steps: list[str], matches: ElementMatches, element: Handle | None = None
) -> None:
    """Add the matches of one document."""
    # Matches in earlier documents count as skipped or as shown.
    start = max(0, query.start - matches.match_count)
    left = query.limit - len(matches.elements)
    request = evolve(query, start=start, limit=left).request(steps)
    answer = await _ask(frame.world, request, *([element] if element else []))
    if not matches.url:
        matches.url, matches.title = answer["url"], answer["title"]
    matches.match_count += answer["matchCount"]
    matches.lost, matches.lost_matched = str(answer.get("lost") or ""), bool(answer.get("owners"))
    elements = answer["elements"]
    if elements:
        for one, named in zip(elements, await _names(frame.world), strict=False):
            one["selector"] = frame.inside(one["selector"])
            one.update(named)
        matches.elements += elements
        matches.sessions.append(frame.world.session)


async def _names(world: World) -> list[dict[str, str]]:
    """Role and name of the elements just found, as the browser computes them."""
    handles = await _held(world)
    many = [{"objectId": handle.object_id, "fetchRelatives": False} for handle in handles]
    replies = await world.session.send_many("Accessibility.getPartialAXTree", many)
    release(world.session)
    return [_role_and_name(reply) for reply in replies]


def _role_and_name(reply: dict[str, Any] | None) -> dict[str, str]:
    node: dict[str, Any] = next(iter((reply or {}).get("nodes") or []), {})
    if not node or node.get("ignored"):
        return {}
    role, name = (node.get("role") or {}).get("value"), (node.get("name") or {}).get("value")
    return {key: str(value) for key, value in (("role", role), ("name", name)) if value}


async def _by_ref(tab: Tab, selector: str) -> tuple[FrameScope, Handle]:
    """The element of a reference. Raises `element_not_found` rather than return another element."""
    reference = parse_reference(selector)
    main = await open_world(tab.session)
    shown = tab.document_tags.of((await document_ids(tab.session)).get(main.frame_id, ""))
    matches = ElementMatches()
    frames = [FrameScope(main)] if shown == reference.document else (await frames_of(tab, matches))[1:]
    documents: dict[Session, dict[str, str]] = {}
    for frame in frames:
        session = frame.world.session
        try:
            with frame_answers(session, tab.session):
                if session not in documents:
                    documents[session] = await document_ids(session)
                loader_id = documents[session].get(frame.world.frame_id, "")
                if loader_id and tab.document_tags.of(loader_id) == reference.document:
                    return await _resolve(frame, loader_id, reference.node, selector)
        except (CdpError, CdpClosed):
            if session is tab.session:
                raise
            # That frame is gone.
    why = "names an element of a document that is not in this tab now"
    if matches.frames_unreached:
        why += f" (of {matches.frames_unreached} frames that do not answer this is not known)"
    raise gone(selector, why)


async def _resolve(frame: FrameScope, loader_id: str, node: int, selector: str) -> tuple[FrameScope, Handle]:
    """Resolve the node, and check the document before and after: node numbers start again in the next one."""
    session, frame_id = frame.world.session, frame.world.frame_id
    world = await open_world(session, frame_id)
    params = {"backendNodeId": node, "objectGroup": _GROUP, "executionContextId": world.context_id}
    (reply,) = await session.send_many("DOM.resolveNode", [params])
    object_id = ((reply or {}).get("object") or {}).get("objectId")
    handle = Handle(str(object_id)) if object_id else None
    inside = handle is not None and await world.call(page_script("is_in_document"), handle)
    if (await document_ids(session)).get(frame_id) != loader_id:
        release(session)
        raise CdpClosed("the page navigated")
    if handle is None or not inside:
        release(session)
        raise gone(selector, "names an element that is no longer in the page")
    return FrameScope(world, frame.path, frame.outer), handle
