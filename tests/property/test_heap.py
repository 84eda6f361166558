"""Heaps of chance: both engines agree, with each other and with the definitions, and damaged files are refused."""

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gasoline_cdp.analysis.heap.classes import aggregates, compare
from gasoline_cdp.analysis.heap.columns import Columns
from gasoline_cdp.analysis.heap.engines import Engine
from gasoline_cdp.analysis.heap.graph import NO_DISTANCE, HeapGraph
from gasoline_cdp.analysis.heap.header import HeapFormatError
from gasoline_cdp.analysis.heap.reader import SnapshotReader
from gasoline_cdp.analysis.heap.strings import duplicate_strings
from tests.heap_snapshots import EDGE_TYPES, ENGINES, NODE_TYPES, Node, make_graph, read_snapshot, write_snapshot

# Each reads some heaps with two engines, of which one is slow.
_EXAMPLES = 25
_ARRAYS = ("self_size", "detachedness", "distance", "dominator", "retained_size", "retainer_edge", "retainer_from")
_NAMES = ("", "a", "b", "Object", "<div class='x'>", "<div>", "Detached x", "__proto__", "system / NativeContext",
          "(map descriptors)", "(Document DOM trees)", "4", "first", "second", "é\n", "\ud800")  # fmt: skip
_ENTRY = "{} / part of key (K{} @1) -> value (V @{}) pair in WeakMap (table @{})"
_NAME = st.sampled_from(_NAMES) | st.builds(
    _ENTRY.format,
    st.integers(0, 3),
    st.sampled_from(["", "\n", " @1) -> value ("]),
    st.integers(0, 3),
    st.integers(0, 9),
)


@st.composite
def _nodes(draw: Callable[[Any], Any]) -> list[Node]:
    count = draw(st.integers(1, 12))

    def edge() -> tuple[str, str | int, int]:
        kind = draw(st.sampled_from(EDGE_TYPES))
        name = draw(st.integers(0, 9)) if kind in {"element", "hidden"} else draw(_NAME)
        return kind, name, draw(st.integers(0, count - 1))

    return [
        Node(
            kind=draw(st.sampled_from(NODE_TYPES)),
            name=draw(_NAME),
            size=draw(st.integers(0, 3)),
            detachedness=draw(st.sampled_from([0, 0, 0, 1, 2])),
            edges=[edge() for _ in range(draw(st.integers(0, 5)))],
        )
        for _ in range(count)
    ]


def _everything(graph: HeapGraph) -> dict[str, Any]:
    said: dict[str, Any] = {name: getattr(graph, name).tolist() for name in _ARRAYS}
    said["classes"] = sorted(aggregates(graph), key=lambda one: one.key)
    said["names"] = [graph.name(node) for node in range(len(graph))]
    said["strings"] = duplicate_strings(graph)
    return said


@settings(max_examples=_EXAMPLES)
@given(nodes=_nodes(), detachedness=st.booleans(), piece=st.integers(1, 200))
def test_both_engines_say_the_same_however_the_text_is_cut(nodes: list[Node], detachedness: bool, piece: int) -> None:
    text = write_snapshot(nodes, detachedness=detachedness)
    said = [_everything(read_snapshot(text, engine, piece=piece)) for engine in ENGINES]
    assert said[0] == said[-1] == _everything(read_snapshot(text))


@settings(max_examples=_EXAMPLES)
@given(before=_nodes(), after=_nodes())
def test_both_engines_compare_alike(before: list[Node], after: list[Node]) -> None:
    graphs = [(make_graph(before, engine), make_graph(after, engine)) for engine in ENGINES]
    changes = [compare(*pair) for pair in graphs]
    assert changes[0] == changes[-1]
    first, second = graphs[0]
    objects = np.count_nonzero(second.self_size) - np.count_nonzero(first.self_size)
    assert sum(change.count_delta for change in changes[0]) == objects
    assert compare(second, second) == []


def _essential(graph: HeapGraph) -> list[list[int]]:
    bits = np.unpackbits(graph.essential, bitorder="little")
    return [[int(graph.edge_to[edge]) for edge in graph.edges(node) if bits[edge]] for node in range(len(graph))]


def _reached(leads: list[list[int]], start: int, without: int | None = None) -> set[int]:
    seen = {start} - {without}
    todo = deque(seen)
    while todo:
        for to in leads[todo.popleft()]:
            if to not in seen and to != without:
                seen.add(to)
                todo.append(to)
    return seen


@settings(max_examples=_EXAMPLES)
@given(nodes=_nodes(), engine=st.sampled_from(ENGINES))
def test_a_dominator_is_what_every_way_from_the_root_passes(nodes: list[Node], engine: Engine) -> None:
    graph = make_graph(nodes, engine)
    leads = _essential(graph)
    held = {to for targets in leads for to in targets}
    leads[graph.root] = [*leads[graph.root], *(node for node in range(len(graph)) if node not in held)]
    alive = _reached(leads, graph.root)
    lost = {node: alive - _reached(leads, graph.root, without=node) for node in alive}
    for node in range(len(graph)):
        if node not in alive or node == graph.root:
            assert graph.dominator[node] == graph.root
            continue
        above = [other for other in alive if other != node and node in lost[other]]
        # The nearest: the one that all others dominate.
        nearest = [one for one in above if all(one in lost[other] for other in above)]
        assert [graph.dominator[node]] == nearest
        assert graph.retained_size[node] == sum(int(graph.self_size[one]) for one in lost[node])
    assert graph.retained_size[graph.root] == graph.self_size.sum(dtype=np.int64)


@settings(max_examples=_EXAMPLES)
@given(nodes=_nodes(), engine=st.sampled_from(ENGINES))
def test_a_distance_is_the_length_of_the_shortest_way(nodes: list[Node], engine: Engine) -> None:
    # Without names, which have rules of their own; and synthetic, so that none is a root of the page.
    plain = [
        Node(
            "synthetic",
            "",
            edges=[(kind, 1 if kind in {"element", "hidden"} else "x", to) for kind, _, to in one.edges],
        )
        for one in nodes
    ]
    graph = make_graph(plain, engine)
    weak = EDGE_TYPES.index("weak")
    expected = {0: 0}
    todo = deque([0])
    while todo:
        here = todo.popleft()
        for edge in graph.edges(here):
            to = int(graph.edge_to[edge])
            if graph.edge_type[edge] != weak and to not in expected:
                expected[to] = expected[here] + 1
                todo.append(to)
    assert graph.distance.tolist() == [expected.get(node, NO_DISTANCE) for node in range(len(graph))]


def _read(engine: Engine, text: bytes, piece: int) -> Columns | str:
    reader = SnapshotReader(engine)
    try:
        for at in range(0, len(text), piece):
            reader.feed(text[at : at + piece])
        return reader.finish()
    except HeapFormatError:
        return "refused"


_DAMAGE = st.sampled_from(
    b"@0@-@-1@99999999999999999999@4294967296@,@]@[@\"@\\@\\q@\\u12@\xff@}@ @\n@\x00@1.5@1e3@null@'a'".split(b"@")
)


@settings(max_examples=_EXAMPLES)
@given(
    nodes=_nodes(),
    damages=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 8), _DAMAGE), min_size=1, max_size=3),
    piece=st.sampled_from([7, 1000, 1 << 20]),
)
def test_a_damaged_file_is_refused_by_both_or_read_alike(
    nodes: list[Node], damages: list[tuple[float, int, bytes]], piece: int
) -> None:
    text = write_snapshot(nodes)
    for place, removed, put in damages:
        at = int(place * len(text))
        text = text[:at] + put + text[at + removed :]
    said = [_read(engine, text, piece) for engine in ENGINES]
    if "refused" in said:
        assert set(map(str, said)) == {"refused"}
        return
    for columns in said:
        assert isinstance(columns, Columns)
    first, last = (_everything(HeapGraph(columns)) for columns in (said[0], said[-1]) if isinstance(columns, Columns))
    assert first == last


@settings(max_examples=_EXAMPLES)
@given(nodes=_nodes(), place=st.floats(0, 1), engine=st.sampled_from(ENGINES))
def test_a_file_that_was_cut_short_is_never_taken_for_whole(nodes: list[Node], place: float, engine: Engine) -> None:
    text = write_snapshot(nodes)
    with pytest.raises(HeapFormatError, match=r"cut short|is empty"):
        read_snapshot(text[: int(place * (len(text) - 1))], engine)
