"""Reads the fields of an entry that a page's script posted. Missing fields and wrong types are reported."""

import math
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

import orjson

from gasoline_cdp.redact import safe_text

T = TypeVar("T")

# A page's clock may be off by this much. Beyond it, the time of arrival is the better guess.
_CLOCK_SECONDS = 24 * 3600.0
_TIMESTAMP = "must be an ISO 8601 time or milliseconds since 1970"
# How many unexpected fields are named, and the length of a name.
_UNKNOWN_NAMED = 5
_NAME_CHARS = 60


class Posted:
    """One entry. Each reader tries several names in turn. Problems name the field, never its value."""

    def __init__(self, value: object, path: str, problems: list[str]) -> None:
        self._path = path
        self._problems = problems
        self._known = len(problems)
        self._is_object = isinstance(value, dict)
        self._fields: dict[str, Any] = value if isinstance(value, dict) else {}
        if not self._is_object:
            self._problem("", "must be an object")

    @property
    def sound(self) -> bool:
        """Whether there is no problem so far."""
        return len(self._problems) == self._known

    def _problem(self, name: str, what: str) -> None:
        self._problems.append(f"{self._path}{'.' if name else ''}{name} {what}")

    def _read(self, names: tuple[str, ...], convert: Callable[[Any], T | None], what: str, default: T) -> T:
        for name in names:
            if self._fields.get(name) is not None:
                value = convert(self._fields[name])
                if value is None:
                    self._problem(name, what)
                    return default
                return value
        return default

    def text(self, *names: str, default: str = "") -> str:
        """A string."""
        return self._read(names, lambda value: value if isinstance(value, str) else None, "must be a string", default)

    def needed_text(self, *names: str) -> str:
        """A required string."""
        if all(self._fields.get(name) is None for name in names) and self._is_object:
            self._problem(names[0], "is missing")
        return self.text(*names)

    def number(self, *names: str, default: float | None = None) -> float | None:
        """A number that is not negative and not absurdly large."""
        return self._read(names, _number, "must be a number from 0 on", default)

    def count(self, *names: str) -> int:
        """An integer, 0 if missing."""
        return int(self.number(*names) or 0)

    def flag(self, name: str) -> bool:
        """A boolean."""
        return self._read((name,), lambda v: v if isinstance(v, bool) else None, "must be true or false", default=False)

    def choice(self, names: tuple[str, ...], choices: dict[str, T], default: T) -> T:
        """One of several words."""
        what = f"must be one of {', '.join(choices)}"
        return self._read(names, lambda value: choices.get(value) if isinstance(value, str) else None, what, default)

    def part(self, *names: str) -> "Posted":
        """A nested object, empty if missing."""
        inner: dict[str, Any] = self._read(
            names, lambda value: value if isinstance(value, dict) else None, "must be an object", {}
        )
        return Posted(inner, f"{self._path}.{names[0]}", self._problems)

    def timestamp(self, *names: str) -> float:
        """An ISO time or milliseconds since 1970. The time of arrival if it is missing or absurd."""
        now = time.time()
        ts = self._read(names, _timestamp, _TIMESTAMP, now)
        return ts if abs(ts - now) < _CLOCK_SECONDS else now

    def recent_timestamp(self, *names: str) -> float:
        """Like `timestamp`, but an absurd time is a problem."""
        now = time.time()
        ts = self._read(names, _timestamp, _TIMESTAMP, now)
        if abs(ts - now) >= _CLOCK_SECONDS:
            hours = _CLOCK_SECONDS / 3600
            self._problem(names[0], f"must be within {hours:.0f} hours of now; without it, now is taken")
        return ts

    def only(self, *names: str) -> None:
        """Refuse other fields: whoever sent them would believe that they count."""
        for name in [name for name in self._fields if name not in names][:_UNKNOWN_NAMED]:
            self._problem(safe_text(name, _NAME_CHARS), f"is not known; fields: {', '.join(names)}")

    def anything(self, *names: str) -> Any:
        """A value of any kind, or None."""
        return next((self._fields[name] for name in names if self._fields.get(name) is not None), None)


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**53:
        return None
    return float(value)


def _timestamp(value: Any) -> float | None:
    if isinstance(value, str):
        try:
            parsed = datetime.fromisoformat(value.strip())
            return (parsed if parsed.tzinfo else parsed.astimezone()).timestamp()
        except (ValueError, OverflowError):
            return None
    milliseconds = _number(value)
    return milliseconds / 1000 if milliseconds is not None and math.isfinite(milliseconds) else None


def written(values: object) -> str:
    """The text of a console call: strings unchanged, everything else as JSON."""
    parts = values if isinstance(values, list) else [values]
    return " ".join(value if isinstance(value, str) else orjson.dumps(value).decode() for value in parts)
