"""A heap snapshot as a graph, by DevTools' rules: what is detached, how far from the roots, who keeps what alive.

Every rule here is one of DevTools' heap_snapshot_worker, and a test compares all numbers with it, node by node.
"""

from functools import cached_property

import numpy as np

from gasoline_cdp.analysis.heap.classes import Classes
from gasoline_cdp.analysis.heap.columns import Bytes, Columns, Ints, Longs, StringTable, Words
from gasoline_cdp.analysis.heap.kinds import Kinds, find_kinds
from gasoline_cdp.analysis.heap.naming import Names
from gasoline_cdp.analysis.heap.tables import DistanceRules

NO_DISTANCE = -5
"""The distance of what nothing leads to."""
SYSTEM_DISTANCE = 100_000_000
"""Added to distances of what no object of the page leads to, in snapshots that tell these apart."""
ATTACHED, DETACHED = 1, 2
_UNSEEN = 0xFFFFFFFF
_SEVERAL = 0xFFFFFFFE


class HeapGraph:
    """Nodes have ordinals, from 0 on. Each array is by ordinal, and computed when it is first asked for."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.header = columns.header
        self.engine = columns.engine.name
        self.root = columns.header.root
        self.strings: StringTable = columns.strings
        self.node_type = columns.node_type
        self.node_name = columns.node_name
        """An index into the strings, without the "Detached " that DevTools puts before it; name() has that."""
        self.node_id = columns.node_id
        self.first_edge = columns.first_edge
        self.edge_type = columns.edge_type
        self.edge_name = columns.edge_name
        self.edge_to = columns.edge_to
        self.names = Names(self)

    def __len__(self) -> int:
        return len(self.node_type)

    # --- what it is called ----------------------------------------------------------------------------------------

    def name(self, node: int) -> str:
        """As DevTools shows it: strings as a whole, plain objects by their properties, detached elements as such."""
        return self.names.node(node)

    def edge_label(self, edge: int) -> str:
        """The name of a property or variable, or the number of an element."""
        return self.names.edge(edge)

    def ordinal(self, node_id: int) -> int | None:
        """The node of an id, which stays the same from one snapshot to the next."""
        order = self._by_id
        at = int(np.searchsorted(self.node_id, node_id, sorter=order))
        if at == len(order) or self.node_id[order[at]] != node_id:
            return None
        return int(order[at])

    def location(self, node: int) -> tuple[int, int, int] | None:
        """Script id, line and column (from 0) of the code that an object's constructor or a function has."""
        locations = self.columns.locations
        at = int(np.searchsorted(locations.node, node, side="right")) - 1
        if at < 0 or locations.node[at] != node:
            return None
        return int(locations.script_id[at]), int(locations.line[at]), int(locations.column[at])

    @cached_property
    def _by_id(self) -> Longs:
        return np.argsort(self.node_id, kind="stable")

    # --- detached -------------------------------------------------------------------------------------------------

    @cached_property
    def detachedness(self) -> Bytes:
        """0 unknown, ATTACHED or DETACHED. Spreads from what Chrome says through native objects, attached first."""
        columns, header = self.columns, self.header
        native = (self.node_type == header.node_type("native")).view(np.uint8)
        if columns.detachedness is None:
            return self._detached_by_name(native)
        state = columns.detachedness.copy()
        taken = (state != 0).view(np.uint8)
        closed = {header.edge_type(name) for name in ("hidden", "weak")}
        along = np.array([kind not in closed for kind in range(len(header.edge_types))], np.uint8)
        for value in (ATTACHED, DETACHED):
            start = np.flatnonzero((columns.detachedness == value) & (native != 0)).astype(np.uint32)
            columns.engine.spread(columns, start, along=along, may=native, state=state, value=value, taken=taken)
        return state

    def _detached_by_name(self, native: Bytes) -> Bytes:
        """Older snapshots say it in the name only."""
        state = np.zeros(len(self), np.uint8)
        text, ends = self.strings.text, self.strings.ends
        nodes = np.flatnonzero(native)
        names = np.unique(self.node_name[nodes])
        mark = b"Detached "
        detached = [name for name in names.tolist() if _begins(text, ends, name, mark)]
        state[nodes[np.isin(self.node_name[nodes], detached)]] = DETACHED
        return state

    @property
    def adds_prefix(self) -> bool:
        """Whether names of detached nodes do not say so by themselves."""
        return self.columns.detachedness is not None

    # --- sizes ----------------------------------------------------------------------------------------------------

    @cached_property
    def user_roots(self) -> Words:
        """What the root points to and belongs to the page. Current Chromium has none: there it is all synthetic."""
        header = self.header
        edges = slice(int(self.first_edge[self.root]), int(self.first_edge[self.root + 1]))
        targets = self.edge_to[edges]
        user = self.node_type[targets] != header.node_type("synthetic")
        trees = self.strings.find(b"(Document DOM trees)")
        if trees is not None:
            user |= self.node_name[targets] == trees
        roots: Words = targets[user]
        return roots

    @cached_property
    def self_size(self) -> Words:
        """Bytes of a node alone. Arrays and hidden nodes that one object owns count for that object."""
        size = self.columns.self_size
        if not len(self.user_roots):
            return size
        header = self.header
        ownable = (self.node_type == header.node_type("hidden")) | (self.node_type == header.node_type("array"))
        external = self.strings.find(b"system / ExternalStringData")
        if external is not None:
            ownable |= (self.node_type == header.node_type("native")) & (self.node_name == external)
        ordinals = np.arange(len(self), dtype=np.uint32)
        owner = np.where(ownable, np.uint32(_UNSEEN), ordinals)
        self.columns.engine.find_owners(self.columns, ordinals[~ownable], owner, weak=header.edge_type("weak"))
        owned = np.flatnonzero((owner != ordinals) & (owner < _SEVERAL))
        owners = owner[owned]
        gives = (self.node_type[owners] != header.node_type("synthetic")) & (owners != self.root)
        owned, owners = owned[gives], owners[gives]
        total = size.astype(np.int64)
        np.add.at(total, owners, size[owned])
        total[owned] = 0
        return total.astype(np.uint32)

    # --- distances ------------------------------------------------------------------------------------------------

    @cached_property
    def _weak_entries(self) -> tuple[Ints, Words, int]:
        """V8 writes two edges for each value of a WeakMap, one from the table and one from the key, of the same name.

        The value lives as long as key and table do, which no single edge can say. So dominators count the key's edge
        only, and a distance goes on from the second of the two that is met.
        """
        return self.columns.engine.find_weak_entries(self.strings)

    @cached_property
    def distance(self) -> Ints:
        """Edges from the page's roots; SYSTEM_DISTANCE more if nothing of the page leads there; or NO_DISTANCE."""
        columns = self.columns
        pair, _, entries = self._weak_entries
        rules = DistanceRules(
            weak=self.header.edge_type("weak"),
            internal=self.header.edge_type("internal"),
            pair=pair,
            met=np.zeros(entries, np.uint8),
            blocked=self._blocked(),
            none=NO_DISTANCE,
        )
        distance = np.full(len(self), NO_DISTANCE, np.int32)
        roots = self.user_roots
        distance[roots] = 1
        columns.engine.spread_distances(columns, roots, distance, rules)
        distance[self.root] = SYSTEM_DISTANCE if len(roots) else 0
        columns.engine.spread_distances(columns, np.array([self.root], np.uint32), distance, rules)
        return distance

    def _blocked(self) -> Bytes | None:
        """Bits of the edges that no distance goes along; they hold what they name, but lead from it to everything."""
        edges: list[int] = []
        context = self._nodes("hidden", b"system / NativeContext")
        slow = self.strings.find(b"sloppy_function_map")
        named = self.names.is_named
        edges += [
            edge for edge in self._edges_of(context) if named[self.edge_type[edge]] and self.edge_name[edge] == slow
        ]
        for edge in self._edges_of(self._nodes("array", b"(map descriptors)")):
            number = self.names.edge_number(edge)
            if number is not None and number >= 2 and number % 3 == 1:
                edges.append(edge)
        if not edges:
            return None
        bits = np.zeros(len(self.edge_to) + 8, np.uint8)
        bits[edges] = 1
        return np.packbits(bits, bitorder="little")

    def _nodes(self, kind: str, name: bytes) -> list[int]:
        index = self.strings.find(name)
        if index is None:
            return []
        matches = np.flatnonzero((self.node_type == self.header.node_type(kind)) & (self.node_name == index))
        nodes: list[int] = matches.tolist()
        return nodes

    def _edges_of(self, nodes: list[int]) -> list[int]:
        return [edge for node in nodes for edge in self.edges(node)]

    def edges(self, node: int) -> range:
        """The edges from a node."""
        return range(int(self.first_edge[node]), int(self.first_edge[node + 1]))

    # --- dominators -----------------------------------------------------------------------------------------------

    @cached_property
    def _page_owned(self) -> Bytes | None:
        """What the page's globals reach; None if the root names none of them, and the rule says nothing."""
        header = self.header
        edges = slice(int(self.first_edge[self.root]), int(self.first_edge[self.root + 1]))
        kinds, targets = self.edge_type[edges], self.edge_to[edges]
        starts = kinds == header.edge_type("shortcut")
        trees = self.strings.find(b"(Document DOM trees)")
        if trees is not None:
            is_trees = (self.node_type[targets] == header.node_type("synthetic")) & (self.node_name[targets] == trees)
            starts |= (kinds == header.edge_type("element")) & is_trees
        start = np.unique(targets[starts])
        if not len(start):
            return None
        owned = np.zeros(len(self), np.uint8)
        owned[start] = 1
        weak = header.edge_type("weak")
        along = np.array([kind != weak for kind in range(len(header.edge_types))], np.uint8)
        may = np.ones(len(self), np.uint8)
        engine = self.columns.engine
        engine.spread(self.columns, start, along=along, may=may, state=owned, value=1, taken=owned)
        return owned

    @cached_property
    def essential(self) -> Bytes:
        """Bits of the edges that keep something alive."""
        header = self.header
        return self.columns.engine.find_essential(
            self.columns,
            weak=header.edge_type("weak"),
            shortcut=header.edge_type("shortcut"),
            internal=header.edge_type("internal"),
            table=self._weak_entries[1],
            page=self._page_owned,
        )

    @cached_property
    def _dominators(self) -> tuple[Words, Longs]:
        return self.columns.engine.find_dominators(self.columns, self.essential, self.self_size)

    @property
    def dominator(self) -> Words:
        """The node without which this one would be garbage; the root's is the root."""
        return self._dominators[0]

    @property
    def retained_size(self) -> Longs:
        """What would be freed with this node: itself and all that it dominates."""
        return self._dominators[1]

    # --- classes --------------------------------------------------------------------------------------------------

    @cached_property
    def kinds(self) -> Kinds:
        """Which nodes are of one kind."""
        return find_kinds(self)

    @cached_property
    def classes(self) -> Classes:
        """The classes of the nodes."""
        return Classes(self)

    # --- retainers ------------------------------------------------------------------------------------------------

    @cached_property
    def _retainers(self) -> tuple[Words, Words, Words]:
        return self.columns.engine.find_retainers(self.columns)

    @property
    def first_retainer(self) -> Words:
        """Where the retainers of each node begin; one more, where they end."""
        return self._retainers[0]

    @property
    def retainer_from(self) -> Words:
        """The node that each retainer is."""
        return self._retainers[1]

    @property
    def retainer_edge(self) -> Words:
        """The edge by which it holds."""
        return self._retainers[2]


def _begins(text: Bytes, ends: Words, index: int, mark: bytes) -> bool:
    begin = int(ends[index - 1]) if index else 0
    return text[begin : min(begin + len(mark), int(ends[index]))].tobytes() == mark
