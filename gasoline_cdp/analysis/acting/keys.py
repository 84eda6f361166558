"""Keys by the names that pages see (`Enter`, `a`, `Control+A`), as Chrome's Input domain wants them."""

from typing import Any

from attrs import frozen

from gasoline_cdp.errors import Code, GasolineError

# Bits of the Input domain.
MODIFIERS = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}
_OTHER_NAMES = {"ctrl": "Control", "cmd": "Meta", "command": "Meta", "option": "Alt", "esc": "Escape",
                "return": "Enter", "del": "Delete", "space": " ",
                "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft",
                "right": "ArrowRight"}  # fmt: skip
# Name → code of the key's position on the keyboard, and its number on Windows.
_NAMED: dict[str, tuple[str, int]] = {
    "Enter": ("Enter", 13), "Escape": ("Escape", 27), "Tab": ("Tab", 9), "Backspace": ("Backspace", 8),
    "Delete": ("Delete", 46), "Insert": ("Insert", 45), "Home": ("Home", 36), "End": ("End", 35),
    "PageUp": ("PageUp", 33), "PageDown": ("PageDown", 34), "ArrowLeft": ("ArrowLeft", 37),
    "ArrowUp": ("ArrowUp", 38), "ArrowRight": ("ArrowRight", 39), "ArrowDown": ("ArrowDown", 40),
    " ": ("Space", 32), "ContextMenu": ("ContextMenu", 93), "Alt": ("AltLeft", 18), "Control": ("ControlLeft", 17),
    "Meta": ("MetaLeft", 91), "Shift": ("ShiftLeft", 16),
    **{f"F{number}": (f"F{number}", 111 + number) for number in range(1, 13)},
}  # fmt: skip
_BY_LOWER_CASE = {name.lower(): name for name in _NAMED}
# What a key types besides its own name.
_TYPES = {"Enter": "\r"}
# Keys that a US keyboard has, by the character without Shift.
_CODES = {"-": ("Minus", 189), "=": ("Equal", 187), "[": ("BracketLeft", 219), "]": ("BracketRight", 221),
          ";": ("Semicolon", 186), "'": ("Quote", 222), ",": ("Comma", 188), ".": ("Period", 190),
          "/": ("Slash", 191), "\\": ("Backslash", 220), "`": ("Backquote", 192)}  # fmt: skip
# What Chrome does by itself only if told so: the shortcuts of a text field.
_COMMANDS = {"a": "selectAll", "c": "copy", "x": "cut", "v": "paste", "z": "undo", "y": "redo"}


@frozen(kw_only=True)
class KeyPress:
    """One key, with the modifiers held while it is pressed."""

    key: str
    code: str
    number: int
    modifiers: int = 0
    # What it types; empty for keys that type nothing.
    text: str = ""
    commands: tuple[str, ...] = ()

    def events(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The parameters of Input.dispatchKeyEvent for pressing and for releasing it."""
        common: dict[str, Any] = {
            "key": self.key, "code": self.code, "windowsVirtualKeyCode": self.number, "modifiers": self.modifiers,
        }  # fmt: skip
        down = {**common, "type": "keyDown" if self.text else "rawKeyDown"}
        if self.text:
            down |= {"text": self.text, "unmodifiedText": self.text}
        if self.commands:
            down["commands"] = list(self.commands)
        return down, {**common, "type": "keyUp"}


def parse_keys(text: str) -> tuple[KeyPress, ...]:
    """`Enter`, or several: `Control+A Delete`. Raises `invalid_params`."""
    presses = tuple(_press(part) for part in text.split()) or ((_press(" "),) if text else ())
    if not presses:
        raise _unknown("")
    return presses


def typed_keys(text: str) -> tuple[KeyPress | str, ...]:
    """What to press for each character of a text; a character that no key types stands for itself."""
    return tuple(_typed(character) for character in text.replace("\r\n", "\n"))


def modifier(name: str) -> str | None:
    """The modifier of that name, in whichever case; None if it is none."""
    known = _OTHER_NAMES.get(name.lower(), name.capitalize())
    return known if known in MODIFIERS else None


def _typed(character: str) -> KeyPress | str:
    if character == "\n":
        return _named("Enter", 0)
    if character == "\t":
        return _named("Tab", 0)
    if (position := _position(character.lower())) is None:
        return character
    held = MODIFIERS["Shift"] if character.isupper() else 0
    return KeyPress(key=character, code=position[0], number=position[1], modifiers=held, text=character)


def _press(combination: str) -> KeyPress:
    # "Control++" presses the plus.
    *held, name = combination[:-1].split("+") if combination.endswith("++") else combination.split("+")
    if combination.endswith("++") or combination == "+":
        held, name = [part for part in (*held, name) if part], "+"
    bits = 0
    for part in held:
        if (known := modifier(part)) is None:
            raise _unknown(combination)
        bits |= MODIFIERS[known]
    name = _OTHER_NAMES.get(name.lower(), name)
    if not name:
        raise _unknown(combination)
    if len(name) > 1 or name == " ":
        if (named := _BY_LOWER_CASE.get(name.lower())) is None:
            raise _unknown(combination)
        return _named(named, bits)
    position = _position(name.lower()) or ("", 0)
    if name.isupper() and not bits & ~MODIFIERS["Shift"]:
        bits |= MODIFIERS["Shift"]
    shortcut = bits & (MODIFIERS["Control"] | MODIFIERS["Meta"] | MODIFIERS["Alt"])
    command = _COMMANDS.get(name.lower()) if shortcut and not shortcut & MODIFIERS["Alt"] else None
    key = name.lower() if shortcut and not bits & MODIFIERS["Shift"] else name
    return KeyPress(
        key=key,
        code=position[0],
        number=position[1],
        modifiers=bits,
        text="" if shortcut else name,
        commands=(command,) if command else (),
    )


def _named(name: str, bits: int) -> KeyPress:
    code, number = _NAMED[name]
    shortcut = bits & ~MODIFIERS["Shift"]
    text = "" if shortcut else _TYPES.get(name, name if name == " " else "")
    return KeyPress(key=name, code=code, number=number, modifiers=bits, text=text)


def _position(character: str) -> tuple[str, int] | None:
    """Where the key is, and its number."""
    if len(character) != 1 or not character.isascii():
        return None
    if character.isalpha():
        return f"Key{character.upper()}", ord(character.upper())
    if character.isdigit():
        return f"Digit{character}", ord(character)
    if character == " ":
        return _NAMED[" "]
    return _CODES.get(character)


def _unknown(combination: str) -> GasolineError:
    problem = f"{combination[:40]!r} is no key; keys are called Enter, Escape, ArrowDown, F5, a, Control+A"
    return GasolineError(Code.INVALID_PARAMS, f"Cannot press this: {problem}.", problems=[problem])
