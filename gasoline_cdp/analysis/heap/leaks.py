"""Finds leaks: what survived since the baseline and should not have, by who holds it."""

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import filterfalse
from typing import Any

import numpy as np

from gasoline_cdp.analysis.heap.advice import OPEN, fix_of, kind_of
from gasoline_cdp.analysis.heap.graph import HeapGraph
from gasoline_cdp.analysis.heap.growth import DOCUMENT, Group, GroupKey, groups_of
from gasoline_cdp.analysis.heap.paths import Paths
from gasoline_cdp.analysis.heap.reported import EXAMPLES, Leak, LeakReport, is_noise, merge_alike
from gasoline_cdp.analysis.heap.walk import MARKERS, ReadableHeap
from gasoline_cdp.analysis.heap.wrappers import match_rewrapped

# Without rounds, fewer new objects than this in one location are no sign of growth.
_FEW = 10
_FEW_CALLBACKS = 3
# Values that are not worth a finding by themselves.
_VALUES = frozenset({"number", "symbol", "bigint", "regexp", "closure scope"})
# Objects of Blink that live until the page lets them go.
_LASTING = re.compile(
    r"\w+Observer$|(Shared)?Worker$|Window|HTMLDocument|Message(Channel|Port)$|BroadcastChannel$|WebSocket$|EventSource$|"
    r"AbortSignal$|(CSS)?Animation$|CSSTransition$|Audio\w+|Media\w+|RTC\w+|IDB\w+|XMLHttpRequest$|FontFace$|CSSStyleSheet$|"
    r"Highlight$|Lock$|Performance(Mark|Measure)$|CustomElementDefinition$"
)
_PROTOTYPE = re.compile(r".*\(prototype\)( / .*)?$")
# So many items are looked at for what they have in common.
_LABELS = 50


def find_leaks(
    before: ReadableHeap | None, graph: HeapGraph, middle: HeapGraph | None = None, rounds: int | None = None
) -> LeakReport:
    """Compare with the baseline. With `middle`, only what existed in that snapshot, too."""
    known = before.graph.node_id if before is not None else None
    heap = ReadableHeap(graph, known)
    _ = heap.parent_edge
    if before is None:
        # Without a baseline, only detached trees are certain to be useless.
        new = np.ones(len(graph.node_id), dtype=np.bool_) & (graph.detachedness == 2)
        gone: dict[GroupKey, Group] = {}
    else:
        new, vanished = heap.not_in(before.graph), before.not_in(graph)
        _ = before.parent_edge
        same = match_rewrapped(before, vanished, heap, new)
        new[list(same)] = vanished[list(same.values())] = False
        ids = {int(before.graph.node_id[old]): int(graph.node_id[node]) for node, old in same.items()}
        gone = groups_of(before, vanished, ids)
    if middle is not None:
        new &= ~heap.not_in(middle)
    added = groups_of(heap, new)
    finder = _Finder(heap, rounds, baseline=before is not None)
    report = LeakReport(
        new_objects=int((new & heap.reached & ~heap.transparent).sum()),
        new_bytes=int(graph.self_size[new & heap.reached].sum()),
        detached_elements=int((heap.detached_elements & new & heap.reached).sum()),
    )
    report.detached_trees = int((finder.tree_roots & new).sum())
    leaks = [leak for key, group in added.items() for leak in finder.judge(group, gone.get(key))]
    report.leaks = sorted(
        filterfalse(is_noise, merge_alike(leaks)), key=lambda leak: (-(leak.detached_elements > 0), -leak.bytes)
    )
    report.locations = heap.described.locations
    return report


def _telling(name: str) -> int:
    """How much the name of a class says: a class of the page's own most, an array least."""
    if name in ("Array", "Map", "Set", "Promise", "string"):
        return 0
    if name == "Object":
        return 1
    return 2 if name.startswith("function ") else 3


class _Finder:
    """Judges groups of one heap."""

    def __init__(self, heap: ReadableHeap, rounds: int | None, *, baseline: bool) -> None:
        self._heap = heap
        self._graph = heap.graph
        self._rounds = rounds
        self._baseline = baseline
        self._paths = Paths(heap)
        detached = heap.detached_elements
        # A tree is entered once, and walked from element to element.
        self.tree_roots: np.ndarray[Any, np.dtype[np.bool_]] = (
            detached & heap.reached & (heap.graph.detachedness[heap.shown_parent] != 2)
        )

    def judge(self, group: Group, gone: Group | None) -> Iterator[Leak]:
        """A leak, if the holder has more than before, often enough."""
        holder = self._graph.ordinal(group.key.holder) if group.key.holder != DOCUMENT else None
        if (holder is None and group.key.holder != DOCUMENT) or (
            group.stage > 1 and not self._keeps_the_page_s(group, holder)
        ):
            return
        own = self._browser_s_own(group, holder)
        if own.issuperset(group.item_classes):
            return
        net = {
            name: counted.count - (gone.classes[name].count if gone and name in gone.classes else 0)
            for name, counted in group.classes.items()
            if name not in own
        }
        items = {
            name: min(count - (gone.item_classes.get(name, 0) if gone else 0), net.get(name, count))
            for name, count in group.item_classes.items()
            if name not in own
        }
        if gone is not None and gone.bytes >= group.bytes:
            # What hangs below was made anew, and is no more than before.
            net = {}
        what, count = self._grown(group, items, net, holder)
        if not what:
            return
        telling = self._items_with(group, what)
        sample = telling[0]
        marker = MARKERS[group.key.marker - 1][0] if group.key.marker else ""
        elements, trees = self._detached(group)
        held_by = self._held_by(telling, holder, marker)
        if held_by == "window" and self._heap.stage[sample] > 1:
            # In a list of Blink that has no name for a reader.
            held_by = OPEN
        keeps, target = self._keeps(group)
        kind = kind_of(
            marker,
            what,
            held_by,
            holder_class=self._heap.class_of(holder) if holder is not None else "",
            attached=holder is None,
            detached=elements > 0,
        )
        yield Leak(
            kind=kind,
            what=group.key.of if marker and what.startswith("function ") else what,
            count=count,
            per_round=round(count / self._rounds, 1) if self._rounds else None,
            bytes=max(group.bytes - (gone.bytes if gone else 0), 0),
            detached_elements=elements,
            detached_trees=trees,
            held_by=held_by,
            keeps=keeps,
            location=self._where(sample, target, group),
            fix=fix_of(kind, what),
            ids=[int(self._graph.node_id[item]) for item in [sample, *group.items][:EXAMPLES]],
            holder_id=group.key.holder,
        )

    def _keeps_the_page_s(self, group: Group, holder: int | None) -> bool:
        """Whether Blink holds something by itself that keeps what the page made, as often as the action ran.

        A class that Blink gives to pages, with functions, objects or removed elements behind it, is for the page to
        let go, even if nothing else is known of the class.
        """
        native, rounds = self._heap.types["native"], self._rounds or 0
        if rounds <= 1 or holder is None or self._graph.node_type[holder] != native:
            return False
        made = self._made_by_page[group.members]
        items = [item for item in group.items if self._graph.node_type[item] == native]
        return len(items) == len(group.items) and int(made.sum()) >= self._needed(group)

    @cached_property
    def _made_by_page(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Removed elements, objects, and functions whose code is known: not those of a class that was first used."""
        heap, graph = self._heap, self._graph
        written = np.isin(np.arange(len(graph), dtype=np.uint32), graph.columns.locations.node)
        made: np.ndarray[Any, np.dtype[np.bool_]] = heap.detached_elements.copy()
        made |= written & (graph.node_type == heap.types["closure"])
        made |= (graph.node_type == heap.types["object"]) & ~heap.names(_PROTOTYPE, "object")
        return made

    def _browser_s_own(self, group: Group, holder: int | None) -> set[str]:
        """The classes of what Blink holds for itself, such as entries of the performance timeline."""
        heap, graph, members = self._heap, self._graph, group.members
        native = heap.types["native"]
        if holder is None or group.key.marker or graph.node_type[holder] != native:
            return set()
        if self._keeps_the_page_s(group, holder):
            return set()
        kinds = np.isin(graph.node_type[members], [heap.types[name] for name in ("native", "closure", "object")])
        shown = members[kinds & ~heap.transparent[members]]
        page_s = self._made_by_page[shown] | heap.elements[shown]
        own, theirs = ({heap.class_of(node) for node in self._one_of_each(shown[mask])} for mask in (~page_s, page_s))
        return {name for name in own - theirs if not _LASTING.match(name)}

    def _one_of_each(self, nodes: np.ndarray[Any, Any]) -> list[int]:
        _, first = np.unique(self._graph.node_name[nodes], return_index=True)
        examples: list[int] = nodes[first].tolist()
        return examples

    def _grown(self, group: Group, items: dict[str, int], net: dict[str, int], holder: int | None) -> tuple[str, int]:
        """The class that grew, and by how many; empty if nothing did."""
        need = self._needed(group)
        below: tuple[dict[str, int], ...] = {name: net.get(name, 0) for name in items}, net
        if group.key.holder == DOCUMENT:
            # What hangs below one new element is what the page shows now, unless as much of it came with each round.
            below = ({name: count for name, count in net.items() if name.startswith("<") and self._is_even(count)},)
        # Items first: they are what the holder holds. Then what hangs below them, for lists and chains, where the
        # class of the items themselves says most.
        for counts in (items, *below):
            grown = {name: count for name, count in counts.items() if count >= need and name not in _VALUES}
            objects = {name: count for name, count in grown.items() if name != "string"}
            if objects:
                best = max(
                    objects,
                    key=lambda name: (_telling(name), group.classes[name].bytes if name in group.classes else 0),
                )
                return best, objects[best]
            if counts is items and "string" in grown and self._is_collection(holder):
                return "string", grown["string"]
        return "", 0

    def _needed(self, group: Group) -> int:
        """How many make a leak."""
        if self._rounds is not None and self._rounds > 1:
            # The last round may still be under way.
            return self._rounds - 1 if self._rounds > 3 else self._rounds
        if self._detached(group)[0]:
            return 1
        return _FEW_CALLBACKS if group.key.marker else _FEW

    def _is_even(self, count: int) -> bool:
        return self._rounds is not None and self._rounds > 1 and count % self._rounds == 0

    def _is_collection(self, holder: int | None) -> bool:
        return holder is not None and self._heap.class_of(holder) in ("Array", "Map", "Set", "Object")

    def _detached(self, group: Group) -> tuple[int, int]:
        if group.key.holder == DOCUMENT or not any(name.startswith("<") for name in group.classes):
            return 0, 0
        members = group.members
        return int(self._heap.detached_elements[members].sum()), int(self.tree_roots[members].sum())

    def _items_with(self, group: Group, what: str) -> list[int]:
        """The items of a class, or those that it hangs below. Others came to the same holder by chance."""
        items = [item for item in group.items if self._heap.class_of(item) == what]
        if items:
            return items
        own = set(group.items)
        items_above: dict[int, None] = {}
        for member in group.members.tolist():
            if len(items_above) == _LABELS:
                break
            if not self._heap.transparent[member] and self._heap.class_of(member) == what:
                node = member
                while node not in own:
                    node = int(self._heap.shown_parent[node])
                items_above[node] = None
        return list(items_above) or group.items

    def _held_by(self, items: list[int], holder: int | None, marker: str) -> str:
        if holder is None:
            return "document"
        steps = self._paths.to(holder)
        # A variable or property that all items have in common belongs to the path.
        labels = {self._paths.label(item) for item in items[:_LABELS]}
        if not marker and len(labels) == 1 and (label := labels.pop()):
            if label.startswith(".") and steps:
                steps[-1] += label
            else:
                steps.append(label)
        text = self._paths.text(steps) or self._heap.class_of(holder)
        return f"{marker} {'on' if marker == 'listener' else 'of'} {text}" if marker else text

    def _keeps(self, group: Group) -> tuple[str, int]:
        """The path from an item to the detached tree behind it."""
        members = group.members
        roots = members[self.tree_roots[members]]
        if not len(roots):
            return "", -1
        target, items = int(roots[0]), set(group.items)
        node = target
        while node not in items:
            node = int(self._heap.shown_parent[node])
        return (self._paths.text(self._paths.to(target, node)) if node != target else ""), target

    def _where(self, sample: int, target: int, group: Group) -> str:
        """Where the function or class of an item is written, or the function nearest to it."""
        names = self._heap.described
        for node in (names.bound(sample), target):
            if node >= 0 and (location := names.location(node)):
                return location
        closures = group.members[self._graph.node_type[group.members] == self._heap.types["closure"]]
        return next((location for node in closures[:_LABELS].tolist() if (location := names.location(node))), "")
