"""Limits how many steps the texts of each source may take, so that one page cannot use up everybody's time."""

import time
from contextvars import ContextVar

from gasoline_cdp import limits

# Empty: not limited. The questions of callers are not; their answers have limits of their own.
_source: ContextVar[str] = ContextVar("source", default="")


def charge_to(source: str) -> None:
    """Charge the search of texts to this source from here on, in this task."""
    _source.set(source)


class Allowances:
    """The steps that each source has left. They refill with time, up to what the load of a page may need."""

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
        """The steps that the source of this task has left."""
        return self._now()[0]

    def extra(self) -> int:
        """The extra steps that this source has left, for texts that need more than their length allows."""
        return max(0, int(self._now()[1]))

    def spend(self, steps: int, extra: int = 0) -> None:
        """Spend steps of the source of this task; `extra` of them beyond what lengths allow."""
        source, (left, more) = _source.get(), self._now()
        if not source:
            return
        self._left.pop(source, None)
        if len(self._left) >= limits.SEARCH_SOURCES:
            del self._left[next(iter(self._left))]
        self._left[source] = (left - steps, more - extra, time.monotonic())
