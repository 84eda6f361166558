"""Fields of V8's own objects: edges of the type `internal`, looked up by name for all nodes at once."""

import re
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gasoline_cdp.analysis.heap.graph import HeapGraph

_NUMBER = re.compile(r"\s*([+-]?[0-9]+)")


class InternalEdges:
    """The internal edges of a graph."""

    def __init__(self, graph: "HeapGraph") -> None:
        self._graph = graph
        self._internal = graph.header.edge_type("internal")
        self._number = graph.header.node_type("number")
        self.targets = cache(self._targets)
        """By the name of an edge: which node each node leads to."""

    def _targets(self, name: str) -> dict[int, int]:
        graph = self._graph
        index = graph.strings.find(name.encode())
        if index is None:
            return {}
        edges = np.flatnonzero((graph.edge_name == index) & (graph.edge_type == self._internal))
        sources = np.searchsorted(graph.first_edge, edges, side="right") - 1
        # The first one of a node counts, so the last one to be set.
        return dict(zip(sources[::-1].tolist(), graph.edge_to[edges[::-1]].tolist(), strict=True))

    def as_int(self, node: int | None) -> int | None:
        """The value of a number that V8 wrote as a node of its own."""
        text = self._value(node, "int")
        number = _NUMBER.match(text) if text is not None else None
        return int(number[1]) if number else None

    def as_bool(self, node: int | None) -> bool:
        """Whether it is true."""
        return self._value(node, "bool") == "true"

    def _value(self, node: int | None, kind: str) -> str | None:
        graph = self._graph
        if node is None or graph.node_type[node] != self._number or graph.names.raw(node) != kind:
            return None
        value = self.targets("value").get(node)
        return None if value is None else graph.names.raw(value)
