"""Collects what is wrong with arguments, so that a caller reads all of it at once."""

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from gasoline_cdp import pilot_limits

_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")


class Problems:
    """The problems so far, each with what to do instead."""

    def __init__(self) -> None:
        self.all: list[str] = []

    def add(self, text: str) -> None:
        """One more."""
        self.all.append(text)

    def unknown(self, what: str, given: object, known: Iterable[str]) -> None:
        """A word that is not among the known ones."""
        names = list(known)
        close = difflib.get_close_matches(str(given).lower(), names, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names)}"
        self.add(f"{what} {str(given)[:60]!r} is not known; {hint}")

    def headers(self, what: str, given: object) -> tuple[tuple[str, str], ...]:
        """Names and values of headers."""
        if not isinstance(given, Mapping):
            self.add(f"{what} must be an object of names and values")
            return ()
        if len(given) > pilot_limits.CONDITION_ITEMS:
            self.add(f"{what}: at most {pilot_limits.CONDITION_ITEMS}, not {len(given)}")
        for name, value in given.items():
            if not _TOKEN.fullmatch(str(name)):
                self.add(f"{what}: {str(name)[:60]!r} is no name of a header")
            elif not _is_value(value):
                self.add(f"{what}: the value of {str(name)[:60]!r} must be one line of text")
        return tuple((str(name), str(value)) for name, value in given.items())

    def pattern(self, what: str, given: object) -> str:
        """A pattern for addresses: `*` stands for anything; without it, a part of the address."""
        if not isinstance(given, str) or not given.strip("* "):
            self.add(f"{what} must be a part of an address, or a pattern such as */api/*")
            return ""
        if len(given) > pilot_limits.CONDITION_CHARS:
            self.add(f"{what}: at most {pilot_limits.CONDITION_CHARS} characters")
        elif given.startswith("^") or given.endswith("$") or ".*" in given:
            plain = given.lstrip("^").rstrip("$").replace(".*", "*").replace("\\", "")
            self.add(f"{what} {given[:60]!r} is a regular expression; did you mean {plain[:60]!r}?")
        elif not given.isprintable() or " " in given:
            self.add(f"{what} {given[:60]!r}: an address has no spaces or control characters")
        return given


def _is_value(value: Any) -> bool:
    return isinstance(value, (str, int, float)) and str(value).isprintable() and len(str(value)) <= 4000
