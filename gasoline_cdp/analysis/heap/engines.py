"""The two engines: the compiled kernel, and Python where there is none. Both give the same results."""

from functools import cache
from typing import Protocol

from gasoline_cdp.analysis.heap.columns import Bytes, Codes, Columns, Ints, Longs, StringTable, Words
from gasoline_cdp.analysis.heap.fallback_engine import FallbackEngine
from gasoline_cdp.analysis.heap.native import load_kernel
from gasoline_cdp.analysis.heap.native_engine import NativeEngine
from gasoline_cdp.analysis.heap.tables import ClassedNodes, ClassSums, DistanceRules, RowsParser, StringsParser, Table


class Engine(Protocol):
    """Whatever goes over every character, node or edge of a snapshot."""

    name: str
    """native or fallback: answers say so, since the fallback is some times slower."""

    def rows(self, table: Table) -> RowsParser:
        """Reads an array of numbers."""

    def strings(self, most_strings: int) -> StringsParser:
        """Reads the array of strings."""

    def check_edges(self, columns: Columns, named: Bytes) -> int:
        """The first edge whose name is no string, or -1. named: whether edges of a type are named by a string."""

    def spread(
        self, columns: Columns, start: Words, *, along: Bytes, may: Bytes, state: Bytes, value: int, taken: Bytes
    ) -> None:
        """Give a state to all that is reached from some nodes along some types of edges, and is not taken yet."""

    def search(self, columns: Columns, start: Words, allowed: Bytes, parent_edge: Ints, reached: Bytes) -> None:
        """Breadth first from some nodes along the allowed edges: by which edge each node is first reached."""

    def find_owners(self, columns: Columns, start: Words, owner: Words, *, weak: int) -> None:
        """Make the only owner of each node that may be owned known."""

    def spread_distances(self, columns: Columns, start: Words, distance: Ints, rules: DistanceRules) -> None:
        """Breadth first from some nodes; of the two edges of a WeakMap's entry, only the second one met leads on."""

    def find_essential(
        self, columns: Columns, *, weak: int, shortcut: int, internal: int, table: Words, page: Bytes | None
    ) -> Bytes:
        """Bits of the edges that keep something alive."""

    def find_dominators(self, columns: Columns, essential: Bytes, self_size: Words) -> tuple[Words, Longs]:
        """The dominator of each node, and what it retains."""

    def find_retainers(self, columns: Columns) -> tuple[Words, Words, Words]:
        """Where the retainers of each node begin; the nodes they come from, and the edges."""

    def sum_classes(self, graph: ClassedNodes, class_of: Words, classes: int, *, distances: bool) -> ClassSums:
        """Adds up the nodes of each class that have a size. distances: whether the nearest of each is wanted."""

    def find_shapes(self, columns: Columns, objects: Words, *, kind: int) -> Words:
        """For each object, the first that has edges of this type with the same names in the same order."""

    def find_weak_entries(self, strings: StringTable) -> tuple[Ints, Words, int]:
        """For each string, the number of the WeakMap entry that it is half of, or -1; its table's id, or 0; all."""

    def number_codes(self, codes: Codes) -> tuple[Words, Words]:
        """A dense number for each code, and where each number first stood."""


@cache
def best_engine() -> Engine:
    """The kernel if it was compiled, else the fallback."""
    kernel = load_kernel()
    return NativeEngine(kernel) if kernel is not None else FallbackEngine()
