"""A hand for tests: true input through the browser, and what was told of it."""

import json
from collections.abc import Callable
from typing import Any

import trio

from gasoline_cdp.records import ActionRecord, DomSnapshotRecord
from tests.support import PATIENCE, Watch

CODES = {"Enter": 13, "Escape": 27, "Tab": 9, "Backspace": 8, "Delete": 46, "ArrowDown": 40, "ArrowRight": 39, " ": 32}


class Hand:
    """Acts as a person would: through the Input domain, which the page cannot tell from one."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.announced: Callable[[], None] = lambda: None
        watch.tab.session.on("Runtime.bindingCalled", self._reported)

    def _reported(self, params: dict[str, Any]) -> None:
        if '"pressed":true' in params["payload"]:
            self.announced()

    async def send(self, method: str, **params: Any) -> None:
        await self.watch.tab.session.send(method, params)

    async def middle_of(self, element: str) -> tuple[float, float]:
        """The middle of an element, which a JavaScript expression names."""
        x, y = await self.watch.evaluate(
            f"(() => {{ const element = {element}; element.scrollIntoView({{block: 'nearest'}});"
            " const box = element.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        return x, y

    async def press(self, element: str) -> tuple[float, float]:
        x, y = await self.middle_of(element)
        await self.send("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
        return x, y

    async def release(self, x: float, y: float) -> None:
        await self.send("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, button="left", clickCount=1)

    async def click(self, element: str) -> None:
        announced = trio.Event()
        self.announced = announced.set
        x, y = await self.press(element)
        # People take their time: longer than it takes to learn what is being pressed.
        with trio.fail_after(PATIENCE):
            await announced.wait()
        await self.watch.actions_told()
        await self.release(x, y)

    async def key(self, key: str, modifiers: int = 0, *, text: str = "") -> None:
        text = text or {"Enter": "\r", " ": " "}.get(key, "")
        code = CODES.get(key) or ord(key.upper())
        down = {"text": text} if text else {}
        kind = "keyDown" if text else "rawKeyDown"
        common = {"key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        await self.send("Input.dispatchKeyEvent", type=kind, **common, **down)
        await self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    async def write(self, text: str) -> None:
        for letter in text:
            await self.key(letter, text=letter)

    async def focus(self, element: str) -> None:
        await self.watch.evaluate(f"{element}.focus()")

    async def wheel(self, element: str, down: float, turns: int = 1) -> None:
        x, y = await self.middle_of(element)
        for _ in range(turns):
            await self.send("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=down)


def by_id(name: str) -> str:
    return f"document.getElementById({json.dumps(name)})"


def actions(watch: Watch, kind: str = "") -> list[ActionRecord]:
    """The actions so far, oldest first; navigations only if asked for."""
    records = map(watch.telemetry.known, reversed(list(watch.telemetry.actions.newest())))
    return [record for record in records if (record.type == kind if kind else record.type != "navigate")]


async def told(watch: Watch, kind: str, number: int = 1) -> list[ActionRecord]:
    """Wait for so many actions of a type, and until the browser has named their elements."""
    await watch.until(lambda: len(actions(watch, kind)) >= number)
    await watch.daemon.capture.actions.backlog.wait_idle()
    return actions(watch, kind)


async def shown(watch: Watch, trigger: str) -> DomSnapshotRecord:
    """Wait for a DOM snapshot."""
    snapshot = await watch.until(
        lambda: next((s for s in watch.telemetry.dom_snapshots.newest() if s.trigger == trigger), None)
    )
    assert isinstance(snapshot, DomSnapshotRecord)
    return snapshot


async def open_actions(watch: Watch, site: str) -> Hand:
    """A hand on the page of actions, once it can be clicked."""
    await watch.go(f"{site}page/actions")
    await watch.log("actions ready")
    await watch.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return Hand(watch)
