"""Which arrays of a snapshot are kept, how, and how they become columns."""

from typing import Any

import numpy as np

from gasoline_cdp.analysis.heap.columns import Columns, Locations
from gasoline_cdp.analysis.heap.engines import Engine
from gasoline_cdp.analysis.heap.header import Header, HeapFormatError
from gasoline_cdp.analysis.heap.tables import BYTE, LARGEST, LONG, QUOTIENT, SKIP, WORD, Field, Table

_WORD_MAX = 2**32 - 1
_SIGNED_MAX = 2**31 - 1
# A scope each for functions and blocks: V8 describes those of all scripts, of 40 MB of source in this case.
_MOST_SCOPES = 1 << 24


def table_of(name: str, header: Header) -> Table | None:
    """How an array is kept; None if it is not."""
    nodes, edges = header.node_count, header.edge_count
    width = len(header.node_fields)
    last_node = (nodes - 1) * width
    match name:
        case "nodes":
            stores = {
                "type": (BYTE, len(header.node_types) - 1),
                "name": (WORD, _WORD_MAX),
                "id": (WORD, _WORD_MAX),
                "self_size": (WORD, _WORD_MAX),
                "edge_count": (WORD, edges),
                "detachedness": (BYTE, 3),
            }
            return Table(name, _fields(header.node_fields, stores), nodes, exactly=True)
        case "edges":
            stores = {
                "type": (BYTE, len(header.edge_types) - 1),
                "name_or_index": (WORD, _WORD_MAX),
                "to_node": (QUOTIENT, last_node),
            }
            return Table(name, _fields(header.edge_fields, stores), edges, exactly=True, divisor=width)
        case "locations" if {"object_index", "script_id", "line", "column"} <= set(header.location_fields):
            stores = {"object_index": (QUOTIENT, last_node), "script_object_index": (WORD, _WORD_MAX)}
            fields = _fields(header.location_fields, stores)
            signed = {"script_id", "line", "column"}
            return Table(
                name,
                tuple(
                    Field(field.name, WORD, _SIGNED_MAX, -_SIGNED_MAX) if field.name in signed else field
                    for field in fields
                ),
                nodes,
                exactly=False,
                divisor=width,
            )
        case "scopes":
            return _longs(name, header.scope_fields)
        case "scope_context_vars":
            return _longs(name, header.scope_variable_fields)
        case "scope_uses":
            return _longs(name, header.scope_use_fields)
        case _:
            return None


def _fields(names: tuple[str, ...], stores: dict[str, tuple[int, int]]) -> tuple[Field, ...]:
    return tuple(
        Field(name, *stores[name]) if name in stores else Field(name, SKIP, LARGEST, -LARGEST) for name in names
    )


def _longs(name: str, fields: tuple[str, ...]) -> Table | None:
    if not fields:
        return None
    return Table(name, tuple(Field(field, LONG, LARGEST, -LARGEST) for field in fields), _MOST_SCOPES, exactly=False)


def make_columns(header: Header, sections: dict[str, Any], engine: Engine) -> Columns:
    """The columns of what was read. Raises HeapFormatError where one part contradicts another."""
    nodes = sections.pop("nodes").finish()
    edges = sections.pop("edges").finish()
    strings = sections.pop("strings").finish()
    counts = nodes.pop("edge_count")
    total = int(counts.sum(dtype=np.int64))
    if total != header.edge_count:
        raise HeapFormatError(f"The nodes have {total} edges, but the header says {header.edge_count}.")
    first_edge = np.zeros(header.node_count + 1, np.uint32)
    np.cumsum(counts, out=first_edge[1:])
    del counts
    highest = int(nodes["name"].max())
    if highest >= len(strings):
        raise HeapFormatError(f"A node is named by string {highest}, but there are only {len(strings)}.")
    columns = Columns(
        header=header,
        node_type=nodes["type"],
        node_name=nodes["name"],
        node_id=nodes["id"],
        self_size=nodes["self_size"],
        detachedness=nodes.get("detachedness"),
        first_edge=first_edge,
        edge_type=edges["type"],
        edge_name=edges["name_or_index"],
        edge_to=edges["to_node"],
        strings=strings,
        locations=_locations(sections),
        scopes=_finished(sections, "scopes"),
        scope_variables=_finished(sections, "scope_context_vars"),
        scope_uses=_finished(sections, "scope_uses"),
        engine=engine,
    )
    numbered = {header.edge_type("element"), header.edge_type("hidden")}
    named = np.array([kind not in numbered for kind in range(len(header.edge_types))], np.uint8)
    wrong = engine.check_edges(columns, named)
    if wrong >= 0:
        name = int(columns.edge_name[wrong])
        raise HeapFormatError(f"Edge {wrong} is named by string {name}, but there are only {len(strings)}.")
    return columns


def _finished(sections: dict[str, Any], name: str) -> dict[str, Any]:
    return sections.pop(name).finish() if name in sections else {}


def _locations(sections: dict[str, Any]) -> Locations:
    table = _finished(sections, "locations")
    empty = np.empty(0, np.uint32)
    node = table.get("object_index", empty)
    # The last one counts, as in DevTools, if a node has two.
    if len(node) and (node[1:] < node[:-1]).any():
        order = np.argsort(node, kind="stable")
        table = {name: column[order] for name, column in table.items()}
    return Locations(
        node=table.get("object_index", empty),
        script_id=table.get("script_id", empty).view(np.int32),
        line=table.get("line", empty).view(np.int32),
        column=table.get("column", empty).view(np.int32),
        script_index=table.get("script_object_index"),
    )
