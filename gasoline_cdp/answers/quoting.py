"""Quotes text and values of a page inside our lines, so that they cannot pass for our words."""

import re
from collections.abc import Mapping
from typing import Any

# Longer values are cut.
_VALUE_CHARS = 100
_BLANK_RUN = re.compile(r"[ \t\r\f\v\x85\u2028\u2029]*\n\s*")
_BLANKS = re.compile(r"[ \t\r\f\v\x85\u2028\u2029]+")
# Needs no quotes: a name, a path, a URL. It contains no blank, so it ends before our next word.
_WORD = re.compile(r'[^\s"|←→<>“”\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+')


def quoted(text: str, limit: int) -> str:
    """One line in double quotes. Quotes and line ends inside are escaped as in JSON. Says how much was cut."""
    line = _BLANKS.sub(" ", _BLANK_RUN.sub("\n", text.strip()))
    more = len(line) - limit
    if more > 0:
        line = line[:limit] + "…"
    escaped = line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}" +{more} chars' if more > 0 else f'"{escaped}"'


def word(text: str, limit: int = 300) -> str:
    """A name or URL as it is, or in quotes if it contains other characters."""
    return text if len(text) <= limit and _WORD.fullmatch(text) else quoted(text, limit)


def written_fields(fields: Mapping[str, Any], chars: int = _VALUE_CHARS) -> str:
    """`value="a b" checked=true`."""
    return " ".join(f"{word(name)}={_value(value, chars)}" for name, value in fields.items())


def _value(value: Any, chars: int) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int | float):
        return f"{value:g}" if isinstance(value, float) else str(value)
    if isinstance(value, Mapping):
        return f"{{{written_fields(value, chars)}}}"
    if isinstance(value, list | tuple):
        return f"[{' '.join(_value(item, chars) for item in value)}]"
    return word(str(value), chars)


def block(text: str, limit: int) -> list[str]:
    """Text of several lines, each behind a mark. A page cannot start a line, so it cannot fake our lines."""
    more = len(text) - limit
    lines = (text[:limit] + "…" if more > 0 else text).splitlines() or [""]
    shown = [f"| {line.rstrip()}" for line in lines]
    if more > 0:
        shown[-1] += f" +{more} chars"
    return shown


def folded(text: str, limit: int) -> str:
    """Text of several lines joined into one, behind the mark."""
    line = " ".join(text[: 4 * limit].split())
    return f"| {line[:limit]}…" if len(line) > limit or len(text) > 4 * limit else f"| {line}"
