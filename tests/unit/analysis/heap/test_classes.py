"""Classes: by constructor, place, tag and shape; what each retains; what changed."""

import pytest

from gasoline_cdp.analysis.heap.classes import aggregates, compare, inventory
from gasoline_cdp.analysis.heap.engines import Engine
from tests.heap_snapshots import ENGINES, Node, make_graph

pytestmark = [
    pytest.mark.requirement("F10-EXACT"),
    pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name),
]


def _point(*names: str) -> Node:
    return Node("object", "Object", 8, [("property", name, 0) for name in names])


def test_names_are_devtools_own(engine: Engine) -> None:
    nodes = [
        Node("synthetic", "", 0),
        Node("object", "User", 8),
        Node("object", "User", 8),
        Node("native", "<div class='a b'>", 8),
        Node("native", "<div>", 8),
        Node("native", "<div id=x>", 8, detachedness=2),
        Node("closure", "f", 8),
        Node("regexp", "r", 8),
        Node("code", "c", 8),
        Node("hidden", "h", 8),
        Node("string", "s", 8),
        Node("string", "no size", 0),
        *[_point("x", "y")] * 2,
        _point("y", "x", "z"),
        _point("only once"),
    ]
    graph = make_graph(nodes, engine, locations=[(2, 7, 1, 2)])
    found = {one.key: one.count for one in aggregates(graph)}
    assert found == {
        ",User": 1, "7,1,2,User": 1, ",<div>": 2, ",Detached <div>": 1, ",Function": 1, ",RegExp": 1,
        ",(compiled code)": 1, ",(system)": 1, ",(string)": 1, ",{x, y}": 3, ",Object": 1,
    }  # fmt: skip


def test_objects_of_a_class_inside_each_other_count_once(engine: Engine) -> None:
    nodes = [
        Node("synthetic", "", 0, [("element", 1, 1)]),
        Node("object", "List", 1, [("property", "next", 2)]),
        Node("object", "Item", 2, [("property", "list", 3)]),
        Node("object", "List", 4),
    ]
    totals = {one.name: one for one in aggregates(make_graph(nodes, engine))}
    assert (totals["List"].count, totals["List"].self_size, totals["List"].retained_size) == (2, 5, 7)
    assert totals["Item"].retained_size == 6


def test_a_comparison_goes_by_id_and_by_the_later_shapes(engine: Engine) -> None:
    def heap(*ids: int, shape: tuple[str, ...] = ("a",)) -> list[Node]:
        made = [Node("object", "Object", 8, [("property", name, 0) for name in shape], id=number) for number in ids]
        return [Node("synthetic", "", 0, id=1), *made]

    before, after = make_graph(heap(3, 5), engine), make_graph(heap(5, 7, 9), engine)
    for base in (before, inventory(before)):
        (change,) = compare(base, after)
        assert (change.name, change.added, change.removed, change.size_delta) == ("{a}", 2, 1, 8)
    # Alone it would be an Object; it is compared as what the later snapshot calls it.
    (change,) = compare(make_graph(heap(3), engine), make_graph(heap(3, 5), engine))
    assert (change.name, change.added, change.removed) == ("{a}", 1, 0)
