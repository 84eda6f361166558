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

Context = tuple[str, str]


@define
class Counters:
    """Where such numbers stand: the words beside them."""

    # What was typed comes again as it is.
    typed: set[str] = field(factory=set)
    contexts: set[Context] = field(factory=set)
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
        went: dict[Context, set[str]] = {}
        for text in gone:
            for context, number in _numbers(text):
                went.setdefault(context, set()).add(number)
        for text in came:
            for context, number in _numbers(text):
                if context in went and number not in went[context]:
                    self.contexts.add(context)
                    if len(number) >= _TELLING:
                        self.totals.add(number)

    def mark(self, text: str, *, wrote: bool = False) -> str:
        """The text with such numbers marked. `wrote`: it came with a step that wrote to the server."""
        if self.contexts:
            marked, end = "", 0
            for match in _NUMBER.finditer(text):
                counted = _context(text, match) in self.contexts or match[0] in self.totals
                if counted and match[0] not in self.typed:
                    marked, end = f"{marked}{text[end : match.start()]}{COUNTED}", match.end()
            text = marked + text[end:]
        return _NUMBERED.sub(self._numbered, text) if wrote else text

    def mark_new(self, text: str) -> str:
        """The text with all numbers marked that came only after something was written, on a page loaded since."""

        def replaced(match: re.Match[str]) -> str:
            return match[0] if match[0] in self.shown or match[0] in self.typed else COUNTED

        return _NUMBER.sub(replaced, text)

    def _numbered(self, match: re.Match[str]) -> str:
        number = match[0].removeprefix(match[1])
        return match[0] if number in self.typed else f"{match[1]}{COUNTED}"


def _numbers(text: str) -> Iterator[tuple[Context, str]]:
    for match in _NUMBER.finditer(text):
        context = _context(text, match)
        if context != ("", ""):
            yield context, match[0]


def _context(text: str, match: re.Match[str]) -> Context:
    """The words beside a number, in the singular."""
    before = _BEFORE.search(text[max(0, match.start() - _BESIDE) : match.start()])
    after = _AFTER.match(text[match.end() : match.end() + _BESIDE])
    return tuple(match[1].lower().removesuffix("s") if match else "" for match in (before, after))  # type: ignore[return-value]
