"""The engine without a compiler: the kernel's loops in Python. Exact, and some times slower."""

import re

import numpy as np

from gasoline_cdp.analysis.heap import fallback_dominators
from gasoline_cdp.analysis.heap.columns import Bytes, Codes, Columns, Ints, Longs, StringTable, Words
from gasoline_cdp.analysis.heap.fallback import FallbackRows, FallbackStrings
from gasoline_cdp.analysis.heap.tables import ClassedNodes, ClassSums, DistanceRules, Table

# As DevTools does, over the text as it stands in the file: there, line breaks are escaped.
_ENTRY = re.compile(
    rb"[0-9]+( / part of key \(.*? @[0-9]+\) -> value \(.*? @[0-9]+\) pair in WeakMap \(table @([0-9]+)\))", re.DOTALL
)
_LINE_BREAK = re.compile(rb"(?<!\\)(?:\\\\)*\\(?:[nr]|u202[89])|\xe2\x80[\xa8\xa9]")
_UNSEEN, _SEVERAL = 0xFFFFFFFF, 0xFFFFFFFE


class FallbackEngine:
    """See engines.Engine for what each does. Views of arrays, since reading numpy's one by one is slow."""

    name = "fallback"

    def rows(self, table: Table) -> FallbackRows:
        """Reads an array of numbers."""
        return FallbackRows(table)

    def strings(self, most_strings: int) -> FallbackStrings:
        """Reads the array of strings."""
        return FallbackStrings(most_strings)

    def check_edges(self, columns: Columns, named: Bytes) -> int:
        """The first edge whose name is no string, or -1."""
        wrong = (named[columns.edge_type] != 0) & (columns.edge_name >= len(columns.strings))
        return int(wrong.argmax()) if wrong.any() else -1

    def spread(
        self, columns: Columns, start: Words, *, along: Bytes, may: Bytes, state: Bytes, value: int, taken: Bytes
    ) -> None:
        """Give a state to all that is reached."""
        first_edge, edge_to, edge_type = columns.first_edge, columns.edge_to, columns.edge_type
        while len(start):
            edges = edges_of(first_edge, start)
            edges = edges[along[edge_type[edges]] != 0]
            reached = np.unique(edge_to[edges])
            start = reached[(taken[reached] == 0) & (may[reached] != 0)]
            taken[start] = 1
            state[start] = value

    def search(self, columns: Columns, start: Words, allowed: Bytes, parent_edge: Ints, reached: Bytes) -> None:
        """Breadth first along the allowed edges."""
        first_edge, edge_to, may = columns.first_edge.data, columns.edge_to.data, allowed.data
        parents, seen = parent_edge.data, reached.data
        queue = start.tolist()
        for node in queue:
            for edge in range(first_edge[node], first_edge[node + 1]):
                to = edge_to[edge]
                if may[edge] and not seen[to]:
                    seen[to] = 1
                    parents[to] = edge
                    queue.append(to)

    def find_owners(self, columns: Columns, start: Words, owner: Words, *, weak: int) -> None:
        """Make the only owner of each node that may be owned known."""
        first_edge, edge_to, edge_type = columns.first_edge.data, columns.edge_to.data, columns.edge_type.data
        owners = owner.data
        stack = start.tolist()
        while stack:
            node = stack.pop()
            mine = owners[node]
            for edge in range(first_edge[node], first_edge[node + 1]):
                if edge_type[edge] == weak:
                    continue
                to = edge_to[edge]
                theirs = owners[to]
                if theirs == _UNSEEN:
                    owners[to] = mine
                elif theirs in (to, mine, _SEVERAL):
                    continue
                else:
                    owners[to] = _SEVERAL
                stack.append(to)

    def spread_distances(self, columns: Columns, start: Words, distance: Ints, rules: DistanceRules) -> None:
        """Breadth first from some nodes."""
        first_edge, edge_to, edge_type = columns.first_edge.data, columns.edge_to.data, columns.edge_type.data
        edge_name, distances, pairs, halves = columns.edge_name.data, distance.data, rules.pair.data, rules.met.data
        weak, internal, blocked, none = rules.weak, rules.internal, rules.blocked, rules.none
        queue = start.tolist()
        for node in queue:
            further = distances[node] + 1
            for edge in range(first_edge[node], first_edge[node + 1]):
                to = edge_to[edge]
                kind = edge_type[edge]
                if kind == weak or distances[to] != none:
                    continue
                if blocked is not None and blocked[edge >> 3] >> (edge & 7) & 1:
                    continue
                if kind == internal:
                    half = pairs[edge_name[edge]]
                    if half >= 0:
                        halves[half] ^= 1
                        if halves[half]:
                            continue
                distances[to] = further
                queue.append(to)

    def find_essential(
        self, columns: Columns, *, weak: int, shortcut: int, internal: int, table: Words, page: Bytes | None
    ) -> Bytes:
        """Bits of the edges that keep something alive."""
        first_edge, edge_to, edge_type = columns.first_edge, columns.edge_to, columns.edge_type
        root = columns.header.root
        source = np.repeat(np.arange(len(first_edge) - 1, dtype=np.uint32), np.diff(first_edge))
        essential = (edge_type != weak) & (edge_to != source)
        inside = np.flatnonzero(edge_type == internal)
        tables = table[columns.edge_name[inside]]
        essential[inside[(tables != 0) & (tables == columns.node_id[source[inside]])]] = False
        outward = edge_type == shortcut
        if page is not None:
            outward |= (page[edge_to] != 0) & (page[source] == 0)
        essential &= ~(outward & (source != root))
        bits = np.packbits(essential, bitorder="little")
        return np.append(bits, np.uint8(0))

    def find_dominators(self, columns: Columns, essential: Bytes, self_size: Words) -> tuple[Words, Longs]:
        """The dominator of each node, and what it retains."""
        return fallback_dominators.find_dominators(columns, essential, self_size)

    def find_retainers(self, columns: Columns) -> tuple[Words, Words, Words]:
        """Where the retainers of each node begin; the nodes they come from, and the edges."""
        nodes = len(columns.node_type)
        # The last edge first, as the kernel has it.
        backwards = columns.edge_to[::-1]
        order = np.argsort(backwards, kind="stable")
        edges = (len(backwards) - 1 - order).astype(np.uint32)
        first = np.zeros(nodes + 1, np.int64)
        np.cumsum(np.bincount(columns.edge_to, minlength=nodes), out=first[1:])
        source = np.repeat(np.arange(nodes, dtype=np.uint32), np.diff(columns.first_edge))
        return first.astype(np.uint32), source[edges], edges

    def sum_classes(self, graph: ClassedNodes, class_of: Words, classes: int, *, distances: bool) -> ClassSums:
        """Adds up the nodes of each class."""
        return fallback_dominators.sum_classes(graph, class_of, classes, distances=distances)

    def find_shapes(self, columns: Columns, objects: Words, *, kind: int) -> Words:
        """For each object, the first that is like it."""
        shape = np.empty(len(objects), np.uint32)
        first: dict[bytes, int] = {}
        for index, node in enumerate(objects.tolist()):
            begin, end = columns.first_edge[node : node + 2].tolist()
            names = columns.edge_name[begin:end][columns.edge_type[begin:end] == kind]
            shape[index] = first.setdefault(names.tobytes(), index)
        return shape

    def find_weak_entries(self, strings: StringTable) -> tuple[Ints, Words, int]:
        """The strings that name halves of WeakMap entries."""
        pair = np.full(len(strings), -1, np.int32)
        table = np.zeros(len(strings), np.uint32)
        numbers: dict[bytes, int] = {}
        for index in range(len(strings)):
            raw = strings.raw(index)
            entry = _ENTRY.fullmatch(raw) if raw.endswith(b")") else None
            if entry and not _LINE_BREAK.search(raw):
                pair[index] = numbers.setdefault(entry[1], len(numbers))
                table_id = int(entry[2])
                table[index] = table_id if table_id < 2**32 else 0
        return pair, table, len(numbers)

    def number_codes(self, codes: Codes) -> tuple[Words, Words]:
        """A dense number for each code, and where each number first stood."""
        _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty(len(order), np.uint32)
        rank[order] = np.arange(len(order))
        return rank[inverse], first[order].astype(np.uint32)


def edges_of(first_edge: Words, nodes: Words) -> Longs:
    """The edges of some nodes, one node after the other."""
    begins = first_edge[nodes].astype(np.int64)
    counts = first_edge[nodes.astype(np.int64) + 1].astype(np.int64) - begins
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    edges: Longs = np.arange(total) + np.repeat(begins - (ends - counts), counts)
    return edges
