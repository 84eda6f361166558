"""The rules of DevTools, one by one, on heaps small enough to see."""

import time

import pytest

from gasoline_cdp.analysis.heap.engines import Engine
from gasoline_cdp.analysis.heap.graph import ATTACHED, DETACHED, NO_DISTANCE, SYSTEM_DISTANCE, HeapGraph
from tests.heap_snapshots import ENGINES, Node, make_graph

pytestmark = [
    pytest.mark.requirement("F10-EXACT"),
    pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name),
]


def test_what_two_ways_lead_to_is_dominated_where_they_part(engine: Engine) -> None:
    graph = make_graph(
        [
            Node("synthetic", "", 0, [("element", 1, 1)]),
            Node("synthetic", "top", 1, [("element", 1, 2), ("element", 2, 3)]),
            Node("synthetic", "left", 2, [("internal", "x", 4)]),
            Node("synthetic", "right", 4, [("internal", "y", 4), ("weak", "z", 5)]),
            Node("synthetic", "both", 8, [("internal", "self", 4)]),
            Node("synthetic", "only weakly", 16),
        ],
        engine,
    )
    assert graph.dominator.tolist() == [0, 0, 1, 1, 1, 0]
    assert graph.retained_size.tolist() == [31, 15, 2, 4, 8, 16]
    assert graph.distance.tolist() == [0, 1, 2, 2, 3, NO_DISTANCE]
    assert [graph.retainer_from[slot] for slot in range(graph.first_retainer[4], graph.first_retainer[5])] == [4, 3, 2]


def test_a_weak_map_s_value_lives_by_its_key_and_is_as_far_as_both(engine: Engine) -> None:
    name = " / part of key (K @5) -> value (V @9) pair in WeakMap (table @7)"
    graph = make_graph(
        [
            Node("synthetic", "", 0, [("element", 1, 1), ("element", 2, 3)]),
            Node("synthetic", "far", 0, [("element", 1, 2)]),
            Node("synthetic", "K", 1, [("internal", "1" + name, 4)], id=5),
            Node("synthetic", "table", 1, [("internal", "2" + name, 4)], id=7),
            Node("synthetic", "V", 1, id=9),
        ],
        engine,
    )
    assert graph.dominator[4] == 2
    assert graph.distance.tolist() == [0, 1, 2, 1, 3]


def test_being_detached_spreads_through_native_objects_but_never_over_attached_ones(engine: Engine) -> None:
    graph = make_graph(
        [
            Node("synthetic", "", 0, [("element", 1, 1), ("element", 2, 3)]),
            Node("native", "<div id=a>", 1, [("internal", "c", 2), ("internal", "d", 4)], detachedness=DETACHED),
            Node("native", "Text", 1, [("internal", "e", 5)]),
            Node("native", "<p>", 1, [("internal", "c", 4)], detachedness=ATTACHED),
            Node("native", "Shared", 1),
            Node("object", "Wrapper", 1, [("internal", "f", 6)]),
            Node("native", "Behind it", 1),
        ],
        engine,
    )
    assert graph.detachedness.tolist() == [0, DETACHED, DETACHED, ATTACHED, ATTACHED, 0, 0]
    assert [graph.name(node) for node in (1, 2, 4)] == ["Detached <div id=a>", "Detached Text", "Shared"]
    old = make_graph([Node("synthetic", "", 0, [("element", 1, 1)]), Node("native", "Detached X", 1)], engine,
                     detachedness=False)  # fmt: skip
    assert old.detachedness.tolist() == [0, DETACHED]
    assert old.name(1) == "Detached X"


def test_where_the_page_has_roots_arrays_count_for_their_owner(engine: Engine) -> None:
    graph = make_graph(
        [
            Node("synthetic", "", 0, [("element", 1, 1), ("shortcut", "w", 2)]),
            Node("synthetic", "(GC roots)", 0, [("element", 1, 4)]),
            Node("object", "Window", 10, [("property", "a", 3), ("internal", "x", 5)]),
            Node("object", "A", 20, [("internal", "elements", 4), ("internal", "y", 5)]),
            Node("array", "", 40),
            Node("hidden", "shared", 80, [("internal", "below", 6)]),
            Node("array", "deeper", 7),
        ],
        engine,
    )
    # The array has two owners, a root among them; so has what Window and A share, and what is below it.
    assert graph.self_size.tolist() == [0, 0, 10, 20, 40, 80, 7]
    assert graph.distance.tolist()[:4] == [SYSTEM_DISTANCE, SYSTEM_DISTANCE + 1, 1, 2]
    owned = make_graph(
        [Node("synthetic", "", 0, [("shortcut", "w", 1)]), Node("object", "W", 1, [("internal", "e", 2)]),
         Node("array", "", 5, [("internal", "more", 3)]), Node("hidden", "", 6)],
        engine,
    )  # fmt: skip
    assert owned.self_size.tolist() == [0, 12, 0, 0]


def test_ids_and_places_lead_to_nodes_and_back(engine: Engine) -> None:
    nodes = [Node("synthetic", "", id=9), Node("object", "A", 4, id=3), Node("closure", "f", 4, id=2**32 - 1)]
    graph = make_graph(nodes, engine, locations=[(2, 7, 1, 2), (1, 7, 0, 5), (1, 8, 3, 4)])
    assert [graph.ordinal(number) for number in (9, 3, 2**32 - 1, 4)] == [0, 1, 2, None]
    assert graph.location(1) == (8, 3, 4)
    assert graph.location(2) == (7, 1, 2)
    assert graph.location(0) is None
    assert graph.engine == engine.name


def _list_with_values(items: int) -> list[Node]:
    """A linked list. Each item holds a value, and an array, which is met after the list, holds all values."""
    values = range(2 + items, 2 + 2 * items)
    return [
        Node("synthetic", "", 0, [("element", 1, 2), ("element", 2, 1)]),
        Node("object", "Array", 1, [("element", index, value) for index, value in enumerate(values)]),
        *(
            Node("object", "Item", 1, [("property", "next", min(3 + index, 1 + items)), ("property", "value", value)])
            for index, value in enumerate(values)
        ),
        *(Node("object", "Value", 1) for _ in values),
    ]


def test_dominators_of_a_long_list_take_linear_time(engine: Engine) -> None:
    few, many = make_graph(_list_with_values(3000), engine), make_graph(_list_with_values(24000), engine)

    def cpu(graph: HeapGraph) -> float:
        begun = time.process_time()
        engine.find_dominators(graph.columns, graph.essential, graph.self_size)
        return time.process_time() - begun

    # Eight times as many: eight times as long, and not 64 times.
    assert min(cpu(many) for _ in range(3)) < 30 * min(cpu(few) for _ in range(5))
    assert set(many.dominator[-24000:].tolist()) == {many.root}
