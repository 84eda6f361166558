r"""Text as whoever receives it reads it: `\/`, `\u0022`, `%22` and `&quot;` undone, and where each part came from."""

import base64
import binascii
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from html import unescape

from gasoline_cdp.detect.found import ReportedSpans

_ESCAPE = re.compile(
    r"\\(?:/|u00[2-7][0-9A-Fa-f]|x[2-7][0-9A-Fa-f])|%(?:25)?(?:[2-7][0-9A-Fa-f]|0[AaDd9])"
    r"|&(?:quot|apos|amp|lt|gt|#\d{2,3}|#[xX][0-9A-Fa-f]{2});"
    # A form writes a space so. By itself a plus may be part of a value; between two escapes it is none.
    r"|(?<=%[2-7][0-9A-Fa-f])\+{1,8}(?=%[2-7])"
)
_WORTH = re.compile(r"\\u00[2-7]|\\x[2-7]|%[2-7][0-9A-Fa-f]|%0[AaDd]|&quot;|&apos;|&#")
_PRINTABLE = re.compile(rb"[\t\n\r\x20-\x7e]+\Z")
_LONGEST = 8192
# How far from an escape a name and its value may reach.
_BEFORE = 100
_BEHIND = 400
_WORD_CHARS = 512
_REST_OF_WORD = re.compile(rf"[^\s\"'`<>]{{0,{_WORD_CHARS}}}")


class Stretch:
    """A part of a text around its escapes, from `start` on. They are undone when it is read."""

    def __init__(self, text: str, escapes: list[re.Match[str]]) -> None:
        self._text = text
        self._escapes = escapes
        self.start = max(0, escapes[0].start() - _BEFORE)
        # Where the plain text goes on behind each escape: in the decoded text, and in the text itself.
        self._decoded = [0]
        self._original = [self.start]

    def __len__(self) -> int:
        """How many escapes there are."""
        return len(self._escapes)

    def is_within(self, reported: ReportedSpans) -> bool:
        """Whether all escapes, each up to the end of its word, stand inside of secrets that will be reported."""
        covered = 0
        for escape in self._escapes:
            if escape.start() >= covered:
                covered = end_of_word(self._text, escape.end())
                if not reported.cover(escape.start(), covered):
                    return False
        return True

    def decoded(self) -> str:
        """As whoever receives it reads it."""
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
        """Where a character of the decoded text stands in the text itself."""
        nearest = bisect_right(self._decoded, position) - 1
        return self._original[nearest] + position - self._decoded[nearest]


def end_of_word(text: str, position: int) -> int:
    """Where the word ends that goes on at `position`: no value with a format reaches further."""
    rest = _REST_OF_WORD.match(text, position)
    # A very long word is not read again for each of its parts: it may reach to the end of the text.
    return len(text) if rest is None or rest.end() - position == _WORD_CHARS else rest.end()


class AlreadyJudged:
    """What the search of the text itself has judged, so that the search of a decoded part need not judge it again."""

    def __init__(self, stretch: Stretch, reported: ReportedSpans) -> None:
        self._original = stretch.original
        self._reported = reported

    def run_is_judged(self, text: str, start: int, end: int) -> bool:
        """Whether nothing with a format begins here that the text itself does not show, or has around it."""
        end = end_of_word(text, end)
        return self.is_same(start, end) or self.is_reported(start, end)

    def is_same(self, begin: int, end: int) -> bool:
        """Whether the text itself has the same characters here: no escape stands there, or right beside."""
        begin = max(0, begin - 1)
        return self._original(end + 1) - self._original(begin) == end + 1 - begin

    def is_reported(self, start: int, end: int) -> bool:
        """Whether a secret that will be reported reaches over this part."""
        return bool(self._reported) and self._reported.cover(self._original(start), self._original(end))


# There are few escapes, and a text that is encoded is full of them.
@lru_cache(maxsize=1024)
def _undone(escape: str) -> str:
    if escape[0] == "&":
        return unescape(escape)
    if escape[0] == "+":
        return " "
    return "/" if escape == "\\/" else chr(int(escape[-2:], 16))


def stretches(text: str, until: int) -> Iterator[Stretch]:
    """What stands around escapes, as far as these stand before `until`."""
    if not _is_worth_it(text):
        return
    near: list[re.Match[str]] = []
    for escape in _ESCAPE.finditer(text, 0, until):
        if near and escape.start() - near[-1].end() > _BEFORE + _BEHIND:
            yield Stretch(text, near)
            near = []
        near.append(escape)
    if near:
        yield Stretch(text, near)


def _is_worth_it(text: str) -> bool:
    """Whether decoding may show more than the text itself does."""
    if "%" in text or "\\" in text or "&" in text:
        return ":\\/\\/" in text or _WORTH.search(text) is not None
    return False


def text_in_base64(value: str) -> str:
    """The text that base64 holds; empty if it holds none."""
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
