"""Small heap snapshots, written as V8 writes them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from gasoline_cdp.analysis.heap.engines import Engine, best_engine
from gasoline_cdp.analysis.heap.fallback_engine import FallbackEngine
from gasoline_cdp.analysis.heap.graph import HeapGraph
from gasoline_cdp.analysis.heap.reader import SnapshotReader

NODE_TYPES = (
    *("hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic"),
    *("concatenated string", "sliced string", "symbol", "bigint", "object shape"),
)
EDGE_TYPES = ("context", "element", "property", "internal", "hidden", "shortcut", "weak")
ENGINES: tuple[Engine, ...] = tuple({engine.name: engine for engine in (best_engine(), FallbackEngine())}.values())
"""Both, on a machine where the kernel was compiled."""


@attrs.define
class Node:
    """A node: type, name, size; its edges, each a type, a name or number, and the position of a node."""

    kind: str
    name: str
    size: int = 0
    edges: Sequence[tuple[str, str | int, int]] = ()
    detachedness: int = 0
    id: int | None = None


def write_snapshot(
    nodes: Sequence[Node],
    *,
    detachedness: bool = True,
    locations: Sequence[tuple[int, int, int, int]] = (),
    scopes: Mapping[str, Sequence[int]] | None = None,
    names: Sequence[str] = (),
) -> bytes:
    """The text of a snapshot. The first node is the root. locations: node, script, line, column."""
    strings = list(names)
    known = {name: index for index, name in enumerate(names)}

    def index_of(name: str) -> int:
        if name not in known:
            known[name] = len(strings)
            strings.append(name)
        return known[name]

    width = 6 if detachedness else 5
    rows: list[int] = []
    edges: list[int] = []
    for position, node in enumerate(nodes):
        number = node.id if node.id is not None else 2 * position + 1
        rows += [NODE_TYPES.index(node.kind), index_of(node.name), number, node.size, len(node.edges)]
        rows += [node.detachedness] if detachedness else []
        for kind, name, to in node.edges:
            edges += [EDGE_TYPES.index(kind), name if isinstance(name, int) else index_of(name), to * width]
    meta: dict[str, Any] = {
        "node_fields": ["type", "name", "id", "self_size", "edge_count", "detachedness"][:width],
        "node_types": [list(NODE_TYPES), "string", "number", "number", "number", "number"][:width],
        "edge_fields": ["type", "name_or_index", "to_node"],
        "edge_types": [list(EDGE_TYPES), "string_or_number", "node"],
        "location_fields": ["object_index", "script_id", "line", "column"],
        "scope_fields": ["script_node_index", "scope_id", "depth", "scope_context_vars_count", "scope_uses_count"],
        "scope_context_var_fields": ["name"],
        "scope_use_fields": ["declaring_scope_id", "slot_index"],
    }
    snapshot = {"meta": meta, "node_count": len(nodes), "edge_count": len(edges) // 3, "trace_function_count": 0}
    whole = {
        "snapshot": snapshot,
        "nodes": rows,
        "edges": edges,
        "trace_function_infos": [],
        "trace_tree": [],
        "samples": [],
        "locations": [value for node, *rest in locations for value in (node * width, *rest)],
        **(scopes or {"scopes": [], "scope_context_vars": [], "scope_uses": []}),
        "strings": strings,
    }
    return json.dumps(whole, separators=(",", ":")).encode()


def read_snapshot(text: bytes, engine: Engine | None = None, *, piece: int = 1 << 20) -> HeapGraph:
    """The graph of a snapshot, read in pieces of this size."""
    reader = SnapshotReader(engine)
    for at in range(0, len(text), piece):
        reader.feed(text[at : at + piece])
    return HeapGraph(reader.finish())


def make_graph(nodes: Sequence[Node], engine: Engine | None = None, **more: Any) -> HeapGraph:
    """The graph of some nodes."""
    return read_snapshot(write_snapshot(nodes, **more), engine)
