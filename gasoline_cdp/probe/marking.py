"""Draws references on a screenshot. The browser draws on a canvas of its own; the page does not change."""

from base64 import b64decode, b64encode
from collections.abc import Sequence

from attrs import evolve, frozen

from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.world import call_in_world
from gasoline_cdp.probe.accessibility_tree import Tree
from gasoline_cdp.probe.element_areas import Area, areas_of
from gasoline_cdp.probe.references import parse_reference
from gasoline_cdp.probe.screenshot import Picture

# More would cover the page.
_MARKS = 150


@frozen
class MarkedElement:
    """The picture with its marks, and how many controls it shows."""

    picture: Picture
    drawn: int
    left_out: int


async def mark(tab: Tab, picture: Picture, trees: Sequence[Tree], references: Sequence[str]) -> MarkedElement:
    """Draw a box and the reference at each element that the picture shows."""
    view = (await tab.session.send("Page.getLayoutMetrics"))["cssVisualViewport"]
    area = picture.area
    shown = Area(0, 0, area["width"], area["height"])
    marks: list[tuple[str, Area]] = []
    for tree in trees:
        own = [(one, parse_reference(one)) for one in references]
        named = [(one, parsed.node) for one, parsed in own if parsed.document == tree.document]
        boxes = await areas_of(tree.frame, [node for _, node in named]) if named else []
        for (reference, _), box in zip(named, boxes, strict=True):
            if box is None or box.is_empty:
                continue
            seen = box.moved(view["pageX"] - area["x"], view["pageY"] - area["y"]).inside(shown)
            if not seen.is_empty:
                marks.append((reference, seen))
    request = {
        "data": b64encode(picture.data).decode(),
        "mime": picture.mime,
        "quality": picture.quality,
        "marks": [_scaled(reference, box, picture.scale) for reference, box in marks[:_MARKS]],
    }
    drawn = b64decode(await call_in_world(tab.session, page_script("draw_marks"), request))
    return MarkedElement(evolve(picture, data=drawn), min(len(marks), _MARKS), max(0, len(marks) - _MARKS))


def _scaled(reference: str, box: Area, scale: float) -> dict[str, str | float]:
    return {
        "label": reference,
        "x": round(box.left * scale, 1),
        "y": round(box.top * scale, 1),
        "width": round((box.right - box.left) * scale, 1),
        "height": round((box.bottom - box.top) * scale, 1),
    }
