"""Prints answers on a terminal: the lines that an assistant reads, in colour, with columns for times and tags."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from attrs import define, evolve, field, fields
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from gasoline_cdp.answers.lines import Line, one_line
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends.cli.terminal import cut, open_console
from gasoline_cdp.frontends.invocation import say

_STYLES = {
    "heading": "bold",
    "error": "red",
    "warning": "yellow",
    "good": "green",
    "action": "cyan",
    "dim": "dim",
}
_GAP = "  "
_INDENT = 2
# A longer tag shifts the text of its own line only.
_TAG_COLUMNS = 24
# The words of tags are aligned in columns: `r9   GET 200`, `r10 POST 500`.
_WORD_COLUMNS = 8
# If less width than this is left after time and tag, the text goes below them.
_NARROW = 30
# Do not leave a mark alone at the beginning of a line.
_MARK_COLUMNS = 2
_CURSOR = re.compile(r'\bcursor="([\d-]+)"')
# Arguments in our own sentences. What a page wrote has quotes around it, or is a part of an address.
_ARGUMENT = re.compile(
    r'"(?:[^"\\]|\\.)*"|'
    r"((?<=larger )(?:max_bytes|limit)|(?<=with )(?:max_bytes|cursor|within)|(?<=within or )text|(?<=\()include_static)"
    r"\b"
)
# JSON without spaces may be broken after a comma.
_WORDS = re.compile("[^ ,]+,*|,+| ")
# The source location is right-aligned, but not so far away that the eye loses its line.
_RIGHT_EDGE = 100
# In a live line the text gets at least this share of the width; the rest is for the location.
_TEXT_SHARE = 0.7


def show_answer(answer: dict[str, Any], more: Iterable[Line] = ()) -> None:
    """Print the daemon's answer to a call for lines, then the lines in `more`. Raises the error of a failed call."""
    if answer["is_error"]:
        raise GasolineError(Code(answer["data"]["error"]), answer["data"]["message"])
    if "lines" not in answer:
        say_older(answer.get("version"))
        print(json.dumps(answer["data"], ensure_ascii=False, indent=2))
    console = open_console()
    show_lines(console, map(_as_options, read_lines(answer.get("lines", ()))))
    show_lines(console, more)


def _as_options(line: Line) -> Line:
    """A note or heading that names arguments of a tool, with the options of the command instead."""
    if line.tone not in {"dim", "heading"} or line.time or line.tag or line.depth:
        return line
    text = _CURSOR.sub(r"--cursor \1", line.text)
    return evolve(line, text=_ARGUMENT.sub(_as_option, text))


def _as_option(match: re.Match[str]) -> str:
    return f"--{match[1].replace('_', '-')}" if match[1] else match[0]


def say_older(version: object) -> None:
    """Say that the running daemon is older and answers in JSON only."""
    say(f"The gasoline-cdp that runs is version {version}, and gives JSON only. To use this version: gasoline-cdp stop")


def read_lines(values: Iterable[dict[str, Any]]) -> list[Line]:
    """The lines that a daemon sent. Ignores fields that only a newer version has."""
    known = [one.name for one in fields(Line)]
    return [Line(**{name: value[name] for name in known if name in value}) for value in values]


def show_lines(console: Console, lines: Iterable[Line]) -> None:
    """Print an answer. Nothing is cut: what is too long for the terminal is wrapped, with an indent."""
    for text in lay_out(lines, console.width):
        # The text is already wrapped, so rich must not wrap it again.
        console.print(text, soft_wrap=True)


@define
class TagColumn:
    """The width of the tags in a block of lines, and of each word in them."""

    timed: bool = False
    width: int = 0
    # By the number of words in a tag, and the index of the word.
    _words: dict[tuple[int, int], int] = field(factory=dict)

    def admit(self, tag: str) -> None:
        """Make room for a tag."""
        words = tag.split(" ")
        for index, word in enumerate(words):
            key = len(words), index
            self._words[key] = max(self._words.get(key, 0), min(cell_len(word), _WORD_COLUMNS))
        if (width := cell_len(self.padded(tag))) <= _TAG_COLUMNS:
            self.width = max(self.width, width)

    def padded(self, tag: str) -> str:
        """The tag with its words in their columns."""
        words = tag.split(" ")
        *others, last = words
        padded = [_fill(word, self._words.get((len(words), index), 0)) for index, word in enumerate(others)]
        return " ".join([*padded, last])

    def before(self, line: Line, clock: int) -> Text:
        """The time and tag of a line, each in its column."""
        text = Text(" " * (_INDENT * line.depth if not self.timed else 0))
        if self.timed:
            text.append(_fill(line.time, clock), style="dim").append(_GAP)
        if self.width or line.tag:
            text.append(_fill(self.padded(line.tag), self.width), style=_style(line)).append(_GAP)
        if self.timed:
            text.append(" " * _INDENT * line.depth)
        return text


def _fill(text: str, width: int) -> str:
    return text if cell_len(text) >= width else set_cell_size(text, width)


def _style(line: Line) -> str:
    return _STYLES.get(line.tone, "")


def lay_out(lines: Iterable[Line], width: int) -> Iterator[Text]:
    """Wrap lines to the given width. Adjacent lines share their columns."""
    stretch: list[Line] = []
    for line in map(_harmless, lines):
        if not _is_entry(line) and not (line.depth and stretch):
            yield from _neighbours(stretch, width)
            stretch = []
        stretch.append(line)
    yield from _neighbours(stretch, width)


def _harmless(line: Line) -> Line:
    return Line(
        one_line(line.text),
        time=one_line(line.time),
        tag=one_line(line.tag),
        place=one_line(line.place),
        tone=line.tone,
        depth=max(0, line.depth),
    )


def _is_entry(line: Line) -> bool:
    return bool(line.time or line.tag)


def _neighbours(lines: Sequence[Line], width: int) -> Iterator[Text]:
    """Lay out adjacent entries, each with the lines below it."""
    columns: dict[tuple[bool, int], TagColumn] = {}
    keys: list[tuple[bool, int] | None] = []
    timed = False
    for line in lines:
        # An entry with the same time as the one above does not repeat it.
        timed = timed or bool(line.time)
        has_time = bool(line.time) or (timed and not line.depth)
        key = (has_time, 0 if has_time else line.depth) if _is_entry(line) else None
        keys.append(key)
        if key is not None:
            columns.setdefault(key, TagColumn(has_time)).admit(line.tag)
    clock = max((cell_len(line.time) for line in lines), default=0)
    above = 0
    for line, key in zip(lines, keys, strict=True):
        if key is None:
            # Align it with the text of its entry. A sentence of its own starts at the edge and wraps with an indent.
            indent = above or _INDENT * line.depth
            yield from _below(line, Text(" " * indent), width, hanging=_INDENT)
            continue
        before = columns[key].before(line, clock)
        above = before.cell_len if width - before.cell_len >= _NARROW else _INDENT * (line.depth + 2)
        if above == before.cell_len or before.cell_len + _wanted(line) <= width:
            yield from _below(line, before, width)
        else:
            before.rstrip()
            yield before
            yield from _below(line, Text(" " * above), width)


def _wanted(line: Line) -> int:
    return cell_len(line.text) + (cell_len(_GAP + line.place) if line.place else 0)


def _below(line: Line, before: Text, width: int, *, hanging: int = 0) -> Iterator[Text]:
    """Text and location after `before`. What does not fit is wrapped to the column where the text began."""
    words = line.text.lstrip(" ")
    # A tree has its own indent; text of a page is wrapped after its mark.
    before = before + " " * min(len(line.text) - len(words), width // 2)
    hanging = hanging or (_INDENT if words.startswith("| ") else 0)
    start = before.cell_len
    style = "" if _is_entry(line) and line.tone not in {"dim", "heading"} else _style(line)
    indent = Text(" " * (start + hanging))
    room = max(1, width - start - hanging)
    first, *rest = wrap(words, room)
    shown = [before + Text(first, style=style), *(indent + Text(more, style=style) for more in rest)]
    if line.place:
        _add_location(shown, line.place, indent, width)
    for text in shown:
        text.rstrip()
        yield text


def wrap(text: str, room: int) -> list[str]:
    """Wrap to lines of the given width, at least one. Only words that are longer than a line are broken."""
    lines: list[str] = []
    line, used = "", 0
    for word in _WORDS.findall(text):
        if word == " ":
            # Drop the space between words at a line break.
            if line or not lines:
                line, used = line + word, used + 1
            continue
        length = cell_len(word)
        if used > _MARK_COLUMNS and used + length > room >= length:
            lines.append(line.rstrip())
            line, used = "", 0
        for character in word if used + length > room else (word,):
            width = cell_len(character)
            if line and used + width > room:
                lines.append(line.rstrip())
                line, used = "", 0
            line, used = line + character, used + width
    return [*lines, line]


def _add_location(shown: list[Text], location: str, indent: Text, width: int) -> None:
    """Right-align the location if the text is a single line with enough room; else put it on lines of its own."""
    used, length = shown[-1].cell_len, cell_len(location)
    if len(shown) == 1 and used + len(_GAP) + length <= width:
        gap = max(len(_GAP), min(width, _RIGHT_EDGE) - used - length)
        shown[-1].append(" " * gap).append(location, style="dim")
        return
    room = max(1, width - indent.cell_len)
    shown += [indent + Text(text, style="dim") for text in wrap(location, room)]


def live_column() -> TagColumn:
    """The column of a live view: wide enough for most tags from the start. It grows with longer ones."""
    column = TagColumn(timed=True)
    column.admit("r10 POST 200")
    return column


def live_text(line: Line, column: TagColumn, width: int) -> Text:
    """A line of a live view: exactly one line on the terminal, cut if it is longer."""
    line = _harmless(line)
    column.admit(line.tag)
    text = column.before(line, cell_len(line.time))
    room = max(0, width - text.cell_len - len(_GAP))
    location = _short_location(line.place, room - min(cell_len(line.text), int(room * _TEXT_SHARE)))
    room = room - cell_len(location) if location else room + len(_GAP)
    words = cut(line.text, room)
    text.append(words, style=_style(line) if line.tone in {"error", "warning", "dim"} else "")
    if location:
        text.append(" " * (room - cell_len(words) + len(_GAP))).append(location, style="dim")
    text.truncate(width)
    text.rstrip()
    return text


def _short_location(location: str, room: int) -> str:
    """The whole stack, its first frame, or only file and line: the longest that fits."""
    frame = location.partition(" < ")[0]
    where = frame.partition(" ")[0]
    return next((shown for shown in (location, frame) if cell_len(shown) <= room), cut(where, room))
