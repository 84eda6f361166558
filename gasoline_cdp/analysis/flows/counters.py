"""Numbers that depend on what was there before: a server that keeps what a test does has another one in each run.

A step that wrote to the server, after which "2 items" became "3 items", counted up. A test expects some number there.
"""

import re
from collections.abc import Iterable, Iterator

from attrs import define, field

# Stands for such a number in an expected text.
COUNTED = "\ue000"
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_BEFORE = re.compile(r"([^\W\d_]+)[^\w]{0,3}\Z")
_AFTER = re.compile(r"[^\w]{0,3}([^\W\d_]+)")
# What a server numbers.
_NUMBERED = re.compile(
    r"(#|\b(?:order|ticket|invoice|booking|reference|number|no|nr|id)\b[ .:#]{1,3})\d+\b", re.IGNORECASE
)
_TELLING = 3
# As far as the words beside a number are looked for.
_BESIDE = 40

Place = tuple[str, str]


@define
class Counters:
    """The places of such numbers, by the words beside them."""

    # What was typed comes again as it is.
    typed: set[str] = field(factory=set)
    places: set[Place] = field(factory=set)
    # What they came to, where that is long enough to be the same number in another text.
    totals: set[str] = field(factory=set)
    # Numbers that were shown before anything was written.
    shown: set[str] = field(factory=set)

    def show(self, text: str) -> None:
        """A page showed this before anything was written."""
        self.shown.update(_NUMBER.findall(text))

    def type(self, text: str) -> None:
        """Somebody typed or chose this."""
        self.typed.update(_NUMBER.findall(text))

    def learn(self, gone: Iterable[str], came: Iterable[str]) -> None:
        """A step that wrote to the server took away these texts, and brought those."""
        went: dict[Place, set[str]] = {}
        for text in gone:
            for place, number in _numbers(text):
                went.setdefault(place, set()).add(number)
        for text in came:
            for place, number in _numbers(text):
                if place in went and number not in went[place]:
                    self.places.add(place)
                    if len(number) >= _TELLING:
                        self.totals.add(number)

    def mark(self, text: str, *, wrote: bool = False) -> str:
        """The text with such numbers marked. `wrote`: it came with a step that wrote to the server."""
        if self.places:
            marked, end = "", 0
            for found in _NUMBER.finditer(text):
                counted = _place(text, found) in self.places or found[0] in self.totals
                if counted and found[0] not in self.typed:
                    marked, end = f"{marked}{text[end : found.start()]}{COUNTED}", found.end()
            text = marked + text[end:]
        return _NUMBERED.sub(self._numbered, text) if wrote else text

    def mark_new(self, text: str) -> str:
        """The text with all numbers marked that came only after something was written, on a page loaded since."""

        def replaced(found: re.Match[str]) -> str:
            return found[0] if found[0] in self.shown or found[0] in self.typed else COUNTED

        return _NUMBER.sub(replaced, text)

    def _numbered(self, found: re.Match[str]) -> str:
        number = found[0].removeprefix(found[1])
        return found[0] if number in self.typed else f"{found[1]}{COUNTED}"


def _numbers(text: str) -> Iterator[tuple[Place, str]]:
    for found in _NUMBER.finditer(text):
        place = _place(text, found)
        if place != ("", ""):
            yield place, found[0]


def _place(text: str, found: re.Match[str]) -> Place:
    """The words beside a number, in the singular."""
    before = _BEFORE.search(text[max(0, found.start() - _BESIDE) : found.start()])
    after = _AFTER.match(text[found.end() : found.end() + _BESIDE])
    return tuple(match[1].lower().removesuffix("s") if match else "" for match in (before, after))  # type: ignore[return-value]
