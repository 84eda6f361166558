"""Moves and presses the mouse, as the browser itself would report it to the page."""

from collections.abc import Awaitable, Callable
from typing import Any

from gasoline_cdp.analysis.acting.steps import Click
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.probe.input.actionable import Point
from gasoline_cdp.probe.input.replies import send_input

_BITS = {"left": 1, "right": 2, "middle": 4}
_METHOD = "Input.dispatchMouseEvent"


async def move(tab: Tab, point: Point, modifiers: int = 0, *, held: bool = False) -> bool:
    """Move the pointer there. False if a dialog opened."""
    return (
        await send_input(tab, _METHOD, [_event("mouseMoved", point, Click(modifiers=modifiers), held=held)]) is not None
    )


async def press(tab: Tab, point: Point, click: Click, hold: Callable[[], Awaitable[None]]) -> bool:
    """Press, wait for `hold`, and release, as often as asked. False if a dialog opened before that was over."""
    events = [
        {**_event(kind, point, click, held=kind == "mousePressed"), "clickCount": count}
        for count in range(1, click.count + 1)
        for kind in ("mousePressed", "mouseReleased")
    ]
    if await send_input(tab, _METHOD, events[:1]) is None:
        return False
    await hold()
    return await send_input(tab, _METHOD, events[1:]) is not None


async def press_down(tab: Tab, point: Point) -> bool:
    """Press without releasing."""
    return (
        await send_input(tab, _METHOD, [{**_event("mousePressed", point, Click(), held=True), "clickCount": 1}])
        is not None
    )


async def release_up(tab: Tab, point: Point) -> bool:
    """Release what was pressed."""
    return (
        await send_input(tab, _METHOD, [{**_event("mouseReleased", point, Click(), held=False), "clickCount": 1}])
        is not None
    )


def _event(kind: str, point: Point, click: Click, *, held: bool) -> dict[str, Any]:
    event: dict[str, Any] = {"type": kind, "x": point.x, "y": point.y, "modifiers": click.modifiers}
    if kind == "mouseMoved":
        return {**event, "button": "left" if held else "none", "buttons": 1 if held else 0}
    return {**event, "button": click.button, "buttons": _BITS[click.button] if held else 0}
