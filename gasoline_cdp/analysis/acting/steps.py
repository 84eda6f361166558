"""What a step of `act` says: its target, and the words in its value."""

import re
from typing import Literal

from attrs import frozen

from gasoline_cdp.analysis.acting.keys import MODIFIERS, modifier
from gasoline_cdp.errors import Code, GasolineError

Do = Literal[
    "open", "back", "forward", "reload", "new_tab", "close_tab", "click", "hover", "fill", "type", "press", "select",
    "check", "uncheck", "drag", "upload", "scroll", "dialog", "wait",
]  # fmt: skip
Button = Literal["left", "middle", "right"]

# A line of the tree, copied whole, ends in its reference.
_REFERENCE = re.compile(r"(?:.*\s)?(?P<ref>@[a-z]{3,26}\d{1,12})\s*", re.DOTALL)
_NAMED = re.compile(r'(?P<role>[A-Za-z][\w-]*)\s+"(?P<name>.*)"\s*', re.DOTALL)
_POINT = re.compile(r"(?P<x>-?\d{1,5})\s*,\s*(?P<y>-?\d{1,5})")
_BUTTONS: dict[str, Button] = {"left": "left", "middle": "middle", "right": "right"}
_COUNTS = {"double": 2, "triple": 3}
_SIDES = ("up", "down", "left", "right", "top", "bottom")
_WITH_TARGET: frozenset[Do] = frozenset({"click", "hover", "fill", "select", "check", "uncheck", "drag", "upload"})
_WITH_VALUE: frozenset[Do] = frozenset({"open", "fill", "type", "press", "select", "drag", "upload"})
_WITHOUT_TARGET: frozenset[Do] = frozenset({"open", "back", "forward", "reload", "new_tab", "close_tab", "dialog"})
# Pages of the web. A file of the machine, or a page of the browser, is not the assistant's to open.
_SCHEMES = ("http://", "https://")


@frozen(kw_only=True)
class StepTarget:
    """One of: a reference, a CSS selector, or role and name."""

    text: str
    reference: str = ""
    css: str = ""
    role: str = ""
    name: str = ""


@frozen(kw_only=True)
class Click:
    """How to click."""

    button: Button = "left"
    count: int = 1
    modifiers: int = 0
    # From the element's top left corner, in CSS pixels.
    at: tuple[int, int] | None = None


@frozen(kw_only=True)
class Waiting:
    """What to wait for. Of `idle`, nothing else is given."""

    kind: Literal["text", "element", "request", "idle"]
    value: str = ""

    @property
    def words(self) -> str:
        """For a reader."""
        return "the page to be idle" if self.kind == "idle" else f"{self.kind} {self.value!r}"


def parse_target(text: str) -> StepTarget:
    """`@kfd12`, `button "Save"`, or a CSS selector."""
    text = text.strip()
    if match := _REFERENCE.fullmatch(text):
        return StepTarget(text=text, reference=match["ref"])
    if match := _NAMED.fullmatch(text):
        return StepTarget(text=text, role=match["role"], name=" ".join(match["name"].split()))
    return StepTarget(text=text, css=text)


def parse_click(value: str) -> Click:
    """`right`, `double`, `Control+Shift`, `at 10,20`, in any order."""
    button, count, bits = "left", 1, 0
    at: tuple[int, int] | None = None
    if point := _POINT.search(value):
        at = int(point["x"]), int(point["y"])
        value = f"{value[: point.start()]} {value[point.end() :]}"
    for word in value.replace("+", " ").split():
        if word in _BUTTONS:
            button = word
        elif word in _COUNTS:
            count = _COUNTS[word]
        elif (held := modifier(word)) is not None:
            bits |= MODIFIERS[held]
        elif word != "at" or at is None:
            raise _wrong(f"click takes left, middle, right, double, Control, Shift, Alt, Meta or at X,Y, not {word!r}")
    return Click(button=_BUTTONS[button], count=count, modifiers=bits, at=at)


def parse_waiting(text: str) -> Waiting:
    """`idle`, `text:Saved`, `element:#done`, `request:/api/cart`; without a word before it, a text."""
    kind, colon, value = text.partition(":")
    if text.strip() == "idle":
        return Waiting(kind="idle")
    if colon and kind.strip() in ("text", "element", "request") and value.strip():
        return Waiting(kind=kind.strip(), value=value.strip())  # type: ignore[arg-type]
    if not text.strip():
        raise _wrong("wait needs a text, element:…, request:… or idle")
    return Waiting(kind="text", value=text.strip())


def parse_scroll(value: str) -> str | tuple[int, int]:
    """A side, or pixels to the right and down. Empty: until the target is in view."""
    if not value.strip():
        return ""
    if point := _POINT.fullmatch(value.strip()):
        return int(point["x"]), int(point["y"])
    if value.strip() in _SIDES:
        return value.strip()
    raise _wrong(f"scroll takes {', '.join(_SIDES)} or X,Y, not {value[:40]!r}")


def parse_offset(value: str) -> tuple[int, int] | None:
    """`by 100,0`: how far to drag. None if it names a target instead."""
    match = _POINT.fullmatch(value.removeprefix("by ").strip())
    return (int(match["x"]), int(match["y"])) if match else None


def parse_answer(value: str) -> tuple[bool, str | None]:
    """`accept`, `accept: text of a prompt`, `dismiss`. Returns whether to accept, and the text."""
    word, _, text = value.partition(":")
    if word.strip() not in ("accept", "dismiss", ""):
        raise _wrong(f"dialog takes accept, accept: TEXT or dismiss, not {value[:40]!r}")
    return word.strip() != "dismiss", text.strip() or None


def parse_address(value: str) -> str:
    """An address of the web; `localhost:5173` gets its scheme."""
    address = value.strip()
    if "://" not in address and not address.startswith(("about:", "data:", "javascript:", "file:", "view-source:")):
        address = f"http://{address}"
    if address != "about:blank" and not address.lower().startswith(_SCHEMES):
        raise _wrong(f"only http and https addresses can be opened, not {value[:60]!r}")
    return address


def check_step(do: Do, target: str | None, value: str | None) -> str:
    """What is wrong with a step, or an empty text."""
    if do in _WITH_TARGET and not (target or "").strip():
        return f"{do} needs a target"
    if do in _WITHOUT_TARGET and target and do != "open":
        return f"{do} takes no target"
    if do in _WITH_VALUE and value is None and not (do == "open" and target):
        return f"{do} needs a value"
    try:
        if do == "click":
            parse_click(value or "")
        elif do == "wait" and not target:
            parse_waiting(value or "")
        elif do == "scroll":
            parse_scroll(value or "")
        elif do == "dialog":
            parse_answer(value or "")
        elif do == "open" or (do == "new_tab" and value):
            parse_address(value or target or "")
    except GasolineError as error:
        return str(error.details["problems"][0])
    return ""


def _wrong(problem: str) -> GasolineError:
    return GasolineError(Code.INVALID_PARAMS, f"Cannot do this: {problem}.", problems=[problem])
