"""An answer as lines: what an assistant over MCP, a resource and a person on a terminal read."""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, Protocol, runtime_checkable

from attrs import evolve, frozen

# How a client takes its answers: readers pay by the byte and take lines, programs take JSON.
AnswerForm = Literal["lines", "json"]
# What a line is, for a terminal to colour.
Tone = Literal["heading", "plain", "error", "warning", "good", "action", "dim"]

# Nothing that a page wrote may end a line of ours, whatever slipped through until here: line ends of every alphabet,
# control and bidirectional characters, tags.
_BREAKS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\U000e0000-\U000e01ef\ud800-\udfff]+"
)
_INDENT = "  "
# A text that is longer than what stands for it.
_WORTH_FOLDING = 20


@frozen
class Line:
    """One line: what happened when, what it is called, what it is, and where it was written in the source."""

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
    """Text without anything that could end a line, or speak to a terminal."""
    return _BREAKS.sub(" ", text)


@runtime_checkable
class Rendered(Protocol):
    """An answer that knows its lines."""

    def render(self) -> Iterable[Line]: ...  # noqa: D102


def write_lines(lines: Iterable[Line]) -> str:
    """The text of an answer."""
    return "\n".join(map(str, lines))


def cut_lines(text: str, most: int) -> str:
    """As many whole lines as so many bytes hold, and how many are missing."""
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
        # A single line that is too long.
        kept = [lines[0].encode()[: most - 60].decode(errors="ignore") + "…"]
    left = len(lines) - len(kept)
    return "\n".join([*kept, f"… {left} more lines did not fit: narrow the question."]) if left else kept[0]


def without_repeats(lines: Iterable[Line]) -> Iterator[Line]:
    """A time that the line above has is not said again, nor a body or shape that stood below an earlier entry."""
    last_time = handle = ""
    # What stood below which entry.
    seen: dict[str, str] = {}
    for line in lines:
        if not line.depth:
            # Entries begin with their id; those without one are not referred to.
            handle = line.tag.partition(" ")[0] if " " in line.tag else ""
            yield evolve(line, time="") if line.time and line.time == last_time else line
            last_time = line.time
        elif line.text.startswith("| ") and len(line.text) > _WORTH_FOLDING and handle:
            yield evolve(line, text=f"(as {seen[line.text]})") if line.text in seen else line
            seen.setdefault(line.text, handle)
        else:
            yield line


def note(text: str, tone: Tone = "dim") -> Line:
    """A sentence of ours below the entries."""
    return Line(text, tone=tone)


def rest_of(left_out: int, cursor: str | None, noun: str = "more") -> Iterator[Line]:
    """How many entries did not fit, and how to get them; nothing where all are there."""
    if left_out:
        how = f'cursor="{cursor}"' if cursor else "a larger max_bytes shows them"
        yield note(f"{left_out} {noun}: {how}")
