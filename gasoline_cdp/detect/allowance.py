"""What each source of texts may make the search take in a while, so that one page cannot use up everybody's time."""

import time
from contextvars import ContextVar

from gasoline_cdp import limits

_source: ContextVar[str] = ContextVar("source", default="")


def charge_to(source: str) -> None:
    """Say on whose behalf texts are looked through from here on, in this task."""
    _source.set(source)


class Allowances:
    """Steps of search that each source has left. They come back with time, up to what a page that loads may need."""

    def __init__(self) -> None:
        # By source: how many steps were left, and when.
        self._left: dict[str, tuple[float, float]] = {}

    def left(self) -> float:
        """What the source of this task has left."""
        left, at = self._left.get(_source.get(), (limits.SEARCH_STEPS_AT_ONCE, 0.0))
        return min(limits.SEARCH_STEPS_AT_ONCE, left + (time.monotonic() - at) * limits.SEARCH_STEPS_PER_SECOND)

    def spend(self, steps: int) -> None:
        """Take steps from the source of this task."""
        source, left = _source.get(), self.left()
        self._left.pop(source, None)
        if len(self._left) >= limits.SEARCH_SOURCES:
            del self._left[next(iter(self._left))]
        self._left[source] = (left - steps, time.monotonic())
