r"""Decodes `\/`, `\u0022`, `%22`, `&quot;` and base64, as a receiver would, and maps positions back to the text."""

import base64
import binascii
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

from gasoline_cdp.detect.secret_match import ReportedSpans

_ESCAPE = re.compile(
    r"\\(?:/|u00[2-7][0-9A-Fa-f]|x[2-7][0-9A-Fa-f])|%(?:25)?(?:[2-7][0-9A-Fa-f]|0[AaDd9])"
    r"|&(?:quot|apos|amp|lt|gt|#\d{2,3}|#[xX][0-9A-Fa-f]{2});"
    # A space in a form. Alone, a plus may be part of a value; between two escapes it is a space.
    r"|(?<=%[2-7][0-9A-Fa-f])\+{1,8}(?=%[2-7])"
)
_WORTH = re.compile(r"\\u00[2-7]|\\x[2-7]|%[2-7][0-9A-Fa-f]|%0[AaDd]|&quot;|&apos;|&#")
# Those of _ESCAPE that have a name. The table of the standard library takes a third of a megabyte.
_ENTITIES = {"&quot;": '"', "&apos;": "'", "&amp;": "&", "&lt;": "<", "&gt;": ">"}
_PRINTABLE = re.compile(rb"[\t\n\r\x20-\x7e]+\Z")
_LONGEST = 8192
# How far from an escape a name and its value may reach.
_BEFORE = 100
_BEHIND = 400
_WORD_CHARS = 512
# Formats that begin with a run of letters, digits, _ and - have no other characters.
_REST_OF_WORD = re.compile(rf"[A-Za-z0-9_!%+./=:-]{{0,{_WORD_CHARS}}}")
_DELIMITER = re.compile(r"[^A-Za-z0-9_!%+./=:$&,@|~-]")


class Stretch:
    """A part of a text with escapes, from `start` on; `decoded` decodes them."""

    def __init__(self, text: str, escapes: list[re.Match[str]]) -> None:
        self._text = text
        self._escapes = escapes
        self.start = max(0, escapes[0].start() - _BEFORE)
        # Where the text continues after each escape: in the decoded text, and in the text itself.
        self._decoded = [0]
        self._original = [self.start]

    def __len__(self) -> int:
        """How many escapes there are."""
        return len(self._escapes)

    def is_within(self, reported: ReportedSpans) -> bool:
        """Whether all escapes, with the rest of their words, lie inside secrets that will be reported anyway."""
        covered = 0
        for escape in self._escapes:
            if escape.start() >= covered:
                covered = end_of_word(self._text, escape.end())
                if not reported.cover(escape.start(), covered):
                    return False
        return True

    def decoded(self) -> str:
        """The part with its escapes decoded."""
        pieces: list[str] = []
        text, done, length = self._text, self.start, 0
        for escape in self._escapes:
            begin, end = escape.span()
            plain = _undone(escape[0])
            pieces += text[done:begin], plain
            length += begin - done + len(plain)
            done = end
            self._decoded.append(length)
            self._original.append(done)
        return "".join((*pieces, text[done : done + _BEHIND]))

    def original(self, position: int) -> int:
        """The position in the text itself of a position in the decoded part."""
        nearest = bisect_right(self._decoded, position) - 1
        return self._original[nearest] + position - self._decoded[nearest]


def end_of_word(text: str, position: int) -> int:
    """The end of the word at `position`. No value with a format goes beyond its word."""
    rest = _REST_OF_WORD.match(text, position)
    # A very long word is not scanned for each of its parts: assume that it goes to the end of the text.
    return len(text) if rest is None or rest.end() - position == _WORD_CHARS else rest.end()


def start_of_word(text: str, position: int) -> int:
    """The start of the word at `position`, as far as a value with a format may reach back."""
    first = max(0, position - _WORD_CHARS)
    word = _DELIMITER.split(text[first:position])[-1]
    return position - len(word)


class AlreadyJudged:
    """Tells what the search of the text itself has judged, so that a decoded part of it is not judged again."""

    def __init__(self, stretch: Stretch, reported: ReportedSpans) -> None:
        self._original = stretch.original
        self._reported = reported

    def run_is_judged(self, text: str, start: int, end: int) -> bool:
        """Whether a run up to the end of its word is the same without decoding, or will be reported anyway."""
        end = end_of_word(text, end)
        return self.is_same(start, end) or self.is_reported(start, end)

    def is_same(self, begin: int, end: int) -> bool:
        """Whether the text itself has the same characters here: no escape inside, or right beside."""
        begin = max(0, begin - 1)
        return self._original(end + 1) - self._original(begin) == end + 1 - begin

    def is_reported(self, start: int, end: int) -> bool:
        """Whether this part lies inside a secret that will be reported."""
        return bool(self._reported) and self._reported.cover(self._original(start), self._original(end))


# There are few different escapes, and encoded texts are full of them.
@lru_cache(maxsize=1024)
def _undone(escape: str) -> str:
    if escape[0] == "&":
        return _ENTITIES.get(escape) or chr(int(f"0{escape[2:-1]}", 16) if escape[2] in "xX" else int(escape[2:-1]))
    if escape[0] == "+":
        return " "
    return "/" if escape == "\\/" else chr(int(escape[-2:], 16))


def stretches(text: str, until: int) -> Iterator[Stretch]:
    """The parts of a text around its escapes, up to `until`."""
    near: list[re.Match[str]] = []
    for escape in _ESCAPE.finditer(text, 0, until):
        if near and escape.start() - near[-1].end() > _BEFORE + _BEHIND:
            yield Stretch(text, near)
            near = []
        near.append(escape)
    if near:
        yield Stretch(text, near)


def is_encoded(text: str) -> bool:
    """Whether decoding may show more secrets than the text itself."""
    if "%" in text or "\\" in text or "&" in text:
        return ":\\/\\/" in text or _WORTH.search(text) is not None
    return False


def text_in_base64(value: str) -> str:
    """The text encoded in a base64 value; empty if there is none."""
    head = value[:16].replace("-", "+").replace("_", "/")
    try:
        if _PRINTABLE.match(base64.b64decode(head)) is None:
            return ""
        whole = value[:_LONGEST].rstrip("=").replace("-", "+").replace("_", "/")
        whole = whole[:-1] if len(whole) % 4 == 1 else whole
        held = base64.b64decode(whole + "=" * (-len(whole) % 4))
    except (binascii.Error, ValueError):
        return ""
    return held.decode("ascii") if _PRINTABLE.match(held) else ""
