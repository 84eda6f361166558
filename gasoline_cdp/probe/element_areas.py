"""Where elements are in the window, also those of frames: as the browser has laid them out."""

from typing import Any

from attrs import frozen

from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.connection import CdpError, Params
from gasoline_cdp.cdp.world import Handle
from gasoline_cdp.probe.elements import FrameScope


@frozen
class Area:
    """A rectangle of the window, in CSS pixels."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def is_empty(self) -> bool:
        """Whether it takes no room."""
        return self.right - self.left < 1 or self.bottom - self.top < 1

    def inside(self, other: "Area") -> "Area":
        """The part of it that is inside another one."""
        return Area(
            max(self.left, other.left), max(self.top, other.top),
            min(self.right, other.right), min(self.bottom, other.bottom),
        )  # fmt: skip

    def moved(self, x: float, y: float) -> "Area":
        """The same, elsewhere."""
        return Area(self.left + x, self.top + y, self.right + x, self.bottom + y)


async def area_of(frame: FrameScope, element: Handle) -> Area | None:
    """What is seen of an element of a frame, if nothing covers it. None if it takes no room."""
    reply = await _quads(frame, [{"objectId": element.object_id}])
    return await _seen(frame, reply[0]) if reply[0] is not None else None


async def areas_of(frame: FrameScope, nodes: list[int]) -> list[Area | None]:
    """The same for the numbers of many nodes of one document."""
    areas = await _quads(frame, [{"backendNodeId": node} for node in nodes])
    clip, corner = await _window_of(frame)
    shown = [None if area is None else area.moved(*corner) for area in areas]
    return [area if area is None or clip is None else area.inside(clip) for area in shown]


async def _seen(frame: FrameScope, area: Area) -> Area:
    clip, corner = await _window_of(frame)
    moved = area.moved(*corner)
    return moved if clip is None else moved.inside(clip)


async def _quads(frame: FrameScope, nodes: list[Params]) -> list[Area | None]:
    """The box around all parts of each node, in the window of its process."""
    session = frame.world.session
    await session.send("DOM.enable")
    await frame.world.call(page_script("force_layout"))
    return [
        None if reply is None else _around(reply.get("quads") or [])
        for reply in await session.send_many("DOM.getContentQuads", nodes)
    ]


def _around(quads: list[list[float]]) -> Area | None:
    across, down = [x for quad in quads for x in quad[::2]], [y for quad in quads for y in quad[1::2]]
    return Area(min(across), min(down), max(across), max(down)) if across else None


async def _window_of(frame: FrameScope) -> tuple[Area | None, tuple[float, float]]:
    """What is seen of a frame in the window of the tab, and where the window of its process begins there."""
    clip: Area | None = None
    x = y = 0.0
    inner = frame
    while inner.outer is not None:
        outer = inner.outer
        inside = await _content_of(outer, inner)
        if outer.world.session is not inner.world.session:
            # Another process counts from the corner of its own frame.
            clip = None if clip is None else clip.moved(inside.left, inside.top)
            x, y = x + inside.left, y + inside.top
        clip = inside if clip is None else clip.inside(inside)
        inner = outer
    return clip, (x, y)


async def _content_of(outer: FrameScope, frame: FrameScope) -> Area:
    """Where the document around a frame shows it."""
    session = outer.world.session
    await session.send("DOM.enable")
    owner: dict[str, Any] = await session.send("DOM.getFrameOwner", {"frameId": frame.world.frame_id})
    try:
        model = (await session.send("DOM.getBoxModel", {"backendNodeId": owner["backendNodeId"]}))["model"]
    except CdpError:
        # It is not drawn.
        return Area(0, 0, 0, 0)
    return _around([model["content"]]) or Area(0, 0, 0, 0)
