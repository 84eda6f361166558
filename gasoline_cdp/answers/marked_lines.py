"""Sentences and lists that hold words of a page, as lines: all that follows the mark may be the page's."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.quoting import folded

# Whoever makes these texts has cut them already: this is for what slipped through.
_TEXT_CHARS = 600
_LIST_CHARS = 120
# Of an element's markup: enough to find it in the source.
_HTML_CHARS = 120


def marked(text: str) -> str:
    """A sentence as the end of a line."""
    return folded(text, _TEXT_CHARS)


def labelled(label: str, text: str, depth: int = 1, chars: int = _TEXT_CHARS) -> Line:
    """`fix | Set alt="…"`: advice and reasons name attributes and elements by the page's words."""
    return Line(folded(text, chars), tag=label, depth=depth)


def listed(texts: Iterable[str], depth: int = 1) -> Iterator[Line]:
    """`| #first, #second`: several short ones in a line, none of them cut apart."""
    row = ""
    for text in (" ".join(text.split()) for text in texts):
        if row and len(row) + len(text) > _LIST_CHARS:
            yield Line(f"| {row}", depth=depth)
            row = ""
        row = f"{row}, {text}" if row else text
    if row:
        yield Line(f"| {row}", depth=depth)


def sample_markup(elements: Sequence[Mapping[str, Any]]) -> Iterator[Line]:
    """The markup of the first of some elements, as they look alike; nothing where its selector says the same."""
    html = elements[0].get("html") if elements else None
    if html and html != f"<{elements[0].get('selector')}>":
        yield labelled("html", html if len(html) <= _HTML_CHARS else f"{html[:_HTML_CHARS]}…")


def wcag_words(criteria: str, level: str) -> str:
    """`WCAG 1.1.1 A`; nothing for what is good practice only."""
    return f"WCAG {criteria} {level}".rstrip() if criteria else ""


def line_bytes(lines: Iterable[Line]) -> int:
    """What lines take of an answer."""
    return sum(len(str(line).encode()) + 1 for line in lines)
