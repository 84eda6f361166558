"""The snapshots that the worker keeps, by name."""

from collections import OrderedDict

from attrs import define, field

from gasoline_cdp import memory_limits
from gasoline_cdp.analysis.heap.graph import HeapGraph
from gasoline_cdp.analysis.heap.walk import ReadableHeap


@define(eq=False)
class HeldHeap:
    """One snapshot. The walk through it is made once."""

    graph: HeapGraph
    walked: ReadableHeap = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.walked = ReadableHeap(self.graph)

    @property
    def bytes(self) -> int:
        """Memory of its columns, and about as much for what is computed from them."""
        columns = self.graph.columns
        arrays = (
            columns.node_type, columns.node_name, columns.node_id, columns.self_size, columns.first_edge,
            columns.edge_type, columns.edge_name, columns.edge_to, columns.strings.text, columns.strings.ends,
        )  # fmt: skip
        return 2 * sum(int(array.nbytes) for array in arrays)


class HeldHeaps:
    """Up to a number and a budget of bytes; the oldest goes first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, HeldHeap] = OrderedDict()

    def put(self, name: str, graph: HeapGraph) -> list[str]:
        """Keep a snapshot. Returns the names of those that had to go."""
        self._kept.pop(name, None)
        self._kept[name] = HeldHeap(graph)
        dropped: list[str] = []
        while len(self._kept) > 1 and (
            len(self._kept) > memory_limits.HEAP_SNAPSHOTS
            or sum(kept.bytes for kept in self._kept.values()) > memory_limits.HEAP_KEPT_BYTES
        ):
            dropped.append(self._kept.popitem(last=False)[0])
        return dropped

    def get(self, name: str) -> HeldHeap:
        """The snapshot of this name; the daemon asks only for those that it put there."""
        return self._kept[name]

    def drop(self, name: str) -> None:
        """Forget a snapshot."""
        self._kept.pop(name, None)
