"""The header of a heap snapshot: how many nodes and edges follow, and what their fields mean."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

# Numbers of nodes and edges are kept in 32 bits.
_MOST = 2**32 - 2
# As in kernel.c.
_FIELDS = 16
_NO_TYPE = 255


class HeapFormatError(ValueError):
    """This is no heap snapshot, or a damaged one. The text says what is wrong, and where."""


@attrs.frozen
class Header:
    """What the member `snapshot` says, checked."""

    node_fields: tuple[str, ...]
    node_types: tuple[str, ...]
    edge_fields: tuple[str, ...]
    edge_types: tuple[str, ...]
    location_fields: tuple[str, ...]
    scope_fields: tuple[str, ...]
    scope_variable_fields: tuple[str, ...]
    scope_use_fields: tuple[str, ...]
    node_count: int
    edge_count: int
    root: int
    """The ordinal of the root."""
    extra_native_bytes: int
    """Memory outside the heap that no node stands for."""

    def node_type(self, name: str) -> int:
        """The number of a type of node; 255 if this snapshot does not have it, which no node has."""
        return self.node_types.index(name) if name in self.node_types else _NO_TYPE

    def edge_type(self, name: str) -> int:
        """The number of a type of edge; 255 if this snapshot does not have it."""
        return self.edge_types.index(name) if name in self.edge_types else _NO_TYPE


def parse_header(text: bytes) -> Header:
    """Raises HeapFormatError."""
    try:
        snapshot = json.loads(text)
        meta = snapshot["meta"]
        node_fields = _names(meta, "node_fields", needed=("type", "name", "id", "self_size", "edge_count"))
        edge_fields = _names(meta, "edge_fields", needed=("type", "name_or_index", "to_node"))
        node_types = tuple(meta["node_types"][node_fields.index("type")])
        edge_types = tuple(meta["edge_types"][edge_fields.index("type")])
        counts = [snapshot["node_count"], snapshot["edge_count"]]
        root_index = snapshot.get("root_index", 0)
        extra = snapshot.get("extra_native_bytes", 0)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise HeapFormatError(
            f"The header is not that of a heap snapshot ({type(error).__name__}: {error})."
        ) from error
    for types in (node_types, edge_types):
        if not 0 < len(types) < _NO_TYPE or not all(isinstance(name, str) for name in types):
            raise HeapFormatError("The header does not name the types of nodes and edges.")
    for number in (*counts, root_index, extra):
        if type(number) is not int or not 0 <= number <= 2**53:
            raise HeapFormatError(f"The header has {number!r:.40} where a count belongs.")
    nodes, edges = counts
    if nodes == 0:
        raise HeapFormatError("The header says that there are no nodes.")
    if nodes * len(node_fields) > _MOST or edges > _MOST:
        raise HeapFormatError(f"The header says {nodes} nodes and {edges} edges: more than can be read.")
    if root_index % len(node_fields) or root_index // len(node_fields) >= nodes:
        raise HeapFormatError(f"The header's root, {root_index}, is no node.")
    return Header(
        node_fields=node_fields,
        node_types=node_types,
        edge_fields=edge_fields,
        edge_types=edge_types,
        location_fields=_names(meta, "location_fields"),
        scope_fields=_names(meta, "scope_fields"),
        scope_variable_fields=_names(meta, "scope_context_var_fields"),
        scope_use_fields=_names(meta, "scope_use_fields"),
        node_count=nodes,
        edge_count=edges,
        root=root_index // len(node_fields),
        extra_native_bytes=extra,
    )


def _names(meta: Mapping[str, Any], key: str, needed: Sequence[str] = ()) -> tuple[str, ...]:
    names = meta.get(key) or ()
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise HeapFormatError(f"The header's {key} is no list of names.")
    missing = [name for name in needed if name not in names]
    if missing:
        raise HeapFormatError(f"The header's {key} lacks {', '.join(missing)}.")
    if len(names) > _FIELDS or len(set(names)) != len(names):
        raise HeapFormatError(f"The header's {key} has {len(names)} names, too many or twice the same.")
    return tuple(names)
