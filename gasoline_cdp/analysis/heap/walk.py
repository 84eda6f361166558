"""Walks a heap as a developer sees it: from windows and variables to objects, over what their code wrote.

Chromium's snapshots show every internal object. `ReadableHeap` says which of them a reader should not see
(*transparent*: backing stores, `blink::` containers), which edges explain nothing (*plumbing*: hidden classes,
compiled code), and how each object is reached: `parent_edge`, the last edge of the shortest meaningful path. Edges that
JavaScript made come first, then what Blink holds by itself, then V8's own roots.
"""

import re
from functools import cached_property
from typing import Any

import numpy as np

from gasoline_cdp.analysis.heap.activities import find_active
from gasoline_cdp.analysis.heap.described import Described
from gasoline_cdp.analysis.heap.graph import DETACHED, HeapGraph

Ints = np.ndarray[Any, np.dtype[np.int32]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]
Numbers = np.ndarray[Any, np.dtype[np.int64]]

# Internal edges that every object has, or that lead from one object into all code of the page.
_PLUMBING = frozenset({
    "map", "code", "feedback_cell", "shared", "native_context", "initial_map", "instance_template", "class_fields",
    "scope_info", "extension", "constructor_or_back_pointer", "constructor_or_backpointer", "transition_info",
    "dependent_code", "descriptors", "prototype_info", "prototype_validity_cell", "boilerplate_description",
    "interceptor", "call_code", "accessor_pair", "raw_outer_scope_info_or_feedback_metadata", "function_data",
    "script", "name_or_scope_info", "trusted_function_data", "untrusted_function_data", "layout_descriptor",
    "global_proxy_object", "message_listeners",
})  # fmt: skip
# From a native context only the variables of scripts are followed: the rest is the standard library.
_OF_CONTEXT = "script_context_table"
_WINDOW = re.compile(r"Window( \[JSGlobal(Object|Proxy)\])? / |\w+GlobalScope\b")
_NATIVE_CONTEXT = "system / NativeContext"
# What Blink keeps for JavaScript. Each is shown as what the developer called: a listener, a timer, an observer.
MARKERS: tuple[tuple[str, str], ...] = (
    ("listener", r"(blink::)?RegisteredEventListener|(V8|JS)?EventListener|JSEventHandler\w*|JSBasedEventListener"),
    ("timer", r"DOMTimer|ScheduledAction|blink::.*DOMTimerCoordinator"),
    ("animation frame", r"(blink::)?Frame(Request)?Callback\w*|V8FrameRequestCallback|.*V8FrameCallback"),
    ("idle callback", r".*Idle(Request)?(Callback|Task)\w*|ScriptedIdleTaskController\w*"),
    ("mutation observer", r"MutationObserverRegistration|blink::NodeMutationObserverData|MutationObserver::Delegate"),
    ("resize observer", r"ResizeObservation|ResizeObserverDataMap|(blink::)?ResizeObserver(Controller|::\w+)"),
    ("intersection observer", r"(blink::)?(Element)?Intersection(Observation|ObserverData|Observer(Controller|::\w+))"),
    ("performance observer", r"(blink::)?PerformanceObserver(Entry\w*|::\w+)"),
    ("abort signal", r"(blink::)?AbortSignal(::\w+|Registry)|.*AbortAlgorithm\w*"),
    ("promise", r"system / Promise\w+|(blink::)?ScriptPromise\w*|.*PromiseReaction.*"),
)
_CALLBACK = re.compile(r"V8\w+$")
# Blink's own classes on the way from an object of the page to what its code registered there.
_SEMANTIC = re.compile(
    r"blink::((internal|WTF)::)?(EventTargetData|EventListenerMap|NodeRareData|ElementRareData\w*|Heap\w+|BasicHeap\w+|"
    r"Member|DisallowNewWrapper|HashTable|NodeMutationObserverData|.*DOMTimerCoordinator|RegisteredEventListener|"
    r"\w*IntersectionObserver\w*|\w*ResizeObserver\w*|\w*MutationObserver\w*|AbortSignal\w*|Frame(Request)?Callback\w*|"
    r"ScriptedIdleTaskController|WindowIdleTasksManager|\w+MapEntry|\w*AnimationController\w*|ShadowRoot|"
    r"\(anonymous namespace\)::GlobalPerformanceImpl|UserTiming|ElementAnimations|TreeScope\w*|CustomElement\w*)"
)
# V8's boxes around the value of a variable or a global, around the callbacks of a promise, and what is behind a Proxy.
_CELLS = re.compile(r"system / (\w*Cell|Promise\w+|JSProxy)$")
# Holds what it will tell its callback, in such boxes.
_REGISTRY = re.compile("FinalizationRegistry$")
# Objects that inspectors hold: for us, or for DevTools. The page did not leak them.
_INSPECTORS = re.compile(r"DevTools|[Ii]nspector|extensions::")
# Up to this size, ids are looked up in a table.
_TABLE_BYTES = 1 << 28
# No type has this number.
_NONE = 255
_PAIR = re.compile(r"part of key")


class ReadableHeap:
    """One snapshot, walked. `first` are ids of windows to start from; without them, every window."""

    def __init__(self, graph: HeapGraph, first: "np.ndarray[Any, Any] | None" = None) -> None:
        self.graph = graph
        self._first = first
        self.types = {name: index for index, name in enumerate(graph.header.node_types)}
        self.edge_types = {name: index for index, name in enumerate(graph.header.edge_types)}
        self._by_type: dict[str, tuple[Numbers, Numbers, list[str]]] = {}

    def names(self, pattern: "re.Pattern[str]", *types: str) -> Bools:
        """Which nodes of these types have a name that matches."""
        result = np.zeros(len(self.graph), dtype=np.bool_)
        for name in types:
            nodes, names, texts = self._named(name)
            wanted = np.array([bool(pattern.match(text)) for text in texts], dtype=np.bool_)
            if wanted.any():
                result[nodes[wanted[names]]] = True
        return result

    def labels(self, wanted: "frozenset[str] | re.Pattern[str]") -> Bools:
        """Which internal edges have a label in the set, or one that contains the pattern."""
        edges, labels, texts = self._labelled
        if isinstance(wanted, frozenset):
            chosen = np.array([text in wanted for text in texts], dtype=np.bool_)
        else:
            chosen = np.array([bool(wanted.search(text)) for text in texts], dtype=np.bool_)
        result = np.zeros(len(self.graph.edge_to), dtype=np.bool_)
        if chosen.any():
            result[edges[chosen[labels]]] = True
        return result

    def _of_types(self, *names: str) -> Bools:
        """By the number of a type, whether it is one of these."""
        table = np.zeros(256, dtype=np.bool_)
        table[[self.types[name] for name in names if name in self.types]] = True
        return table

    def _named(self, name: str) -> "tuple[Numbers, Numbers, list[str]]":
        """The nodes of a type, the number of the name of each, and the names."""
        if name not in self._by_type:
            graph = self.graph
            nodes = np.flatnonzero(graph.node_type == self.types.get(name, _NONE))
            self._by_type[name] = (nodes, *self._texts(graph.node_name[nodes]))
        return self._by_type[name]

    @cached_property
    def _labelled(self) -> "tuple[Numbers, Numbers, list[str]]":
        """The internal edges, the number of the label of each, and the labels."""
        graph = self.graph
        edges = np.flatnonzero(graph.edge_type == self.edge_types["internal"])
        return (edges, *self._texts(graph.edge_name[edges]))

    def _texts(self, indices: "np.ndarray[Any, Any]") -> "tuple[Numbers, list[str]]":
        """Strings by index: each different one is decoded once."""
        strings = self.graph.strings
        used = np.zeros(len(strings), dtype=np.bool_)
        used[indices] = True
        different = np.flatnonzero(used)
        number = np.zeros(len(strings), dtype=np.int64)
        number[different] = np.arange(len(different))
        return number[indices], [strings[index] for index in different.tolist()]

    def not_in(self, other: HeapGraph) -> Bools:
        """Nodes that another snapshot does not have: by id and type. V8 gives the ids of numbers to others later."""
        graph = self.graph
        size = int(max(graph.node_id.max(initial=0), other.node_id.max(initial=0))) + 1
        # A table of bytes is many times faster than sorting; ids are dense, unless a file is made up.
        if size > _TABLE_BYTES:
            mine, others = (one.node_id.astype(np.int64) << 8 | one.node_type for one in (graph, other))
            result: Bools = ~np.isin(mine, others)
            return result
        table = np.zeros(size, dtype=np.uint8)
        table[other.node_id] = other.node_type + 1
        new: Bools = table[graph.node_id] != graph.node_type + 1
        return new

    @property
    def _edge_counts(self) -> "np.ndarray[Any, np.dtype[np.int64]]":
        first = self.graph.first_edge.astype(np.int64)
        return first[1:] - first[:-1]

    @cached_property
    def edge_from(self) -> Ints:
        """The node that each edge starts at."""
        return np.repeat(np.arange(len(self.graph), dtype=np.int32), self._edge_counts)

    @cached_property
    def marker(self) -> "np.ndarray[Any, np.dtype[np.int8]]":
        """What a node stands for: index into `MARKERS` plus one, or 0."""
        result = np.zeros(len(self.graph), dtype=np.int8)
        for index, (_, pattern) in enumerate(MARKERS):
            result[self.names(re.compile(f"({pattern})$"), "native", "object", "hidden", "code")] = index + 1
        return result

    @cached_property
    def transparent(self) -> Bools:
        """Nodes that paths do not show."""
        result: Bools = self._of_types("hidden", "array", "code", "synthetic", "object shape")[self.graph.node_type]
        result |= self.names(
            re.compile(r"blink::|cppgc|internal$|\(internal cache\)|.*\(internal cache\)"), "native", "object"
        )
        result |= self.names(re.compile(r"system / (?!Context|NativeContext)"), "object", "native", "code")
        result |= self.names(_CALLBACK, "native")
        result |= self.marker > 0
        return result

    @cached_property
    def _strong(self) -> Bools:
        """Edges that may keep an object alive and mean something."""
        graph, types = self.graph, self.types
        allowed = graph.edge_type != self.edge_types["weak"]
        allowed &= ~self.labels(_PLUMBING)
        if "shortcut" in self.edge_types:
            allowed &= graph.edge_type != self.edge_types["shortcut"]
        from_type = graph.node_type[self.edge_from]
        code = self._of_types("code", "object shape", "number")
        texts = self._of_types("string", "symbol", "bigint", "regexp")
        allowed &= ~(code | texts)[from_type] & ~code[graph.node_type[graph.edge_to]]
        # A WeakMap's value lives as long as its key: only the key's edge says so. A native key has wrappers of other
        # worlds, such as our own.
        pairs = self.labels(_PAIR)
        natives = pairs & self._of_types("native")[from_type]
        # What is in the document stays without the map: its values are the map's.
        stays = np.zeros(len(graph), dtype=np.bool_)
        stays[graph.edge_to[natives & (graph.detachedness[self.edge_from] != DETACHED)]] = True
        allowed &= ~natives & ~(pairs & self._of_types("array")[from_type] & ~stays[graph.edge_to])
        allowed &= ~self.foreign[graph.edge_to]
        contexts = self.names(re.compile(_NATIVE_CONTEXT), "native", "object", "hidden", "code")
        allowed &= ~contexts[self.edge_from] | self.labels(frozenset({_OF_CONTEXT}))
        roots = from_type == types["synthetic"]
        allowed &= ~(roots & self.labels(_INSPECTORS))
        result: Bools = allowed & (graph.edge_to != self.edge_from)
        return result

    @cached_property
    def foreign(self) -> Bools:
        """Functions and scopes of other worlds: those of extensions, and our own."""
        graph = self.graph
        own = np.arange(len(graph), dtype=np.int32)
        outer = own.copy()
        for label in ("context", "previous"):
            edges = np.flatnonzero(self.labels(frozenset({label})))
            outer[self.edge_from[edges]] = graph.edge_to[edges]
        while not np.array_equal(further := outer[outer], outer):
            outer = further
        contexts = self.names(re.compile(_NATIVE_CONTEXT), "native", "object", "hidden", "code")
        pages = np.zeros(len(own), dtype=np.bool_)
        edges = np.flatnonzero(self.labels(frozenset({"global_proxy_object"})))
        merged = graph.node_type[graph.edge_to[edges]] == self.types["native"]
        pages[self.edge_from[edges][merged]] = True
        if not pages.any():
            return np.zeros(len(own), dtype=np.bool_)
        result: Bools = (contexts & ~pages)[outer] | (contexts & ~pages)
        return result

    @cached_property
    def windows(self) -> Ints:
        """The global objects, and the contexts of their scripts."""
        matching = self.names(_WINDOW, "native", "object")
        # The windows of other worlds have a proxy that is not merged with Blink's window.
        edges = np.flatnonzero(self.labels(frozenset({"global_proxy"})))
        other = self.graph.node_type[self.graph.edge_to[edges]] != self.types["native"]
        if not other.all():
            matching[self.edge_from[edges][other]] = False
            matching[self.graph.edge_to[edges][other]] = False
        matching |= self.names(re.compile(_NATIVE_CONTEXT), "native", "object", "hidden") & ~self.foreign
        nodes = np.flatnonzero(matching)
        if self._first is not None:
            kept = np.array(
                [node for node in nodes.tolist() if (self._first == self.graph.node_id[node]).any()], np.int64
            )
            nodes = kept if len(kept) else nodes
        return nodes.astype(np.int32)

    @cached_property
    def parent_edge(self) -> Ints:
        """The edge by which each node is reached, -1 for roots and for what is unreachable."""
        self.stage: np.ndarray[Any, np.dtype[np.int8]] = np.zeros(len(self.graph), dtype=np.int8)
        graph = self.graph
        parents = np.full(len(graph), -1, dtype=np.int32)
        strong = self._strong
        blink = self.names(re.compile("blink::"), "native") & ~self.names(_SEMANTIC, "native")
        cells = self.names(_CELLS, "object", "hidden", "native", "code")
        cells |= self.names(_REGISTRY, "object")
        hidden = (graph.edge_type == self.edge_types["hidden"]) & ~cells[self.edge_from]
        preferred = strong & ~hidden & ~blink[graph.edge_to]
        preferred &= graph.node_type[self.edge_from] != self.types["synthetic"]
        reached = np.zeros(len(parents), dtype=np.uint8)
        queue = self.windows.astype(np.uint32)
        active, lists, still_open = find_active(self)
        stages = ((1, preferred), (1, preferred & ~lists[self.edge_from] | still_open), (2, strong & ~hidden))
        for stage, allowed in (*stages, (3, strong)):
            if allowed is stages[1][1]:
                queue = np.append(queue, active)
            elif stage == 3:
                queue = np.append(queue, np.uint32(graph.root))
            reached[queue] = 1
            graph.columns.engine.search(graph.columns, queue, allowed.view(np.uint8), parents, reached)
            self.stage[(reached != 0) & (self.stage == 0)] = stage
            queue = np.flatnonzero(reached).astype(np.uint32)
        self.reached = reached.view(np.bool_)
        return parents

    @cached_property
    def parent(self) -> Ints:
        """The node before each node on its path; itself for roots."""
        parents = self.parent_edge
        own = np.arange(len(parents), dtype=np.int32)
        return np.where(parents >= 0, self.edge_from[parents], own).astype(np.int32)

    @cached_property
    def shown_parent(self) -> Ints:
        """The nearest node before it on its path that is not transparent; or a root."""
        parent = self.parent
        own = np.arange(len(parent), dtype=np.int32)
        hop = np.where(self.transparent & (parent != own), parent, own)
        while True:
            further = hop[hop]
            if np.array_equal(further, hop):
                return hop[parent].astype(np.int32)
            hop = further

    @cached_property
    def passed(self) -> "np.ndarray[Any, np.dtype[np.int8]]":
        """The marker nearest to each node on the way from its shown parent; 0 for a plain reference."""
        parent, transparent = self.parent, self.transparent
        marker = np.where(transparent, self.marker, 0).astype(np.int8)
        for _ in range(12):
            inherited = np.where(transparent & (marker == 0) & transparent[parent], marker[parent], marker)
            if np.array_equal(inherited, marker):
                break
            marker = inherited
        result: np.ndarray[Any, np.dtype[np.int8]] = np.where(transparent[parent], marker[parent], 0).astype(np.int8)
        return result

    def is_plumbing(self, edge: int) -> bool:
        """Whether an internal edge explains nothing."""
        return self.graph.edge_label(edge) in _PLUMBING

    @cached_property
    def described(self) -> Described:
        """What nodes are called."""
        return Described(self)

    def class_of(self, node: int) -> str:
        """The class of a node, as answers name it."""
        return self.described.class_of(node)

    def function_of(self, node: int) -> str:
        """The function of a callback, with its location."""
        return self.described.function_of(node)

    @cached_property
    def elements(self) -> Bools:
        """Elements of documents and of detached trees."""
        return self.names(re.compile(r"(Detached )?<"), "native")

    @cached_property
    def detached_elements(self) -> Bools:
        """Elements that are in no document."""
        result: Bools = self.elements & (self.graph.detachedness == 2)
        return result

    @cached_property
    def attached_elements(self) -> Bools:
        """Elements that are in a document."""
        result: Bools = self.elements & (self.graph.detachedness == 1)
        return result

    def path(self, node: int) -> list[int]:
        """The edges from a root to a node."""
        edges: list[int] = []
        while (edge := int(self.parent_edge[node])) >= 0:
            edges.append(edge)
            node = int(self.edge_from[edge])
        return edges[::-1]
