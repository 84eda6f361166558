"""The questions about heap snapshots, each answered from snapshots that are kept. Answers are plain values."""

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np

from gasoline_cdp import memory_limits
from gasoline_cdp.analysis.heap.classes import aggregates, compare
from gasoline_cdp.analysis.heap.closures import unused_variables
from gasoline_cdp.analysis.heap.graph import HeapGraph
from gasoline_cdp.analysis.heap.leaks import find_leaks
from gasoline_cdp.analysis.heap.objects import describe_object, find_objects, retaining_paths
from gasoline_cdp.analysis.heap.strings import duplicate_strings
from gasoline_cdp.heap_worker.snapshots import HeldHeap, HeldHeaps

Answer = dict[str, Any]
# More of a text is not needed to recognise it. The daemon masks secrets in it.
_TEXT_CHARS = 300
# Of V8 and Blink themselves: a reader can do nothing about them.
_SYSTEM = ("system / ", "blink::", "(", "InternalNode", "V8", "cppgc")
_INTERNAL = ("(prototype)", "(internal cache)", "[JSGlobal")
# With fewer objects in common, the ids are of different pages.
_SAME = 0.2
# So many of the newest objects of the baseline are compared; a few change their name, such as elements.
_COMPARED = 2000
_DIFFERING = 0.1
_LASTING = ("object", "closure")


class UnknownObjectError(LookupError):
    """No object has this id, or no object is of this class."""


def _leaks(kept: HeldHeaps, command: Answer) -> Answer:
    """What survived since the baseline and should not have."""
    now = kept.get(command["name"])
    before = kept.get(command["baseline"]) if command.get("baseline") else None
    middle = kept.get(command["middle"]).graph if command.get("middle") else None
    report = find_leaks(before.walked if before else None, now.graph, middle, command.get("rounds"))
    most = memory_limits.LEAKS_SHOWN
    return {
        "findings": [attrs.asdict(leak) for leak in report.leaks[:most]],
        "left_out": max(len(report.leaks) - most, 0),
        "new_objects": report.new_objects,
        "new_bytes": report.new_bytes,
        "detached_elements": report.detached_elements,
        "detached_trees": report.detached_trees,
        "engine": now.graph.engine,
        "same_page": before is None or same_page(before.graph, now.graph),
        "locations": report.locations,
    }


def same_page(before: HeapGraph, now: HeapGraph) -> bool:
    """Whether ids of the snapshots belong together. They do not if another program reset them in between."""
    known, was, there = np.intersect1d(before.node_id, now.node_id, return_indices=True)
    if len(known) < _SAME * len(before):
        return False
    # After a reset, old ids have other objects: the newest ones tell it first.
    locations = np.flatnonzero(np.isin(before.node_type[was], [before.header.node_type(name) for name in _LASTING]))
    sample = locations[-_COMPARED:]
    differing = sum(
        before.node_type[one] != now.node_type[other] or before.names.raw(one) != now.names.raw(other)
        for one, other in zip(was[sample].tolist(), there[sample].tolist(), strict=True)
    )
    return bool(differing <= _DIFFERING * max(len(sample), 1))


def _compare(kept: HeldHeaps, command: Answer) -> Answer:
    """Classes that grew and shrank, and the leaks."""
    now, before = kept.get(command["name"]), kept.get(command["baseline"])
    changes = [change for change in compare(before.graph, now.graph) if not _is_system(change.name)]
    grown = [change for change in changes if change.size_delta > 0 or change.count_delta > 0]
    rows = command.get("rows", memory_limits.HEAP_ROWS)
    result = _leaks(kept, command)
    return {
        **result,
        "classes": [
            {
                "name": change.name[:_TEXT_CHARS],
                "added": change.added,
                "removed": change.removed,
                "count_delta": change.count_delta,
                "bytes_delta": change.size_delta,
            }
            for change in grown[:rows]
        ],
        "classes_left_out": max(len(grown) - rows, 0),
        "before": _totals(before),
        "now": _totals(now),
    }


def _totals(kept: HeldHeap) -> Answer:
    heap = kept.walked
    _ = heap.parent_edge
    return {
        "bytes": int(kept.graph.self_size.sum()),
        "detached_elements": int((heap.detached_elements & heap.reached).sum()),
        "elements": int(heap.elements.sum()),
    }


def _classes(kept: HeldHeaps, command: Answer) -> Answer:
    """Classes by what they retain."""
    now = kept.get(command["name"])
    totals = [one for one in aggregates(now.graph, distances=False) if not _is_system(one.name)]
    rows = command.get("rows", memory_limits.HEAP_ROWS)
    return {
        "classes": [
            {
                "name": one.name[:_TEXT_CHARS],
                "count": one.count,
                "bytes": one.self_size,
                "retained_bytes": one.retained_size,
                "example": int(now.graph.node_id[now.graph.classes.nodes(one.number)[0]]),
            }
            for one in totals[:rows]
        ],
        "left_out": max(len(totals) - rows, 0),
        "objects": int((now.graph.self_size != 0).sum()),
        "bytes": int(now.graph.self_size.sum()),
        "engine": now.graph.engine,
    }


def _strings(kept: HeldHeaps, command: Answer) -> Answer:
    """Equal strings, and what they waste."""
    now = kept.get(command["name"])
    result = duplicate_strings(now.graph)
    rows = command.get("rows", memory_limits.HEAP_ROWS)
    heap = now.walked
    _ = heap.parent_edge
    return {
        "strings": [
            {
                "text": one.text[:_TEXT_CHARS],
                "count": one.count,
                "bytes": one.self_size,
                "wasted_bytes": one.wasted,
                "held_by": retaining_paths(heap, list(one.nodes), most=1)["paths"][0]["path"],
                "example": int(now.graph.node_id[one.nodes[0]]),
            }
            for one in result[:rows]
        ],
        "left_out": max(len(result) - rows, 0),
        "wasted_bytes": sum(one.wasted for one in result),
        "engine": now.graph.engine,
    }


def _closures(kept: HeldHeaps, command: Answer) -> Answer:
    """Captured variables that no living function reads."""
    now = kept.get(command["name"])
    # Not those of other worlds, such as our own.
    foreign = now.walked.foreign
    result = [
        one for one in unused_variables(now.graph) if one.retained_size > 0 and not foreign[one.variables[0].context]
    ]
    rows = command.get("rows", memory_limits.HEAP_ROWS)
    described = now.walked.described
    shown: list[Answer] = []
    for scope in result[:rows]:
        names = list(dict.fromkeys(variable.name for variable in scope.variables))
        first = scope.variables[0]
        shown.append({
            "variables": names[:5],
            "function": scope.function[:100],
            "location": described.scope_location(first.context, first.name) or scope.script[:_TEXT_CHARS],
            "contexts": len({variable.context for variable in scope.variables}),
            "retained_bytes": scope.retained_size,
            "example": int(now.graph.node_id[first.value]),
        })  # fmt: skip
    return {
        "closures": shown,
        "left_out": max(len(result) - rows, 0),
        "retained_bytes": sum(one.retained_size for one in result),
        "engine": now.graph.engine,
    }


def _object(kept: HeldHeaps, command: Answer) -> Answer:
    """One object: fields, what holds it, dominators."""
    now = kept.get(command["name"])
    return describe_object(now.walked, _find(now, command["of"])[0], rows=command.get("rows", memory_limits.HEAP_ROWS))


def _retainers(kept: HeldHeaps, command: Answer) -> Answer:
    """Who holds an object, or the objects of a class."""
    now = kept.get(command["name"])
    nodes = _find(now, command["of"])
    return {
        **retaining_paths(now.walked, nodes, most=command.get("rows", memory_limits.HEAP_ROWS)),
        "engine": now.graph.engine,
    }


def _find(kept: HeldHeap, of: str) -> list[int]:
    nodes = find_objects(kept.walked, of)
    if not nodes:
        raise UnknownObjectError(of[:100])
    return nodes


def _is_system(name: str) -> bool:
    return name.removeprefix("Detached ").startswith(_SYSTEM) or any(part in name for part in _INTERNAL)


def answer_question(kept: HeldHeaps, command: Answer) -> Answer:
    """Answer a question. `locations` has the positions of the locations that the answer names."""
    answer = QUESTIONS[command["question"]](kept, command)
    locations = {**kept.get(command["name"]).walked.described.locations, **answer.pop("locations", {})}
    text = str(answer)
    return {**answer, "locations": {location: at for location, at in locations.items() if location in text}}


QUESTIONS: dict[str, Callable[[HeldHeaps, Answer], Answer]] = {
    "leaks": _leaks,
    "compare": _compare,
    "classes": _classes,
    "strings": _strings,
    "closures": _closures,
    "object": _object,
    "retainers": _retainers,
}
