"""Finds objects of Blink that got another id between two snapshots, though they are the same.

Such an object has the id of its JavaScript wrapper. V8 throws wrappers away that nobody changed, when it likes, and
makes them again when they are used: `document.body`, `performance`, `customElements`. The new wrapper has a new id.
Whoever took it for a new object would blame the window for what only hangs below it.
"""

from collections import defaultdict
from typing import Any

import numpy as np

from gasoline_cdp.analysis.heap.graph import DETACHED
from gasoline_cdp.analysis.heap.walk import ReadableHeap

Mask = np.ndarray[Any, np.dtype[np.bool_]]
# An object of Blink by its name and whether it is in a document; with that, by who holds it.
_Key = tuple[str, int, int]
# Objects of one name that are compared by who holds them: more are items of a list, which are counted instead.
_ALIKE = 50
# Such objects hold each other: window, document, body.
_LEVELS = 12
_ANYWHERE = -1


def match_rewrapped(before: ReadableHeap, vanished: Mask, now: ReadableHeap, new: Mask) -> dict[int, int]:
    """Of the vanished and the new objects, those that are the same one: ordinals in `now`, and in `before`.

    The same are two that are the only ones of their name; and two of a name that the same object holds, if it holds no
    others that vanished or are new.
    """
    gone, come = _by_name(before, vanished), _by_name(now, new)
    shared = gone.keys() & come.keys()
    of_name, were_of_name = _counts(now), _counts(before)
    alone = {
        key
        for key in shared
        if of_name[now.graph.node_name[come[key][0]]] == were_of_name[before.graph.node_name[gone[key][0]]] == 1
    }
    matched = {come[key][0]: gone[key][0] for key in alone}
    rest = [key for key in shared - alone if max(len(gone[key]), len(come[key])) <= _ALIKE]
    for _ in range(_LEVELS if rest else 0):
        known = {int(before.graph.node_id[old]): int(now.graph.node_id[node]) for node, old in matched.items()}
        held_before = _by_holder(before, rest, gone, known, set(matched.values()))
        held_now = _by_holder(now, rest, come, {}, set(matched))
        pairs = {
            nodes[0]: held_before[key][0]
            for key, nodes in held_now.items()
            if len(nodes) == 1 and len(held_before.get(key, ())) == 1
        }
        if not pairs:
            break
        matched |= pairs
    return matched


def _by_name(heap: ReadableHeap, changed: Mask) -> dict[_Key, list[int]]:
    """The changed objects of Blink that page and reader know, without what is detached: that is kept by its wrapper."""
    graph = heap.graph
    kept = changed & heap.reached & ~heap.transparent & (graph.detachedness != DETACHED)
    nodes = np.flatnonzero(kept & (graph.node_type == heap.types["native"]))
    by_name: dict[_Key, list[int]] = defaultdict(list)
    for node in nodes.tolist():
        by_name[_name(heap, node), int(graph.detachedness[node]), _ANYWHERE].append(node)
    return by_name


def _counts(heap: ReadableHeap) -> np.ndarray[Any, np.dtype[np.int64]]:
    """How many objects of Blink have a name, by the number of the name."""
    graph = heap.graph
    return np.bincount(graph.node_name[graph.node_type == heap.types["native"]], minlength=1)


def _by_holder(
    heap: ReadableHeap, keys: list[_Key], nodes: dict[_Key, list[int]], known: dict[int, int], matched: set[int]
) -> dict[_Key, list[int]]:
    """Objects of these names by who holds them: its id in the later snapshot."""
    by_holder: dict[_Key, list[int]] = defaultdict(list)
    for key in keys:
        for node in nodes[key]:
            if node not in matched:
                holder = int(heap.graph.node_id[heap.shown_parent[node]])
                by_holder[key[0], key[1], known.get(holder, holder)].append(node)
    return by_holder


def _name(heap: ReadableHeap, node: int) -> str:
    return heap.graph.strings[int(heap.graph.node_name[node])]
