"""Remembers the last audits of each tab for a moment, and lets one analysis at a time have a tab."""

from collections.abc import Hashable, Iterator
from typing import Any

import trio

from gasoline_cdp import limits
from gasoline_cdp.bounded import BoundedDict


class Audits:
    """What was found, by what was asked of which document."""

    def __init__(self) -> None:
        # When it was found, what, and in how many elements.
        self._kept: BoundedDict[Hashable, tuple[float, Any, int]] = BoundedDict(
            limits.AUDITS_KEPT, weight=lambda kept: kept[2], max_weight=limits.AUDIT_ELEMENTS_KEPT
        )
        self._numbers = 0
        self._turns: dict[int, trio.Lock] = {}
        self._spoiled: dict[int, int] = {}
        # Tabs whose last audit was cut short while it may have been what kept the page busy.
        self.stuck: set[int] = set()

    def fresh(self, key: Hashable, seconds: float) -> Any:
        """What was found for this at most so many seconds ago; None if nothing was."""
        when, found, _ = self._kept.get(key, (0.0, None, 0))
        return found if found is not None and trio.current_time() - when <= seconds else None

    def keep(self, key: Hashable, found: Any, elements: int = 0) -> int:
        """Remember what was found, of so many elements, and number it; the oldest go."""
        self._kept[key] = (trio.current_time(), found, elements)
        self._numbers += 1
        return self._numbers

    def kept(self) -> Iterator[Any]:
        """Everything that is still remembered, however old."""
        return (found for _, found, _ in self._kept.values())

    def turn(self, tab_id: int) -> trio.Lock:
        """Held by the analysis that runs in this tab."""
        return self._turns.setdefault(tab_id, trio.Lock())

    def generation(self, tab_id: int) -> int:
        """The number of the world in which the next audit of this tab runs."""
        return self._spoiled.get(tab_id, 0)

    def spoil(self, tab_id: int, *, running: bool) -> None:
        """An audit was cut short and may still be running there: the next one gets another world."""
        self._spoiled[tab_id] = self.generation(tab_id) + 1
        if running:
            self.stuck.add(tab_id)
