r"""Text as whoever receives it reads it: `\/`, `\u0022`, `%22` and `&quot;` undone, and where each part came from."""

import base64
import binascii
import re
from bisect import bisect_right
from collections.abc import Iterator
from html import unescape

_ESCAPE = re.compile(
    r"\\(?:/|u00([2-7][0-9A-Fa-f])|x([2-7][0-9A-Fa-f]))|%(?:25)?([2-7][0-9A-Fa-f]|0[AaDd9])|&(?:quot|apos|amp|lt|gt|#\d{2,3}|#[xX][0-9A-Fa-f]{2});"
)
_WORTH = re.compile(r"\\u00[2-7]|\\x[2-7]|%[2-7][0-9A-Fa-f]|%0[AaDd]|&quot;|&apos;|&#")
_PRINTABLE = re.compile(rb"[\t\n\r\x20-\x7e]+\Z")
_LONGEST = 8192
# How far from an escape a name and its value may reach.
_BEFORE = 100
_BEHIND = 400


class Decoded:
    """A stretch of a text, from `start` on, with its escapes undone."""

    def __init__(self, text: str, escapes: list[re.Match[str]], start: int, end: int) -> None:
        pieces: list[str] = []
        self._decoded = [0]
        self._original = [start]
        done, length = start, 0
        for escape in escapes:
            code = escape[1] or escape[2] or escape[3]
            plain = chr(int(code, 16)) if code else "/" if escape[0] == "\\/" else unescape(escape[0])
            pieces += text[done : escape.start()], plain
            length += escape.start() - done + len(plain)
            done = escape.end()
            self._decoded.append(length)
            self._original.append(done)
        pieces.append(text[done:end])
        self.text = "".join(pieces)

    def original(self, place: int) -> int:
        """Where a place of the decoded text stands in the text itself."""
        nearest = bisect_right(self._decoded, place) - 1
        return self._original[nearest] + place - self._decoded[nearest]


def decoded(text: str) -> Iterator[Decoded]:
    """The stretches around escapes, as whoever receives the text reads them."""
    if not _is_worth_it(text):
        return
    near: list[re.Match[str]] = []
    for escape in _ESCAPE.finditer(text):
        if near and escape.start() - near[-1].end() > _BEFORE + _BEHIND:
            yield _stretch(text, near)
            near = []
        near.append(escape)
    if near:
        yield _stretch(text, near)


def _stretch(text: str, escapes: list[re.Match[str]]) -> Decoded:
    start = max(0, escapes[0].start() - _BEFORE)
    return Decoded(text, escapes, start, min(len(text), escapes[-1].end() + _BEHIND))


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
