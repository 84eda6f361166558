"""A dictionary that drops its oldest items."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, MutableMapping
from typing import TYPE_CHECKING, Any, TypeVar, overload

if TYPE_CHECKING:
    from _collections_abc import dict_items, dict_values

K = TypeVar("K")
V = TypeVar("V")
D = TypeVar("D")

_RAISE: Any = object()


class BoundedDict(MutableMapping[K, V]):
    """Holds at most `limit` items and drops the one set longest ago. `on_evict` is called for each dropped item.

    With `weight` and `max_weight` the total weight is bounded, too; the newest item always stays. Reading does not make
    an item newer: call `move_to_end` for that.
    """

    # Wraps an OrderedDict: a subclass would be three times slower, and every message passes through some of these.
    __slots__ = ("_items", "_limit", "_max_weight", "_on_evict", "_weight")

    def __init__(
        self,
        limit: int,
        on_evict: Callable[[K, V], None] | None = None,
        *,
        weight: Callable[[V], int] | None = None,
        max_weight: int = 0,
    ) -> None:
        self._items: OrderedDict[K, V] = OrderedDict()
        self._limit = limit
        self._on_evict = on_evict
        self._weight = weight
        self._max_weight = max_weight

    def __setitem__(self, key: K, value: V) -> None:
        items = self._items
        items[key] = value
        items.move_to_end(key)
        if len(items) > self._limit:
            # As `evict_oldest`, without its call: in a flood each message pushes out another.
            oldest, evicted = items.popitem(last=False)
            if self._on_evict is not None:
                self._on_evict(oldest, evicted)
        if self._weight is not None:
            while self._is_too_heavy(self._weight):
                self.evict_oldest()

    def evict_oldest(self) -> None:
        """Drop the oldest item, and call `on_evict`."""
        key, value = self._items.popitem(last=False)
        if self._on_evict is not None:
            self._on_evict(key, value)

    def _is_too_heavy(self, weight: Callable[[V], int]) -> bool:
        return len(self._items) > 1 and sum(map(weight, self._items.values())) > self._max_weight

    def move_to_end(self, key: K) -> None:
        """Make an item the newest."""
        self._items.move_to_end(key)

    @overload
    def get(self, key: K) -> V | None: ...

    @overload
    def get(self, key: K, default: V | D) -> V | D: ...

    def get(self, key: K, default: V | D | None = None) -> V | D | None:
        """Like `dict.get`."""
        return self._items.get(key, default)

    @overload
    def pop(self, key: K) -> V: ...

    @overload
    def pop(self, key: K, default: V | D) -> V | D: ...

    def pop(self, key: K, default: Any = _RAISE) -> Any:
        """Remove an item. That is no eviction."""
        return self._items.pop(key) if default is _RAISE else self._items.pop(key, default)

    def values(self) -> "dict_values[K, V]":
        """Like `dict.values`, oldest first."""
        return self._items.values()

    def items(self) -> "dict_items[K, V]":
        """Like `dict.items`, oldest first."""
        return self._items.items()

    def clear(self) -> None:
        """Remove all items."""
        self._items.clear()

    def __getitem__(self, key: K) -> V:
        return self._items[key]

    def __delitem__(self, key: K) -> None:
        del self._items[key]

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __reversed__(self) -> Iterator[K]:
        return reversed(self._items)
