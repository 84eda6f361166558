"""Finds elements in a page, its shadow roots and its frames, with the browser's own word for role and name."""

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
from gasoline_cdp.probe.references import document_ids, document_tag, gone, is_reference, parse_reference
from gasoline_cdp.redact import EDGE, safe_text

_GROUP = "gasoline-dom"
_MOST = {
    # A little more than is shown, so that a secret at the edge is seen whole.
    "text": limits.DOM_TEXT_CHARS + EDGE,
    "children": limits.DOM_CHILDREN,
    "attributes": limits.DOM_ATTRIBUTES,
    "attributeChars": limits.DOM_ATTRIBUTE_CHARS + EDGE,
}
_FRAMES = "iframe, frame"
STEP = ">>>"


@frozen(kw_only=True)
class DomQuery:
    """What to look for, and how much to tell of it."""

    selector: str
    start: int = 0
    limit: int = limits.DOM_ELEMENTS
    styles: tuple[str, ...] | None = None
    depth: int = 0
    pierce: bool = False

    def request(self, steps: list[str], *, held: bool = False) -> dict[str, Any]:
        """As the page script takes it; with `held` elements are only found, not told."""
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
class Found:
    """What was found. `sessions` are those of which Chrome keeps an accessibility tree now."""

    url: str = ""
    title: str = ""
    match_count: int = 0
    elements: list[dict[str, Any]] = field(factory=list)
    frames_unreached: int = 0
    # The step of the selector that leads no further, and whether it matched anything.
    lost: str = ""
    lost_matched: bool = False
    sessions: list[Session] = field(factory=list)


class Counting(Protocol):
    """Something that counts the frames that could not be spoken to."""

    frames_unreached: int


@frozen
class Place:
    """A frame, by its world and the selector that leads into it."""

    world: World
    path: str = ""

    def inside(self, selector: str) -> str:
        """A selector of this frame, from the top."""
        return f"{self.path} {STEP} {selector}" if self.path else selector


_asked: WeakKeyDictionary[Tab, trio.Lock] = WeakKeyDictionary()


def one_at_a_time(tab: Tab) -> trio.Lock:
    """Around a question about elements: what another one finds or releases meanwhile would be taken for its own."""
    return _asked.setdefault(tab, trio.Lock())


async def find_elements(tab: Tab, query: DomQuery) -> Found:
    """Elements of the page that a selector matches, described. Raises `invalid_selector`, and what Chrome raises."""
    async with one_at_a_time(tab):
        return await _find_elements(tab, query)


async def _find_elements(tab: Tab, query: DomQuery) -> Found:
    found = Found()
    if is_reference(query.selector):
        place, element = await _by_ref(tab, query.selector)
        await _look(place, query, [], found, element)
        return found
    top = Place(await open_world(tab.session))
    steps = [step.strip() for step in query.selector.split(STEP)]
    place, steps = await _enter(tab, top, steps)
    await _look(place, query, steps, found)
    if query.pierce:
        for inner in await _frames_below(tab, place, found):
            try:
                with frame_answers(inner.world.session, tab.session):
                    await _look(inner, query, steps, found)
            except (CdpError, CdpClosed, PageFault, GasolineError):
                # It is gone, or hangs.
                found.frames_unreached += 1
    return found


async def hold_element(tab: Tab, selector: str) -> tuple[Place, Handle] | None:
    """The first element that a selector (or a reference) names, for other questions to Chrome; None if none.

    Only within `one_at_a_time`, until it is released.
    """
    if is_reference(selector):
        return await _by_ref(tab, selector)
    place, steps = await _enter(tab, Place(await open_world(tab.session)), [s.strip() for s in selector.split(STEP)])
    answer = await _ask(place.world, DomQuery(selector=selector, limit=1).request(steps, held=True))
    held = await _held(place.world) if answer["matchCount"] else []
    return (place, held[0]) if held else None


async def frames_of(tab: Tab, found: Counting | None = None) -> list[Place]:
    """The page and all frames in it that can be spoken to, each before those inside it; others are counted.

    Only within `one_at_a_time`.
    """
    top = Place(await open_world(tab.session))
    return [top, *(await _frames_below(tab, top, found or Found()))]


def release(session: Session) -> None:
    """Let go of the elements held for a question."""
    session.post("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})


async def _ask(world: World, request: dict[str, Any], *element: Handle) -> dict[str, Any]:
    answer: dict[str, Any] = await world.call(page_script("query_dom"), request, *element)
    if answer.get("missing"):
        # Only where a document began before we were there.
        await world.call(page_script("selectors"))
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


async def _enter(tab: Tab, place: Place, steps: list[str]) -> tuple[Place, list[str]]:
    """Follow the steps that lead into frames; return the frame and what is left of the steps."""
    while len(steps) > 1:
        answer = await _ask(place.world, DomQuery(selector="", limit=1).request(steps, held=True))
        if "into" not in answer:
            break
        (owner,) = await _held(place.world)
        place = await _open(tab, place, owner, answer["into"])
        steps = answer["rest"]
    return place, steps


async def _open(tab: Tab, outer: Place, owner: Handle, selector: str) -> Place:
    inside = await frame_inside(outer.world, owner, tab.session)
    if inside is None:
        raise CdpClosed("the frame is gone")
    session, frame_id = inside
    with frame_answers(session, tab.session):
        return Place(await open_world(session, frame_id), outer.inside(selector))


async def _frames_below(tab: Tab, top: Place, found: Counting) -> list[Place]:
    waiting = [top]
    frames: list[Place] = []
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
                place = await _open(tab, outer, owner, selector)
            except (CdpError, CdpClosed, GasolineError):
                found.frames_unreached += 1
                continue
            waiting.append(place)
            frames.append(place)
    return frames


async def _look(place: Place, query: DomQuery, steps: list[str], found: Found, element: Handle | None = None) -> None:
    """Add what one document has."""
    # What was found in the documents before counts as skipped, or as shown.
    start = max(0, query.start - found.match_count)
    left = query.limit - len(found.elements)
    request = evolve(query, start=start, limit=left).request(steps)
    answer = await _ask(place.world, request, *([element] if element else []))
    if not found.url:
        found.url, found.title = answer["url"], answer["title"]
    found.match_count += answer["matchCount"]
    found.lost, found.lost_matched = str(answer.get("lost") or ""), bool(answer.get("owners"))
    elements = answer["elements"]
    if elements:
        for one, named in zip(elements, await _names(place.world), strict=False):
            one["selector"] = place.inside(one["selector"])
            one.update(named)
        found.elements += elements
        found.sessions.append(place.world.session)


async def _names(world: World) -> list[dict[str, str]]:
    """Role and name of the elements that were just found, as the browser computes them."""
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


async def _by_ref(tab: Tab, selector: str) -> tuple[Place, Handle]:
    """The element of a reference. Raises `element_not_found` rather than give another one."""
    reference = parse_reference(selector)
    main = await open_world(tab.session)
    shown = document_tag((await document_ids(tab.session)).get(main.frame_id, ""))
    found = Found()
    places = [Place(main)] if shown == reference.document else (await frames_of(tab, found))[1:]
    documents: dict[Session, dict[str, str]] = {}
    for place in places:
        session = place.world.session
        try:
            with frame_answers(session, tab.session):
                if session not in documents:
                    documents[session] = await document_ids(session)
                loader_id = documents[session].get(place.world.frame_id, "")
                if loader_id and document_tag(loader_id) == reference.document:
                    return await _resolve(place, loader_id, reference.node, selector)
        except (CdpError, CdpClosed):
            if session is tab.session:
                raise
            # That frame is gone.
    why = "names an element of a document that is not in this tab now"
    if found.frames_unreached:
        why += f" (of {found.frames_unreached} frames that do not answer this is not known)"
    raise gone(selector, why)


async def _resolve(place: Place, loader_id: str, node: int, selector: str) -> tuple[Place, Handle]:
    """Ask Chrome for the node, between two looks at which document is there: numbers begin anew in the next."""
    session, frame_id = place.world.session, place.world.frame_id
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
    return Place(world, place.path), handle
