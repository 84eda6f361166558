"""Reads the accessibility trees of a page and its frames."""

import re
from typing import Any

from attrs import define, field, frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.markup import is_secret_field
from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Session
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.world import Handle
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.probe.dom import frame_answers
from gasoline_cdp.probe.elements import FrameScope, frames_of, hold_element, one_at_a_time, release
from gasoline_cdp.probe.references import document_ids
from gasoline_cdp.redact import REDACTED, safe_text

# Shorter values occur in many words.
_DISTINCTIVE_CHARS = 3


@frozen
class Tree:
    """The tree of one document, as Chrome sends it."""

    frame: FrameScope
    nodes: list[dict[str, Any]]
    # The letters that references to its elements carry.
    document: str
    # The requested DOM node.
    start: int | None = None


@define
class Trees:
    """The trees of a page, and how many of its frames are missing."""

    trees: list[Tree] = field(factory=list)
    frames_unreached: int = 0


async def read_trees(tab: Tab, selector: str | None) -> Trees:
    """The tree of each document, or of one element. Raises `invalid_selector`, and `invalid_params` if too large."""
    async with one_at_a_time(tab):
        return await _read_trees(tab, selector)


async def _read_trees(tab: Tab, selector: str | None) -> Trees:
    if selector is not None:
        held = await hold_element(tab, selector)
        if held is None:
            raise GasolineError(Code.INVALID_SELECTOR, f"{safe_text(selector, 100)!r} matches nothing in the page.")
        frame, element = held
        return Trees([await _read(tab, frame, element)])
    result = Trees()
    for frame in await frames_of(tab, result):
        try:
            with frame_answers(frame.world.session, tab.session):
                result.trees.append(await _read(tab, frame))
        except (CdpError, CdpClosed, GasolineError):
            if not frame.path:
                raise
            result.frames_unreached += 1
    return result


async def _read(tab: Tab, frame: FrameScope, element: Handle | None = None) -> Tree:
    """The tree of a document or of a part of it. Raises `CdpClosed` if the document was replaced meanwhile."""
    session, frame_id = frame.world.session, frame.world.frame_id
    loader_id = (await document_ids(session)).get(frame_id)
    start = None
    if element is None:
        await _check_size(frame)
        reply = await session.send("Accessibility.getFullAXTree", {"frameId": frame_id})
    else:
        await _check_size(frame, element)
        described = await session.send("DOM.describeNode", {"objectId": element.object_id})
        start = int(described["node"]["backendNodeId"])
        # Without a name or role to search for, this returns the whole tree below the element.
        reply = await session.send("Accessibility.queryAXTree", {"objectId": element.object_id})
        release(session)
    nodes = await _mask_fields(session, reply.get("nodes") or [])
    if loader_id is None or (await document_ids(session)).get(frame_id) != loader_id:
        raise CdpClosed("the page navigated")
    return Tree(frame, nodes, tab.document_tags.of(loader_id), start)


async def _check_size(frame: FrameScope, *element: Handle) -> None:
    """Check the size first: Chrome cannot be stopped while it builds a tree."""
    count = int(await frame.world.call(page_script("count_elements"), *element))
    if count > limits.TREE_ELEMENTS:
        what = "This part of the page" if element else "The page"
        problem = (
            f"{what} has {count:,} elements; a tree of more than {limits.TREE_ELEMENTS:,} would keep it busy for too "
            "long. Name a smaller part with selector"
        )
        raise GasolineError(Code.INVALID_PARAMS, f"{problem}.", problems=[problem])


async def _mask_fields(session: Session, nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Mask the values of secret fields wherever the tree repeats them: inside the fields, and in names of others.

    The tree does not contain the field's attributes, so we ask Chrome about each field that has a value.
    """
    secret = []
    asked = 0
    for node in nodes:
        value = str((node.get("value") or {}).get("value") or "")
        number = node.get("backendDOMNodeId")
        if not value or number is None:
            continue
        asked += 1
        if asked > limits.TREE_FIELDS or is_secret_field(await _attributes(session, number)):
            node["value"] = {"type": "string", "value": REDACTED}
            if len(value) >= _DISTINCTIVE_CHARS:
                secret.append(value)
    if secret:
        values = re.compile("|".join(re.escape(value) for value in sorted(set(secret), key=len, reverse=True)))
        for node in nodes:
            for part in ("name", "description"):
                text = (node.get(part) or {}).get("value")
                if isinstance(text, str) and values.search(text):
                    node[part] = {"type": "string", "value": values.sub(REDACTED, text)}
    return nodes


async def _attributes(session: Session, number: int) -> dict[str, str]:
    try:
        reply = await session.send("DOM.describeNode", {"backendNodeId": number})
    except CdpError:
        # The element is gone, and so is its name. Treat it as secret.
        return {"type": "password"}
    flat = reply["node"].get("attributes") or []
    return dict(zip(flat[::2], flat[1::2], strict=False))
