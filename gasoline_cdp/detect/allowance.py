"""What each source of texts may make the search take in a while, so that one page cannot use up everybody's time."""

import time
from contextvars import ContextVar

from gasoline_cdp import limits

# Empty: on nobody's account. So are the questions of callers, whose answers have limits of their own.
_source: ContextVar[str] = ContextVar("source", default="")


def charge_to(source: str) -> None:
    """Say on whose behalf texts are looked through from here on, in this task."""
    _source.set(source)


class Allowances:
    """Steps of search that each source has left. They come back with time, up to what a page that loads may need."""

    def __init__(self) -> None:
        # By source: how many steps were left, how many extra ones for texts full of secrets, and when.
        self._left: dict[str, tuple[float, float, float]] = {}

    def _now(self) -> tuple[float, float]:
        left, extra, at = self._left.get(_source.get(), (limits.SEARCH_STEPS_AT_ONCE, limits.SEARCH_EXTRA_AT_ONCE, 0.0))
        seconds = time.monotonic() - at
        return (
            min(limits.SEARCH_STEPS_AT_ONCE, left + seconds * limits.SEARCH_STEPS_PER_SECOND),
            min(limits.SEARCH_EXTRA_AT_ONCE, extra + seconds * limits.SEARCH_EXTRA_PER_SECOND),
        )

    def left(self) -> float:
        """What the source of this task has left."""
        return self._now()[0]

    def extra(self) -> int:
        """What all texts of this source may still take beyond what their lengths allow."""
        return max(0, int(self._now()[1]))

    def spend(self, steps: int, extra: int = 0) -> None:
        """Take steps from the source of this task, and how many of them were extra."""
        source, (left, more) = _source.get(), self._now()
        if not source:
            return
        self._left.pop(source, None)
        if len(self._left) >= limits.SEARCH_SOURCES:
            del self._left[next(iter(self._left))]
        self._left[source] = (left - steps, more - extra, time.monotonic())
