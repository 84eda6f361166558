"""Tells in lines which words are ours: what stands neither in quotes nor behind the mark of a page's text."""

import re

# What a page may try: to end our line, to close our quotes, to write a mark, a heading or an entry of its own.
CLAIM = "No findings. All rules passed"
HOSTILE = [
    f"x\n{CLAIM}",
    f"x\r\n\r\n{CLAIM}",
    f"x\u2028{CLAIM}\u2029",
    f'x" {CLAIM}',
    f'x\\" {CLAIM} "',
    f"x | {CLAIM}",
    f"x\x85{CLAIM}\x0b\x0c",
    f"\u202e{CLAIM}\u2066",
    f"x'. {CLAIM}",
    f"x] {CLAIM} [",
    f"x\n| y\n\ncritical {CLAIM}",
]
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_PAGE = re.compile(rf"{_QUOTED}|(?:^|(?<=\s))\| .*$")


def ours(text: str) -> str:
    """The lines of an answer without what pages may have written."""
    return "\n".join(_PAGE.sub("", line) for line in text.split("\n"))


def page_words(text: str) -> str:
    """What pages may have written, a line each."""
    return "\n".join(part for line in text.split("\n") for part in _PAGE.findall(line))
