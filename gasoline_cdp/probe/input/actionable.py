"""Whether an element can be acted on, and at which point of the window a pointer reaches it."""

from typing import Any

from attrs import frozen

from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.world import Handle, World
from gasoline_cdp.probe.elements import FrameScope, install_selectors
from gasoline_cdp.probe.input.refusals import Refused, problem_of
from gasoline_cdp.probe.input.targets import GROUP, TargetElement


@frozen(kw_only=True)
class Wanted:
    """What an action needs of its element."""

    pointer: bool = False
    visible: bool = True
    enabled: bool = True
    editable: bool = False
    at: tuple[int, int] | None = None

    def request(self, attempt: int, *, scroll: bool = False) -> dict[str, Any]:
        """The request for the page script."""
        return {
            "pointer": self.pointer,
            "visible": self.visible,
            "enabled": self.enabled,
            "editable": self.editable,
            "at": list(self.at) if self.at else None,
            "attempt": attempt,
            "scroll": scroll,
        }


@frozen
class Point:
    """A point of the window, in CSS pixels."""

    x: float
    y: float


async def check(element: TargetElement, wanted: Wanted, attempt: int = 0) -> Point | None:
    """Look at the element in two drawn frames. Raises `Refused`. Returns the point, if a pointer is wanted."""
    if wanted.pointer:
        await _show_frames(element.frame)
    answer = await _look(element, wanted.request(attempt))
    if not wanted.pointer:
        return None
    try:
        return await _in_window(element.frame, float(answer["x"]), float(answer["y"]))
    except Refused:
        # It can be seen in its frame, but that is out of view, or covered there.
        answer = await _look(element, wanted.request(attempt, scroll=True))
        return await _in_window(element.frame, float(answer["x"]), float(answer["y"]))


async def _look(element: TargetElement, request: dict[str, Any]) -> dict[str, Any]:
    answer = await ask(element.frame.world, "actionable", request, element.handle)
    if not answer.get("ready"):
        raise problem_of(answer)
    return answer


async def ask(world: World, script: str, *arguments: Any) -> dict[str, Any]:
    """Call a page script that needs `gasolineReach`; install that first where it is missing."""
    answer: dict[str, Any] = await world.call(page_script(script), *arguments)
    if answer.get("missing"):
        await install_reach(world)
        answer = await world.call(page_script(script), *arguments)
    return answer


async def install_reach(world: World) -> None:
    """Install what page scripts need to know which element is reached."""
    if await world.call(page_script("reach")) == "missing":
        await install_selectors(world)
        await world.call(page_script("reach"))


async def _in_window(frame: FrameScope, x: float, y: float) -> Point:
    """A point of a frame's document in the window. Each frame around it must be reached there, too."""
    while frame.outer is not None:
        owner = await _owner(frame.outer, frame)
        answer = await ask(frame.outer.world, "frame_corner", [x, y], owner)
        if "problem" in answer:
            raise problem_of(answer)
        x, y = float(answer["x"]), float(answer["y"])
        frame = frame.outer
    return Point(x, y)


async def _show_frames(frame: FrameScope) -> None:
    """Scroll the frames that an element is in into view, the outermost first."""
    if frame.outer is not None:
        await _show_frames(frame.outer)
        await frame.outer.world.call(page_script("show_frame"), await _owner(frame.outer, frame))


async def _owner(outer: FrameScope, frame: FrameScope) -> Handle:
    """The element of the outer document that shows a frame."""
    session = outer.world.session
    await session.send("DOM.enable")
    owner = await session.send("DOM.getFrameOwner", {"frameId": frame.world.frame_id})
    params = {
        "backendNodeId": owner["backendNodeId"], "objectGroup": GROUP, "executionContextId": outer.world.context_id,
    }  # fmt: skip
    object_id = ((await session.send("DOM.resolveNode", params)).get("object") or {}).get("objectId")
    if not object_id:
        raise Refused("the frame that it is in is gone")
    return Handle(str(object_id))
