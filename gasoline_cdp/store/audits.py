"""Caches the last audits of each tab, and makes analyses of one tab take turns."""

from collections.abc import Hashable, Iterator
from typing import Any

import trio

from gasoline_cdp import limits
from gasoline_cdp.bounded import BoundedDict


class Audits:
    """Audit results, by document and arguments."""

    def __init__(self) -> None:
        # Time, result, and number of elements.
        self._kept: BoundedDict[Hashable, tuple[float, Any, int]] = BoundedDict(
            limits.AUDITS_KEPT, weight=lambda kept: kept[2], max_weight=limits.AUDIT_ELEMENTS_KEPT
        )
        self._numbers = 0
        self._turns: dict[int, trio.Lock] = {}
        self._spoiled: dict[int, int] = {}
        # Tabs whose last audit was cancelled while it may have been what kept the page busy.
        self.stuck: set[int] = set()

    def fresh(self, key: Hashable, seconds: float) -> Any:
        """The result for this key, if it is at most so many seconds old; otherwise None."""
        when, result, _ = self._kept.get(key, (0.0, None, 0))
        return result if result is not None and trio.current_time() - when <= seconds else None

    def keep(self, key: Hashable, result: Any, elements: int = 0) -> int:
        """Store a result about so many elements, and return its number. The oldest results go."""
        self._kept[key] = (trio.current_time(), result, elements)
        self._numbers += 1
        return self._numbers

    def kept(self) -> Iterator[Any]:
        """All stored results, however old."""
        return (result for _, result, _ in self._kept.values())

    def turn(self, tab_id: int) -> trio.Lock:
        """Held by the analysis that runs in this tab."""
        return self._turns.setdefault(tab_id, trio.Lock())

    def generation(self, tab_id: int) -> int:
        """The number of the world in which the next audit of this tab runs."""
        return self._spoiled.get(tab_id, 0)

    def spoil(self, tab_id: int, *, running: bool) -> None:
        """An audit was cancelled and may still be running there: the next one gets another world."""
        self._spoiled[tab_id] = self.generation(tab_id) + 1
        if running:
            self.stuck.add(tab_id)
