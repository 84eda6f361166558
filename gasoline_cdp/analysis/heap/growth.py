"""What an old object holds now that it did not hold before: the raw material of leak findings.

Every new object is reached from exactly one old one (its *holder*). The first new object on the way is an *item* of
that holder. What disappeared between the snapshots is found in the same way in the first one, and subtracted: a list
that was rendered again holds new items, but not more of them.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from attrs import define, field, frozen

from gasoline_cdp.analysis.heap.activities import PENDING
from gasoline_cdp.analysis.heap.documents import shown_elements
from gasoline_cdp.analysis.heap.walk import ReadableHeap

# Groups are keyed by this instead of a holder where elements were added to the document.
DOCUMENT = -1
NO_NAMES: Mapping[int, int] = MappingProxyType({})


@frozen
class GroupKey:
    """Where items hang: the id of the holder, what was registered there (a marker), and what tells its items apart."""

    holder: int
    marker: int
    # The function of a callback, or the class of what the browser keeps open.
    of: str = ""


@define
class Counted:
    """How many nodes of a class, and their bytes."""

    count: int = 0
    bytes: int = 0


@define
class Group:
    """The items of one holder. `items` are ordinals; `classes` counts everything below them by class."""

    key: GroupKey
    items: list[int] = field(factory=list)
    item_classes: dict[str, int] = field(factory=lambda: defaultdict(int))
    classes: dict[str, Counted] = field(factory=lambda: defaultdict(Counted))
    bytes: int = 0
    # The best stage at which an item was reached; 1 is a reference that code of the page made.
    stage: int = 9
    # Ordinals of everything below the items, the items included.
    members: "np.ndarray[Any, Any]" = field(factory=lambda: np.zeros(0, dtype=np.int32))


def groups_of(
    heap: ReadableHeap, changed: "np.ndarray[Any, np.dtype[np.bool_]]", renamed: Mapping[int, int] = NO_NAMES
) -> dict[GroupKey, Group]:
    """The changed nodes (new ones, or in the first snapshot those that vanished), by holder.

    `renamed` has the ids of holders that have another one in the later snapshot.
    """
    graph = heap.graph
    shown_parent = heap.shown_parent
    changed = changed & heap.reached
    shown = changed & ~heap.transparent & (heap.parent_edge >= 0)
    own = np.arange(len(changed), dtype=np.int32)
    # A shown node whose shown parent did not change is an item; others belong to the item above them.
    top = shown & ~(changed & ~heap.transparent)[shown_parent]
    above = np.where(shown & ~top, shown_parent, own)
    # Transparent nodes count for the node that they belong to.
    loose = changed & heap.transparent & (heap.parent_edge >= 0)
    above[loose] = shown_parent[loose]
    while True:
        further = above[above]
        if np.array_equal(further, above):
            break
        above = further
    members = np.flatnonzero((shown | loose) & top[above])
    items = above[members]
    attached = shown_elements(heap)
    browsers = heap.names(re.compile(f"{PENDING}$"), "native")
    result: dict[GroupKey, Group] = {}
    group_of_item: dict[int, Group] = {}
    for item in np.flatnonzero(top).tolist():
        parent = int(shown_parent[item])
        marker = int(heap.passed[item])
        if attached[item]:
            key = GroupKey(DOCUMENT, 0, heap.class_of(item))
        else:
            apart = heap.function_of(item) if marker else heap.class_of(item) if browsers[parent] else ""
            holder = int(graph.node_id[parent])
            key = GroupKey(renamed.get(holder, holder), marker, apart)
        group = result.get(key)
        if group is None:
            group = result[key] = Group(key)
        group.items.append(item)
        group.item_classes[heap.class_of(item)] += 1
        group.stage = min(group.stage, int(heap.stage[item]))
        group_of_item[item] = group
    _count(heap, members, items, group_of_item)
    return result


def _count(
    heap: ReadableHeap, members: "np.ndarray[Any, Any]", items: "np.ndarray[Any, Any]", group_of_item: dict[int, Group]
) -> None:
    """Add up classes and bytes of everything below the items."""
    graph = heap.graph
    groups = list({id(group): group for group in group_of_item.values()}.values())
    location = {id(group): number for number, group in enumerate(groups)}
    number_of_item = np.full(len(graph.node_id), -1, dtype=np.int64)
    for item, group in group_of_item.items():
        number_of_item[item] = location[id(group)]
    numbers_of_members = number_of_item[items]
    sizes = graph.self_size[members].astype(np.int64)
    order = np.argsort(numbers_of_members, kind="stable")
    bounds = np.searchsorted(numbers_of_members[order], np.arange(len(groups) + 1))
    for number, group in enumerate(groups):
        group.members = members[order[bounds[number] : bounds[number + 1]]]
    for number, total in enumerate(np.bincount(numbers_of_members, weights=sizes, minlength=len(groups)).tolist()):
        groups[number].bytes = int(total)
    shown = ~heap.transparent[members]
    members, numbers_of_members, sizes = members[shown], numbers_of_members[shown], sizes[shown]
    codes = numbers_of_members * (int(graph.node_name.max(initial=0)) + 1) * 32
    codes += graph.node_name[members].astype(np.int64) * 32 + graph.node_type[members]
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    counts = np.bincount(inverse)
    totals = np.bincount(inverse, weights=sizes)
    for index, count, total in zip(first.tolist(), counts.tolist(), totals.tolist(), strict=True):
        counted = groups[int(numbers_of_members[index])].classes[heap.class_of(int(members[index]))]
        counted.count += int(count)
        counted.bytes += int(total)
