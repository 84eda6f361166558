"""The engine that is compiled."""

import ctypes
from typing import Any

import numpy as np

from gasoline_cdp.analysis.heap.columns import Bytes, Codes, Columns, Ints, Longs, StringTable, Words
from gasoline_cdp.analysis.heap.native import NativeRows, NativeStrings
from gasoline_cdp.analysis.heap.tables import ClassedNodes, ClassSums, DistanceRules, Table

_Long = ctypes.c_int64
_Word = ctypes.c_uint32
_Byte = ctypes.c_uint8


class _Graph(ctypes.Structure):
    _fields_ = (
        ("nodes", _Long),
        ("edges", _Long),
        *((name, ctypes.c_void_p) for name in ("first_edge", "edge_type", "edge_name", "edge_to")),
    )


def _graph(columns: Columns) -> Any:
    graph = _Graph(len(columns.node_type), len(columns.edge_to))
    for name in ("first_edge", "edge_type", "edge_name", "edge_to"):
        setattr(graph, name, _pointer(getattr(columns, name)).value)
    return ctypes.byref(graph)


def _pointer(array: Any) -> ctypes.c_void_p:
    if array is None:
        return ctypes.c_void_p(None)
    assert array.flags.c_contiguous  # noqa: S101 - else the kernel would take it for something else
    return ctypes.c_void_p(array.ctypes.data)


class NativeEngine:
    """Calls the kernel. See engines.Engine for what each does."""

    name = "native"

    def __init__(self, kernel: ctypes.CDLL) -> None:
        self._kernel = kernel

    def rows(self, table: Table) -> NativeRows:
        """Reads an array of numbers."""
        return NativeRows(self._kernel, table)

    def strings(self, most_strings: int) -> NativeStrings:
        """Reads the array of strings."""
        return NativeStrings(self._kernel, most_strings)

    def check_edges(self, columns: Columns, named: Bytes) -> int:
        """The first edge whose name is no string, or -1."""
        return int(self._kernel.check_edges(_graph(columns), _pointer(named), _Long(len(columns.strings))))

    def spread(
        self, columns: Columns, start: Words, *, along: Bytes, may: Bytes, state: Bytes, value: int, taken: Bytes
    ) -> None:
        """Give a state to all that is reached."""
        queue = np.empty(len(columns.node_type), np.uint32)
        queue[: len(start)] = start
        pointers = (_pointer(along), _pointer(may), _pointer(state), _Byte(value), _pointer(taken), _pointer(queue))
        self._kernel.spread(_graph(columns), *pointers, _Long(len(start)))

    def search(self, columns: Columns, start: Words, allowed: Bytes, parent_edge: Ints, reached: Bytes) -> None:
        """Breadth first along the allowed edges."""
        queue = np.empty(len(columns.node_type), np.uint32)
        queue[: len(start)] = start
        at = (_pointer(queue), _Long(len(start)), _pointer(parent_edge), _pointer(reached))
        self._kernel.search(_graph(columns), _pointer(allowed), *at)

    def find_owners(self, columns: Columns, start: Words, owner: Words, *, weak: int) -> None:
        """Make the only owner of each node that may be owned known."""
        stack = np.empty(2 * len(owner), np.uint32)
        stack[: len(start)] = start
        at = (_pointer(owner), _pointer(stack), _Long(len(start)))
        self._kernel.find_owners(_graph(columns), _Byte(weak), *at)

    def spread_distances(self, columns: Columns, start: Words, distance: Ints, rules: DistanceRules) -> None:
        """Breadth first from some nodes."""
        queue = np.empty(len(start) + len(distance), np.uint32)
        queue[: len(start)] = start
        self._kernel.spread_distances(
            _graph(columns),
            _Byte(rules.weak),
            _Byte(rules.internal),
            _pointer(rules.pair),
            _pointer(rules.met),
            _pointer(rules.blocked),
            ctypes.c_int32(rules.none),
            _pointer(distance),
            _pointer(queue),
            _Long(len(start)),
            _Long(len(queue)),
        )

    def find_essential(
        self, columns: Columns, *, weak: int, shortcut: int, internal: int, table: Words, page: Bytes | None
    ) -> Bytes:
        """Bits of the edges that keep something alive."""
        bits = np.zeros(len(columns.edge_to) // 8 + 1, np.uint8)
        kinds = (_Byte(weak), _Byte(shortcut), _Byte(internal))
        arrays = (columns.node_id, table, page, bits)
        self._kernel.find_essential(
            _graph(columns), _Word(columns.header.root), *kinds, *(_pointer(array) for array in arrays)
        )
        return bits

    def find_dominators(self, columns: Columns, essential: Bytes, self_size: Words) -> tuple[Words, Longs]:
        """The dominator of each node, and what it retains."""
        dominator = np.empty(len(self_size), np.uint32)
        retained = np.empty(len(self_size), np.int64)
        pointers = (_pointer(array) for array in (essential, self_size, dominator, retained))
        _check(self._kernel.find_dominators(_graph(columns), _Word(columns.header.root), *pointers))
        return dominator, retained

    def find_retainers(self, columns: Columns) -> tuple[Words, Words, Words]:
        """Where the retainers of each node begin; the nodes they come from, and the edges."""
        first = np.empty(len(columns.first_edge), np.uint32)
        nodes = np.empty(len(columns.edge_to), np.uint32)
        edges = np.empty(len(columns.edge_to), np.uint32)
        self._kernel.find_retainers(_graph(columns), _pointer(first), _pointer(nodes), _pointer(edges))
        return first, nodes, edges

    def sum_classes(self, graph: ClassedNodes, class_of: Words, classes: int, *, distances: bool) -> ClassSums:
        """Adds up the nodes of each class."""
        sums = ClassSums.empty(classes)
        distance = graph.distance if distances else None
        of_nodes = (graph.dominator, graph.retained_size, graph.self_size, distance, class_of)
        of_classes = (sums.count, sums.self_size, sums.distance, sums.retained_size)
        _check(
            self._kernel.sum_classes(
                _Long(len(class_of)),
                _Word(graph.root),
                *(None if array is None else _pointer(array) for array in of_nodes),
                _Long(classes),
                *(_pointer(array) for array in of_classes),
            )
        )
        return sums

    def find_shapes(self, columns: Columns, objects: Words, *, kind: int) -> Words:
        """For each object, the first that is like it."""
        shape = np.empty(len(objects), np.uint32)
        table = np.empty(1 << (2 * len(objects) + 1).bit_length(), np.uint32)
        at = (_pointer(objects), _Long(len(objects)), _pointer(shape), _pointer(table), _Long(len(table)))
        self._kernel.find_shapes(_graph(columns), _Byte(kind), *at)
        return shape

    def find_weak_entries(self, strings: StringTable) -> tuple[Ints, Words, int]:
        """The strings that name halves of WeakMap entries."""
        pair = np.empty(len(strings), np.int32)
        table = np.empty(len(strings), np.uint32)
        seen = np.empty(1 << len(strings).bit_length(), np.uint32)
        arrays = (_pointer(array) for array in (pair, table, seen))
        of = (_pointer(strings.text), _pointer(strings.ends), _Long(len(strings)))
        return pair, table, int(self._kernel.find_weak_entries(*of, *arrays, _Long(len(seen))))

    def number_codes(self, codes: Codes) -> tuple[Words, Words]:
        """A dense number for each code, and where each number first stood."""
        number = np.empty(len(codes), np.uint32)
        first = np.empty(len(codes), np.uint32)
        seen = np.empty(2 << len(codes).bit_length(), np.uint32)
        arrays = (_pointer(array) for array in (number, first, seen))
        numbers = self._kernel.number_codes(_pointer(codes), _Long(len(codes)), *arrays, _Long(len(seen)))
        return number, first[:numbers]


def _check(result: int) -> None:
    if result != 0:
        raise MemoryError
