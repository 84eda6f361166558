"""Single objects of a heap: found by id or class, with their fields, and the paths that keep them alive."""

from collections import Counter
from typing import Any

import numpy as np

from gasoline_cdp.analysis.heap.paths import Paths
from gasoline_cdp.analysis.heap.walk import ReadableHeap

Answer = dict[str, Any]
_TEXT_CHARS = 120
# Objects of a class whose paths are looked at. Their holders repeat long before.
_PATHS = 2000
_DOMINATORS = 8


def find_objects(heap: ReadableHeap, of: str) -> list[int]:
    """The object of an id (`@123` or `123`), or the objects of a class: by its name here, or in DevTools."""
    graph = heap.graph
    text = of.strip()
    if text.lstrip("@").isdecimal():
        number = int(text.lstrip("@"))
        node = graph.ordinal(number) if number < 2**32 else None
        return [] if node is None else [node]
    matching: list[int] = []
    for number, name in enumerate(graph.classes.names):
        if text in (name, name.removeprefix("Detached ")):
            matching += graph.classes.nodes(number).tolist()
    if not matching:
        sized = np.flatnonzero((graph.self_size != 0) & ~heap.transparent)
        matching = [node for node in sized.tolist() if heap.class_of(node) == text]
    return matching


def retaining_paths(heap: ReadableHeap, nodes: list[int], most: int) -> Answer:
    """The different paths to the objects, the most frequent first."""
    _ = heap.parent_edge
    paths = Paths(heap)
    graph = heap.graph
    counts: Counter[str] = Counter()
    examples: dict[str, int] = {}
    retained: Counter[str] = Counter()
    for node in nodes[:_PATHS]:
        text = paths.text(paths.to(node)) if heap.reached[node] else "V8 itself"
        counts[text] += 1
        retained[text] += int(graph.retained_size[node])
        examples.setdefault(text, int(graph.node_id[node]))
    shown = counts.most_common(most)
    return {
        "class": heap.class_of(nodes[0]),
        "objects": len(nodes),
        "retained_bytes": int(sum(retained.values())),
        "paths": [
            {"path": text, "count": count, "retained_bytes": retained[text], "example": examples[text]}
            for text, count in shown
        ],
        "left_out": len(counts) - len(shown),
        "not_looked_at": max(len(nodes) - _PATHS, 0),
    }


def describe_object(heap: ReadableHeap, node: int, rows: int) -> Answer:
    """One object: what it is, its fields, who holds it, and what dominates it."""
    graph = heap.graph
    _ = heap.parent_edge
    paths = Paths(heap)
    fields: list[Answer] = []
    own = graph.edges(node)
    for edge in own:
        kind = graph.header.edge_types[graph.edge_type[edge]]
        label = graph.edge_label(edge)
        if (
            kind in ("weak", "hidden")
            or label in ("map", "__proto__")
            or (kind == "internal" and heap.is_plumbing(edge))
        ):
            continue
        target = int(graph.edge_to[edge])
        fields.append({
            "name": f"[{label}]" if kind == "element" else label[:_TEXT_CHARS],
            "id": int(graph.node_id[target]),
            "class": _shown(heap, target),
            "retained_bytes": int(graph.retained_size[target]),
        })  # fmt: skip
    fields.sort(key=lambda one: -int(one["retained_bytes"]))
    dominators: list[str] = []
    above = int(graph.dominator[node])
    while above != graph.root and len(dominators) < _DOMINATORS:
        if not heap.transparent[above]:
            dominators.append(f"{heap.class_of(above)} @{int(graph.node_id[above])}")
        above = int(graph.dominator[above])
    held = [int(one) for one in graph.retainer_from[graph.first_retainer[node] : graph.first_retainer[node + 1]]]
    holders = Counter(heap.class_of(one) for one in held if not heap.transparent[one])
    return {
        "id": int(graph.node_id[node]),
        "class": _shown(heap, node),
        "bytes": int(graph.self_size[node]),
        "retained_bytes": int(graph.retained_size[node]),
        "detached": bool(graph.detachedness[node] == 2),
        "location": heap.described.location(node),
        "held_by": paths.text(paths.to(node)) if heap.reached[node] else "V8 itself",
        "holders": [f"{count} {name}" if count > 1 else name for name, count in holders.most_common(5)],
        "fields": fields[:rows],
        "left_out": max(len(fields) - rows, 0),
        "dominators": dominators,
        "engine": graph.engine,
    }


def _shown(heap: ReadableHeap, node: int) -> str:
    """The class, or the text of a string."""
    graph = heap.graph
    kind = graph.header.node_types[graph.node_type[node]]
    if kind.endswith("string"):
        return f'"{graph.name(node)[:_TEXT_CHARS]}"'
    name = heap.class_of(node)
    return graph.name(node)[:_TEXT_CHARS] if name == "Object" else name
