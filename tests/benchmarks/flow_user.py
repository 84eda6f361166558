"""A person for benchmarks: real input through the browser, with the pauses that people make."""

import json
from pathlib import Path
from typing import Any

import trio

from tests.hands import CODES, Hand
from tests.support import Watch

# Long enough for a page to show what came of an action; people take longer.
_REST_SECONDS = 0.45
_ROUND = 0.05
_PRESS_SECONDS = 1.0
_SETTLE_SECONDS = 3.0
# The page has drawn, and its own timers have run.
_SETTLED = "new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))"
_PATIENCE = 15.0

# Finds an element by "css" or "css|text" in the page, its open shadow roots and its own frames.
_FIND = """(wanted) => {
  const [css, text] = wanted.split("|");
  const found = [];
  const look = (root, x, y) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.matches(css) && (!text || element.textContent.trim() === text || element.value === text)) {
        const box = element.getBoundingClientRect();
        if (box.width || box.height) found.push([element, x, y]);
      }
      if (element.shadowRoot) look(element.shadowRoot, x, y);
      if (element.localName === "iframe" && element.contentDocument) {
        const box = element.getBoundingClientRect();
        look(element.contentDocument, x + box.x + element.clientLeft, y + box.y + element.clientTop);
      }
    }
  };
  look(document, 0, 0);
  return found;
}"""
_MIDDLE = f"""(wanted) => {{
  const [first] = ({_FIND})(wanted);
  if (!first) return null;
  const [element, x, y] = first;
  element.scrollIntoView({{ block: "nearest" }});
  const box = element.getBoundingClientRect();
  return [x + box.x + box.width / 2, y + box.y + box.height / 2];
}}"""


class User:
    """Acts in the tab that was used last."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.hand = Hand(watch)

    async def wait_for(self, wanted: str) -> tuple[float, float]:
        """The middle of an element, once it is shown and stands still."""
        last = None
        with trio.fail_after(_PATIENCE):
            while True:
                middle = await self.watch.evaluate(f"({_MIDDLE})({json.dumps(wanted)})")
                if middle and middle == last:
                    return middle[0], middle[1]
                last = middle
                await trio.sleep(_ROUND)

    async def rest(self, seconds: float = _REST_SECONDS) -> None:
        """Look at what came. On a busy machine that takes longer, unless a dialog is in the way."""
        await trio.sleep(seconds)
        with trio.move_on_after(_SETTLE_SECONDS if seconds >= _REST_SECONDS else 0):
            await self.watch.evaluate(_SETTLED)

    async def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        await self.watch.tab.session.send("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})

    async def click(self, wanted: str, *, button: str = "left", count: int = 1, modifiers: int = 0) -> None:
        x, y = await self.wait_for(wanted)
        await self.mouse("mouseMoved", x, y)
        for number in range(1, count + 1):
            how: dict[str, Any] = {"button": button, "clickCount": number, "modifiers": modifiers}
            pressed = trio.Event()
            self.hand.announced = pressed.set
            await self.mouse("mousePressed", x, y, **how)
            # People take their time: longer than it takes to learn what is being pressed.
            with trio.move_on_after(_PRESS_SECONDS):
                await pressed.wait()
            await self.watch.actions_told()
            # A press that opens a dialog is answered only when that is closed.
            with trio.move_on_after(1.0):
                await self.mouse("mouseReleased", x, y, **how)
        await self.rest()

    async def double_click(self, wanted: str) -> None:
        await self.click(wanted, count=2)

    async def write(self, text: str, wanted: str = "") -> None:
        if wanted:
            await self.click(wanted)
        for letter in text:
            code = ord(letter.upper()) if letter.isalnum() or letter == " " else 0
            common = {"key": letter, "windowsVirtualKeyCode": code}
            await self.watch.tab.session.send("Input.dispatchKeyEvent", {"type": "keyDown", "text": letter, **common})
            await self.watch.tab.session.send("Input.dispatchKeyEvent", {"type": "keyUp", **common})
        await self.rest()

    async def key(self, key: str, modifiers: int = 0) -> None:
        await self.hand_of_tab().key(key, modifiers)
        await self.rest()

    def hand_of_tab(self) -> Hand:
        """The tab may have changed since the last time."""
        assert CODES
        return self.hand

    async def hover(self, wanted: str) -> None:
        x, y = await self.wait_for(wanted)
        await self.mouse("mouseMoved", x, y)
        await self.rest()

    async def drag(self, wanted: str, onto: str) -> None:
        x, y = await self.wait_for(wanted)
        to_x, to_y = await self.wait_for(onto)
        await self.mouse("mouseMoved", x, y)
        await self.mouse("mousePressed", x, y, button="left", clickCount=1)
        await self.rest(0.1)
        for part in range(1, 11):
            await self.mouse(
                "mouseMoved", x + (to_x - x) * part / 10, y + (to_y - y) * part / 10, button="left", buttons=1
            )
            await self.rest(0.03)
        await self.mouse("mouseMoved", to_x, to_y + 1, button="left", buttons=1)
        await self.rest(0.1)
        await self.mouse("mouseReleased", to_x, to_y + 1, button="left", clickCount=1)
        await self.rest()

    async def wheel(self, wanted: str, down: float, turns: int = 3) -> None:
        x, y = await self.wait_for(wanted)
        for _ in range(turns):
            await self.mouse("mouseWheel", x, y, deltaX=0, deltaY=down)
            await self.rest(0.2)
        await self.rest()

    async def choose(self, wanted: str, letters: str) -> None:
        """Choose an option of a select with the keyboard: by its first letters."""
        await self.watch.evaluate(f"({_FIND})({json.dumps(wanted)})[0][0].focus()")
        await self.write(letters)

    async def upload(self, wanted: str, *files: Path) -> None:
        session = self.watch.tab.session
        found = await session.send("Runtime.evaluate", {"expression": f"({_FIND})({json.dumps(wanted)})[0][0]"})
        given = {"files": [str(file) for file in files], "objectId": found["result"]["objectId"]}
        await session.send("DOM.setFileInputFiles", given)
        await self.rest()

    async def back(self) -> None:
        session = self.watch.tab.session
        history = await session.send("Page.getNavigationHistory")
        entry = history["entries"][history["currentIndex"] - 1]
        await session.send("Page.navigateToHistoryEntry", {"entryId": entry["id"]})
        await self.rest(0.8)

    async def answer_dialog(self, *, accept: bool, text: str = "") -> None:
        await self.watch.tab.session.send("Page.handleJavaScriptDialog", {"accept": accept, "promptText": text})
        await self.rest()
