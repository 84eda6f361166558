"""An answer as lines, for assistants over MCP, for resources and for a person on a terminal."""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, Protocol, runtime_checkable

from attrs import evolve, frozen

# The form in which a client reads answers: lines are short, for readers; JSON is for programs.
AnswerForm = Literal["lines", "json"]
# The kind of a line, from which a terminal chooses a colour.
Tone = Literal["heading", "plain", "error", "warning", "good", "action", "dim"]

# The last check that nothing a page wrote can end a line of ours: line ends of every alphabet, control and
# bidirectional characters, tags.
_BREAKS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\U000e0000-\U000e01ef\ud800-\udfff]+"
)
_INDENT = "  "
# Longer texts are longer than the reference that replaces them.
_WORTH_FOLDING = 20
_HANDLE = re.compile(r"[a-z]{1,2}\d+")


@frozen
class Line:
    """One line: time, tag, text, and the source location (`place`, whose name is also sent over the socket)."""

    text: str
    time: str = ""
    tag: str = ""
    place: str = ""
    tone: Tone = "plain"
    depth: int = 0

    def __str__(self) -> str:
        """The parts in order, a space between them."""
        words = " ".join(part for part in (self.time, self.tag, self.text, self.place) if part)
        return _INDENT * self.depth + one_line(words)


def one_line(text: str) -> str:
    """Text without characters that end a line or control a terminal."""
    return _BREAKS.sub(" ", text)


@runtime_checkable
class Rendered(Protocol):
    """An answer that can be rendered as lines."""

    def render(self) -> Iterable[Line]: ...  # noqa: D102


def cut_lines(text: str, most: int) -> str:
    """As many whole lines as fit into `most` bytes, and how many are missing."""
    if len(text.encode()) <= most:
        return text
    kept: list[str] = []
    lines = text.split("\n")
    room = most - 60
    for line in lines:
        room -= len(line.encode()) + 1
        if room < 0:
            break
        kept.append(line)
    if not kept:
        # The first line is too long.
        kept = [lines[0].encode()[: most - 60].decode(errors="ignore") + "…"]
    left = len(lines) - len(kept)
    return "\n".join([*kept, f"… {left} more lines did not fit: narrow the question."]) if left else kept[0]


def without_repeats(lines: Iterable[Line]) -> Iterator[Line]:
    """Omit a time that the line above has. Replace a body or shape that was shown before by a reference."""
    last_time = handle = ""
    # Body or shape → the id of the entry that showed it.
    seen: dict[str, str] = {}
    for line in lines:
        if not line.depth:
            # A tag begins with the entry's id. Entries without one cannot be referred to.
            first, _, more = line.tag.partition(" ")
            handle = first if more or _HANDLE.fullmatch(first) else ""
            yield evolve(line, time="") if line.time and line.time == last_time else line
            last_time = line.time
        elif line.text.startswith("| ") and len(line.text) > _WORTH_FOLDING and handle:
            yield evolve(line, text=f"(as {seen[line.text]})") if line.text in seen else line
            seen.setdefault(line.text, handle)
        else:
            yield line


def note(text: str, tone: Tone = "dim") -> Line:
    """A sentence below the entries."""
    return Line(text, tone=tone)


def rest_of(left_out: int, cursor: str | None, noun: str = "more") -> Iterator[Line]:
    """How many entries did not fit, and how to get them. No line if none is missing."""
    if left_out:
        how = f'cursor="{cursor}"' if cursor else "a larger max_bytes shows them"
        yield note(f"{left_out} {noun}: {how}")
