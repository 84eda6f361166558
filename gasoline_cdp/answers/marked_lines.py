"""Sentences and lists that contain text of a page, as lines. Everything after the mark may be from the page."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.quoting import folded

# A safety net: callers have already cut these texts.
_TEXT_CHARS = 600
_LIST_CHARS = 120
# Enough of an element's markup to find it in the source.
_HTML_CHARS = 120


def marked(text: str) -> str:
    """A sentence as the end of a line."""
    return folded(text, _TEXT_CHARS)


def labelled(label: str, text: str, depth: int = 1, chars: int = _TEXT_CHARS) -> Line:
    """`fix | Set alt="…"`. Advice and reasons contain names from the page."""
    return Line(folded(text, chars), tag=label, depth=depth)


def listed(texts: Iterable[str], depth: int = 1) -> Iterator[Line]:
    """`| #first, #second`: several short texts per line, none of them split."""
    row = ""
    for text in (" ".join(text.split()) for text in texts):
        if row and len(row) + len(text) > _LIST_CHARS:
            yield Line(f"| {row}", depth=depth)
            row = ""
        row = f"{row}, {text}" if row else text
    if row:
        yield Line(f"| {row}", depth=depth)


def sample_markup(elements: Sequence[Mapping[str, Any]]) -> Iterator[Line]:
    """The markup of the first element: the others look alike. No line if its selector says the same."""
    html = elements[0].get("html") if elements else None
    if html and html != f"<{elements[0].get('selector')}>":
        yield labelled("html", html if len(html) <= _HTML_CHARS else f"{html[:_HTML_CHARS]}…")


def wcag_words(criteria: str, level: str) -> str:
    """`WCAG 1.1.1 A`; empty for a rule of good practice."""
    return f"WCAG {criteria} {level}".rstrip() if criteria else ""


def line_bytes(lines: Iterable[Line]) -> int:
    """Size of the lines in an answer."""
    return sum(len(str(line).encode()) + 1 for line in lines)
