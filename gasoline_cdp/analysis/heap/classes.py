"""The classes of a heap: how many objects each has, how much they take and keep, and what changed between two."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np

from gasoline_cdp.analysis.heap import interfaces
from gasoline_cdp.analysis.heap.columns import Longs, Words
from gasoline_cdp.analysis.heap.interfaces import Interface
from gasoline_cdp.analysis.heap.kinds import Kinds

if TYPE_CHECKING:
    from gasoline_cdp.analysis.heap.graph import HeapGraph


@attrs.frozen
class ClassTotals:
    """One class of a heap."""

    name: str
    key: str
    """Tells classes of the same name apart by the place of their constructor, and stays the same between snapshots."""
    number: int
    """In this snapshot: what Classes.class_of says of its nodes."""
    count: int
    self_size: int
    retained_size: int
    """What would be freed with all of its objects."""
    distance: int | None
    """Of the nearest. None if that was not asked for: it takes another walk through the whole graph."""


@attrs.frozen
class ClassChange:
    """What one class gained and lost."""

    name: str
    key: str
    added: int
    removed: int
    added_size: int
    removed_size: int

    @property
    def count_delta(self) -> int:
        """Objects more, or fewer."""
        return self.added - self.removed

    @property
    def size_delta(self) -> int:
        """Bytes more, or fewer."""
        return self.added_size - self.removed_size


@attrs.frozen(eq=False)
class Inventory:
    """What of a snapshot a later one is compared with: its objects by id and kind. Much smaller than its graph."""

    node_id: Words
    self_size: Words
    kinds: Kinds


class Classes:
    """The classes of one graph's nodes. Every node has one; those without a size of their own do not count."""

    def __init__(self, graph: "HeapGraph") -> None:
        self._graph = graph
        self._totals: dict[bool, list[ClassTotals]] = {}
        self.definitions: list[Interface] = interfaces.infer(graph.kinds.shapes)
        """The interfaces of plain objects."""
        number_of, self.keys, self.names = _number(graph.kinds, self.definitions)
        self.class_of: Words = number_of[graph.kinds.kind_of]
        """By node: the number of its class."""

    def nodes(self, number: int) -> Longs:
        """The nodes of a class."""
        return np.flatnonzero((self.class_of == number) & (self._graph.self_size != 0))

    def totals(self, *, distances: bool) -> list[ClassTotals]:
        """Every class that has a node that counts; what retains most comes first."""
        if distances not in self._totals:
            self._totals[distances] = self._add_up(distances)
        return self._totals[distances]

    def _add_up(self, distances: bool) -> list[ClassTotals]:
        classes = len(self.keys)
        sums = self._graph.columns.engine.sum_classes(self._graph, self.class_of, classes, distances=distances)
        order = np.lexsort((np.arange(classes), -sums.retained_size))
        return [
            ClassTotals(
                name=self.names[number],
                key=self.keys[number],
                number=number,
                count=int(sums.count[number]),
                self_size=int(sums.self_size[number]),
                retained_size=int(sums.retained_size[number]),
                distance=int(sums.distance[number]) if distances else None,
            )
            for number in order.tolist()
            if sums.count[number]
        ]


def aggregates(graph: "HeapGraph", *, distances: bool = True) -> list[ClassTotals]:
    """Every class of a heap, what retains most first."""
    return graph.classes.totals(distances=distances)


def inventory(graph: "HeapGraph") -> Inventory:
    """What of a snapshot is needed to compare a later one with it."""
    return Inventory(graph.node_id, graph.self_size, graph.kinds)


def compare(before: "HeapGraph | Inventory", after: "HeapGraph") -> list[ClassChange]:
    """What changed, by class, what grew most first. Objects are the same if their ids are.

    Plain objects of both are sorted into the interfaces of the later one, so that like is compared with like.
    """
    base = before if isinstance(before, Inventory) else inventory(before)
    number_of, keys, names = _number(base.kinds, after.classes.definitions)
    later = after.classes
    shared: dict[str, int] = {}
    shown: list[str] = []
    for key, name in (*zip(later.keys, later.names, strict=True), *zip(keys, names, strict=True)):
        if key not in shared:
            shared[key] = len(shared)
            shown.append(name)
    old = _Objects.of(base.node_id, base.self_size, number_of[base.kinds.kind_of], [shared[key] for key in keys])
    new = _Objects.of(after.node_id, after.self_size, later.class_of, [shared[key] for key in later.keys])
    added = new.without(old, len(shared))
    removed = old.without(new, len(shared))
    changes = [
        ClassChange(
            name=shown[number],
            key=key,
            added=int(added[0][number]),
            removed=int(removed[0][number]),
            added_size=int(added[1][number]),
            removed_size=int(removed[1][number]),
        )
        for key, number in shared.items()
        if added[0][number] or removed[0][number]
    ]
    return sorted(changes, key=lambda change: (-change.size_delta, -change.count_delta, change.key))


@attrs.frozen(eq=False)
class _Objects:
    """Objects with a size: class and id in one number, sorted."""

    codes: Longs
    sizes: Longs

    @classmethod
    def of(cls, ids: Words, sizes: Words, class_of: Words, shared: Sequence[int]) -> "_Objects":
        counting = sizes != 0
        classes = np.array(shared, np.int64)[class_of[counting]]
        codes = classes << 32 | ids[counting].astype(np.int64)
        order = np.argsort(codes, kind="stable")
        return cls(codes[order], sizes[counting].astype(np.int64)[order])

    def without(self, other: "_Objects", classes: int) -> tuple[Longs, Longs]:
        """How many objects, and how large, the other does not have, by class."""
        at = np.searchsorted(other.codes, self.codes)
        known = np.zeros(len(self.codes), bool)
        inside = at < len(other.codes)
        known[inside] = other.codes[at[inside]] == self.codes[inside]
        numbers = self.codes[~known] >> 32
        count = np.bincount(numbers, minlength=classes)
        size = np.bincount(numbers, self.sizes[~known], minlength=classes)
        return count, size.astype(np.int64)


def _number(kinds: Kinds, definitions: list[Interface]) -> tuple[Words, list[str], list[str]]:
    """The number of the class of each kind; the keys and the names of the classes."""
    numbers: dict[str, int] = {}
    keys: list[str] = []
    names: list[str] = []
    number_of = np.zeros(len(kinds.kinds), np.uint32)
    for kind, (key, name) in enumerate(kinds.classify(definitions)):
        number_of[kind] = numbers.setdefault(key, len(numbers))
        if len(numbers) > len(keys):
            keys.append(key)
            names.append(name)
    return number_of, keys, names
