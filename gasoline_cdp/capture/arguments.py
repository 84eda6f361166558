"""Joins the arguments of a console call into one text, as DevTools shows them. Pure.

In the joined text, a value and its name in the previous argument are just words. So secrets are masked here.
"""

import math
import re
from collections.abc import Mapping, Sequence

from gasoline_cdp import limits
from gasoline_cdp.capture.rendering import PART_CHARS, VALUE_CHARS, Json, render
from gasoline_cdp.capture.stacks import mapping
from gasoline_cdp.detect.plausible import looks_chosen
from gasoline_cdp.redact import REDACTED, is_secret_name, mask_named

_SPECIFIER = re.compile(r"%([%_sdifoOc])")
# The last word before a value: `password`, `user.password:`, `"token" =`.
_LAST_WORD = re.compile(r"([A-Za-z_][\w.\[\]-]{1,63})[\"'`]?\s{0,2}[:=]?\s{0,2}\Z")


def render_arguments(arguments: Sequence[object], deeper: Mapping[int, Json] | None = None) -> str:
    """All arguments of a console call as one text. `deeper` has better previews of some, by index."""
    shown = arguments[: limits.CONSOLE_ARGUMENTS]
    values = [_with_preview(mapping(value), (deeper or {}).get(index)) for index, value in enumerate(shown)]
    if not values:
        return ""
    pieces: list[str] = []
    if values[0].get("type") == "string":
        text, used = _format(render(values[0], top=True), values[1:])
        pieces.append(text)
        values = values[1 + used :]
    for value in values:
        pieces.append(_beneath(pieces[-1], value) if pieces else render(value, top=True))
    if len(arguments) > limits.CONSOLE_ARGUMENTS:
        pieces.append(f"… {len(arguments) - limits.CONSOLE_ARGUMENTS} more arguments")
    return " ".join(piece for piece in pieces if piece)


def plain_text(arguments: object) -> str | None:
    """The text of a few short strings and numbers without a template; None for anything more complicated."""
    if not isinstance(arguments, list) or len(arguments) > limits.CONSOLE_ARGUMENTS:
        return None
    pieces: list[str] = []
    for value in arguments:
        kind = value.get("type") if isinstance(value, dict) else None
        if kind == "string":
            piece = value.get("value")
        elif kind == "number":
            piece = value.get("description")
        else:
            return None
        if not isinstance(piece, str) or "%" in piece or len(piece) > PART_CHARS:
            return None
        if piece:
            pieces.append(_announced(pieces[-1], piece) if pieces else piece)
    return " ".join(pieces)


def _announced(before: str, value: str) -> str:
    """A value in an argument of its own, masked if the argument before it is a secret's name, or ends in one."""
    word = _LAST_WORD.search(before, max(0, len(before) - 80))
    if word is None or not is_secret_name(word[1]):
        return value
    # "Unexpected token" is prose: what follows is a secret only if it looks like one.
    return mask_named(word[1], value) if word.start() == 0 or looks_chosen(value) else value


def _beneath(before: str, value: Json) -> str:
    """The argument after a text. That text is the only name that members of an array have."""
    if value.get("type") in ("string", "number", "bigint"):
        return _announced(before, render(value, top=True))
    return render(value, top=True, name=before.strip(" :=") if value.get("subtype") == "array" else "")


def _with_preview(value: Json, preview: Json | None) -> Json:
    return value if preview is None else {**value, "deeper": preview}


def _format(template: str, values: Sequence[Json]) -> tuple[str, int]:
    """Fill in a template, and return how many values it used. What replaces %s is searched for secrets, too.

    V8 has already converted the values of %s, %d, %i and %f to strings and numbers.
    """
    pieces: list[str] = []
    used = start = 0
    while specifier := _SPECIFIER.search(template, start):
        pieces.append(template[start : specifier.start()])
        start = specifier.end()
        if specifier[1] == "%":
            pieces.append("%")
        elif used == len(values):
            pieces.append(specifier[0])
        else:
            value = values[used]
            used += 1
            before = "".join(pieces)[-80:]
            if specifier[1] == "s":
                template = (_announced(before, render(value, top=True)) + template[start:])[:VALUE_CHARS]
                start = 0
            elif specifier[1] in "dif":
                pieces.append(_announced(before, _number(value, whole=specifier[1] != "f")))
            elif specifier[1] in "oO":
                hidden = value.get("type") == "string" and _announced(before, render(value, top=True)) == REDACTED
                pieces.append(f"'{REDACTED}'" if hidden else render(value))
            # %c is a style, and %_ only consumes its value.
    pieces.append(template[start:])
    return "".join(pieces), used


def _number(value: Json, *, whole: bool) -> str:
    given = value.get("value")
    if value.get("type") != "number" or isinstance(given, bool) or not isinstance(given, int | float):
        special = value.get("unserializableValue")
        return special if value.get("type") == "number" and isinstance(special, str) else "NaN"
    if whole and abs(given) < 2**53 and given != int(given):
        return str(math.floor(given))
    return render(value)
