"""Answers as their readers see them, and whether all words in them that are not quoted are ours."""

import re
from collections.abc import Iterator
from typing import Any

from gasoline_cdp import wire
from gasoline_cdp.answers.lines import Rendered
from gasoline_cdp.answers.quoting import quoted

# Whoever reads this word outside of quotes, and before the mark, reads a page's words as ours.
FAKE = "FAKEWORD"
# Line ends of every kind, quotes, marks, headings, text that runs backwards: each before the word.
HOSTILE = (
    f'x\u2028# {FAKE} a\r{FAKE} b\x85{FAKE} c\n| {FAKE} d\n\n"{FAKE} e" | {FAKE} f\u202e {FAKE} g \\" {FAKE} h '
    f"\u2029resolved: {FAKE} i\x0b\x0c{FAKE} j → {FAKE} k <{FAKE} l> \u2066{FAKE} m\n== {FAKE} =="
)
_UNREADABLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


def lines_of(record: object) -> list[str]:
    """The lines of an answer."""
    assert isinstance(record, Rendered), f"{type(record).__name__} has no lines"
    return [str(line) for line in record.render()]


def own_words(line: str) -> str:
    """A line without what it quotes, and without what stands behind the mark."""
    return _QUOTED.sub('""', line).partition("| ")[0]


def assert_ours(lines: list[str]) -> None:
    """The page's text is there, and begins no line, nor stands among our words."""
    assert any(FAKE in line for line in lines)
    for line in lines:
        assert len(line.splitlines()) == 1, line
        assert not _UNREADABLE.search(line), line
        assert FAKE not in own_words(line), line


def strings_in(value: Any) -> Iterator[str]:
    """All texts of plain values, names of fields left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from strings_in(part)


def assert_tells(record: object, *but: str) -> None:
    """Every text of the JSON stands in the lines, but for those that say what the lines say otherwise."""
    text = "\n".join(lines_of(record))
    for told in strings_in(wire.dump(record)):
        if told not in but:
            assert told in text or quoted(told, 1000)[1:-1] in text, told
