"""JSON with content of a page, as lines: as many whole values per line as fit, each line behind the mark."""

from typing import Any

from attrs import define

from gasoline_cdp import wire

_WIDTH = 160
# Deeper values stay on one line: every level costs another encoding to measure its length.
_LEVELS = 8
# Some readers treat these as line ends, and JSON does not escape them.
_LINE_ENDS = str.maketrans({"\u2028": "\\u2028", "\u2029": "\\u2029", "\x85": "\\u0085", "\x7f": "\\u007f"})
_MARK = "| "


def json_lines(value: Any, room: int) -> list[str]:
    """One line if it is short. Otherwise several, unless they take more than `room` bytes."""
    whole = one_line(value)
    if len(whole) <= _WIDTH:
        return [_MARK + whole]
    lines = [f"{_MARK}{' ' * row.depth}{row.text}" for row in _rows(value, 0)]
    return lines if sum(len(line.encode()) + 1 for line in lines) <= room else [_MARK + whole]


def one_line(value: Any) -> str:
    """JSON without line ends of any kind."""
    return wire.encode(value).decode().translate(_LINE_ENDS)


@define
class _Row:
    depth: int
    text: str


def _rows(value: Any, depth: int) -> list[_Row]:
    """A value that is too long for one line: short parts share lines, each long part starts a new line."""
    if not isinstance(value, dict | list) or not value or depth == _LEVELS:
        return [_Row(depth, one_line(value))]
    if isinstance(value, dict):
        brackets, parts = "{}", [(f"{one_line(key)}:", part) for key, part in value.items()]
    else:
        brackets, parts = "[]", [("", part) for part in value]
    rows: list[_Row] = []
    # Whether the last row has room for more.
    open_ended = False
    for index, (key, part) in enumerate(parts):
        comma = "," if index < len(parts) - 1 else ""
        text = f"{key}{one_line(part)}{comma}"
        if len(text) > _WIDTH:
            inner = _rows(part, depth + 1)
            inner[0].text = key + inner[0].text
            inner[-1].text += comma
            rows += inner
            open_ended = False
        elif open_ended and len(rows[-1].text) + len(text) <= _WIDTH:
            rows[-1].text += text
        else:
            rows.append(_Row(depth + 1, text))
            open_ended = True
    rows[0] = _Row(depth, brackets[0] + rows[0].text)
    rows[-1].text += brackets[1]
    return rows
