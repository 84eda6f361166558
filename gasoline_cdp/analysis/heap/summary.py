"""One snapshot in a few numbers, and one object in detail: what `gasoline-cdp heap` and its page show."""

from typing import TYPE_CHECKING

import attrs
import numpy as np

from gasoline_cdp.analysis.heap.classes import ClassTotals, aggregates
from gasoline_cdp.analysis.heap.graph import DETACHED, NO_DISTANCE

if TYPE_CHECKING:
    from gasoline_cdp.analysis.heap.graph import HeapGraph


@attrs.frozen
class HeapSummary:
    """A heap as a whole. Sizes are in bytes."""

    size: int
    native_size: int
    """Of it outside JavaScript: elements, buffers, and what else the browser keeps for the page."""
    code_size: int
    string_size: int
    nodes: int
    edges: int
    detached_elements: int
    """Elements that are in no document, but still held."""
    classes: list[ClassTotals]
    """What retains most comes first."""
    engine: str


@attrs.frozen
class PathStep:
    """An object, and the name by which the one before it holds it."""

    edge: str
    edge_type: str
    id: int
    name: str
    retained_size: int


@attrs.frozen
class ObjectDetails:
    """One object: what it is, and what keeps it alive."""

    id: int
    name: str
    type: str
    self_size: int
    retained_size: int
    detached: bool
    path: list[PathStep]
    """From the root to the object, by a shortest way; empty if nothing leads there."""
    dominators: list[PathStep]
    """The objects without which it would be garbage, the nearest first; their edges are not named."""


def summarise(graph: "HeapGraph") -> HeapSummary:
    """The numbers of a snapshot."""
    header = graph.header
    # Before the distances: their array is then not yet there while the most memory is needed.
    total = int(graph.retained_size[graph.root]) + header.extra_native_bytes
    by_type = np.bincount(graph.node_type, graph.self_size, minlength=len(header.node_types))
    sizes = dict(zip(header.node_types, by_type.tolist(), strict=False))
    strings = ("string", "concatenated string", "sliced string")
    return HeapSummary(
        size=total,
        native_size=int(sizes.get("native", 0)) + header.extra_native_bytes,
        code_size=int(sizes.get("code", 0)),
        string_size=sum(int(sizes.get(name, 0)) for name in strings),
        nodes=len(graph),
        edges=len(graph.edge_to),
        detached_elements=_count_detached(graph),
        classes=aggregates(graph),
        engine=graph.engine,
    )


def _count_detached(graph: "HeapGraph") -> int:
    native = graph.header.node_type("native")
    detached = np.flatnonzero((graph.detachedness == DETACHED) & (graph.node_type == native))
    mark = b"<" if graph.adds_prefix else b"Detached <"
    names, counts = np.unique(graph.node_name[detached], return_counts=True)
    counted = zip(names.tolist(), counts.tolist(), strict=True)
    return sum(count for name, count in counted if graph.strings.raw(name).startswith(mark))


def explain(graph: "HeapGraph", node: int) -> ObjectDetails:
    """One object."""
    return ObjectDetails(
        id=int(graph.node_id[node]),
        name=graph.name(node),
        type=graph.header.node_types[graph.node_type[node]],
        self_size=int(graph.self_size[node]),
        retained_size=int(graph.retained_size[node]),
        detached=bool(graph.detachedness[node] == DETACHED),
        path=shortest_path(graph, node),
        dominators=_dominators(graph, node),
    )


def shortest_path(graph: "HeapGraph", node: int) -> list[PathStep]:
    """From the root to a node; empty if only weak references lead there."""
    path: list[PathStep] = []
    weak = graph.header.edge_type("weak")
    while node != graph.root:
        # Each step is nearer to the roots, or to the root itself where those of the page end.
        best: tuple[int, int, int] | None = None
        for slot in range(int(graph.first_retainer[node]), int(graph.first_retainer[node + 1])):
            edge, source = int(graph.retainer_edge[slot]), int(graph.retainer_from[slot])
            away = -1 if source == graph.root else int(graph.distance[source])
            if graph.edge_type[edge] != weak and away != NO_DISTANCE and (best is None or (away, edge) < best[:2]):
                best = away, edge, source
        if best is None or best[0] >= graph.distance[node]:
            return []
        path.append(_step(graph, node, best[1]))
        node = best[2]
    return path[::-1]


def _step(graph: "HeapGraph", node: int, edge: int | None = None) -> PathStep:
    return PathStep(
        edge="" if edge is None else graph.edge_label(edge),
        edge_type="" if edge is None else graph.header.edge_types[graph.edge_type[edge]],
        id=int(graph.node_id[node]),
        name=graph.name(node),
        retained_size=int(graph.retained_size[node]),
    )


def _dominators(graph: "HeapGraph", node: int) -> list[PathStep]:
    chain = []
    while node != graph.root and (node := int(graph.dominator[node])) != graph.root:
        chain.append(_step(graph, node))
    return chain
