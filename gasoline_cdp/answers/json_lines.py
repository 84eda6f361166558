"""JSON that a page had a hand in, as lines: whole values in a line as long as they fit, each line behind the mark."""

from collections.abc import Iterator
from typing import Any

from gasoline_cdp import wire

_WIDTH = 160
# What is nested more deeply stays in one line: each level is encoded once more to see how long it is.
_LEVELS = 8
# They end a line for some readers, and JSON leaves them as they are.
_LINE_ENDS = str.maketrans({"\u2028": "\\u2028", "\u2029": "\\u2029", "\x85": "\\u0085", "\x7f": "\\u007f"})
_MARK = "| "


def json_lines(value: Any, room: int) -> list[str]:
    """One line if it is short; else several, or one where several take more bytes than there is room for."""
    whole = one_line(value)
    if len(whole) <= _WIDTH:
        return [_MARK + whole]
    lines = [_MARK + line for line in _laid_out("", value, 0)]
    return lines if sum(len(line.encode()) + 1 for line in lines) <= room else [_MARK + whole]


def one_line(value: Any) -> str:
    """JSON without line ends of any kind."""
    return wire.encode(value).decode().translate(_LINE_ENDS)


def _laid_out(name: str, value: Any, depth: int) -> Iterator[str]:
    """A value that is too long for a line: its short parts side by side, its long ones on lines of their own."""
    indent = " " * depth
    if not isinstance(value, dict | list) or not value or depth == _LEVELS:
        yield f"{indent}{name}{one_line(value)}"
        return
    opening, closing = ("{", "}") if isinstance(value, dict) else ("[", "]")
    yield f"{indent}{name}{opening}"
    parts = (
        [(f"{one_line(str(key))}:", part) for key, part in value.items()]
        if isinstance(value, dict)
        else [("", part) for part in value]
    )
    inner, row = indent + " ", ""
    for place, (key, part) in enumerate(parts):
        comma = "," if place < len(parts) - 1 else ""
        text = f"{key}{one_line(part)}{comma}"
        if row and len(row) + len(text) > _WIDTH:
            yield inner + row
            row = ""
        if len(text) <= _WIDTH:
            row += text
            continue
        *lines, last = _laid_out(key, part, depth + 1)
        yield from lines
        yield last + comma
    if row:
        yield inner + row
    yield indent + closing
