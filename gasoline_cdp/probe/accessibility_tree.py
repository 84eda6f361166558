"""Reads the accessibility trees of a page and its frames."""

from typing import Any

from attrs import frozen

from gasoline_cdp.cdp.connection import CdpClosed, CdpError
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.probe.elements import Place, frames_of, hold_element, release
from gasoline_cdp.redact import safe_text

# So much of a frame's id tells it from the others of a page.
_ID_CHARS = 6


@frozen
class Tree:
    """The tree of one document, as Chrome tells it."""

    place: Place
    nodes: list[dict[str, Any]]
    # The DOM node that was asked for.
    start: int | None = None

    @property
    def suffix(self) -> str:
        """What tells this frame's references from the page's."""
        return f"@{self.place.world.frame_id[:_ID_CHARS]}" if self.place.path else ""


async def read_trees(tab: Tab, selector: str | None) -> list[Tree]:
    """The tree of each document, or the one in which an element is. Raises `invalid_selector`."""
    if selector is not None:
        held = await hold_element(tab, selector)
        if held is None:
            raise GasolineError(Code.INVALID_SELECTOR, f"{safe_text(selector, 100)!r} matches nothing in the page.")
        place, element = held
        reply = await place.world.session.send("DOM.describeNode", {"objectId": element.object_id})
        release(place.world.session)
        return [Tree(place, await _read(place), int(reply["node"]["backendNodeId"]))]
    trees = []
    for place in await frames_of(tab):
        try:
            trees.append(Tree(place, await _read(place)))
        except (CdpError, CdpClosed):
            if not place.path:
                raise
    return trees


async def _read(place: Place) -> list[dict[str, Any]]:
    params = {"frameId": place.world.frame_id}
    reply = await place.world.session.send("Accessibility.getFullAXTree", params)
    nodes: list[dict[str, Any]] = reply.get("nodes") or []
    return nodes
