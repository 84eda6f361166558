"""Regular expressions that mean the same in JavaScript and in Python."""

import re

from gasoline_cdp.analysis.flows.counters import COUNTED

_SPECIAL = re.compile(r"[.*+?^${}()|\[\]\\/]")


def escaped(text: str) -> str:
    """Matches this text. A slash is escaped, since it would end a pattern in JavaScript."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def pattern_of(text: str) -> str:
    """Matches a text with numbers that may be others."""
    return escaped(text).replace(COUNTED, r"\d+")
