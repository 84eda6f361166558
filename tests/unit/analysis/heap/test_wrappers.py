"""Objects of Blink that got a new wrapper, and with it a new id, are the same ones."""

import pytest

from gasoline_cdp.analysis.heap.leaks import find_leaks
from gasoline_cdp.analysis.heap.walk import ReadableHeap
from gasoline_cdp.analysis.heap.wrappers import match_rewrapped
from tests.heap_snapshots import Node, make_graph

pytestmark = pytest.mark.requirement("F10-MEMORY")

_FONTS = "FontFaceSet"


def _page(fonts: int, faces: list[int], *, boxes: tuple[int, ...] = (11, 13)) -> ReadableHeap:
    """A window with a set of fonts, and two lists that hold a box each; ids are given."""
    edges = [("element", index, 6 + index) for index in range(len(faces))]
    return ReadableHeap(
        make_graph(
            [
                Node("synthetic", "", 0, [("element", 1, 1)], id=1),
                Node("native", "Window / http://a", 8, [("element", 1, 2), ("element", 2, 3), ("element", 3, 4)], id=3),
                Node("native", _FONTS, 8, edges, id=fonts),
                Node("native", "NodeList", 8, [("element", 1, 5)], id=7),
                Node("native", "DOMRectList", 8, [("element", 1, len(faces) + 6)] if len(boxes) > 1 else [], id=9),
                Node("native", "Box", 8, id=boxes[0]),
                *(Node("native", "FontFace", 40, id=face) for face in faces),
                *(Node("native", "Box", 8, id=box) for box in boxes[1:]),
            ]
        )
    )


def _names(before: ReadableHeap, now: ReadableHeap) -> list[tuple[str, int, int]]:
    _ = before.parent_edge, now.parent_edge
    same = match_rewrapped(before, before.not_in(now.graph), now, now.not_in(before.graph))
    return sorted(
        (now.graph.names.raw(node), int(before.graph.node_id[old]), int(now.graph.node_id[node]))
        for node, old in same.items()
    )


def test_the_only_one_of_its_name_is_the_same() -> None:
    assert _names(_page(5, []), _page(105, [])) == [(_FONTS, 5, 105)]


def test_one_of_several_is_the_same_if_the_same_object_holds_it() -> None:
    before, now = _page(5, []), _page(5, [], boxes=(111, 113))
    assert _names(before, now) == [("Box", 11, 111), ("Box", 13, 113)]


def test_items_of_a_list_are_not_taken_for_each_other() -> None:
    assert _names(_page(5, [21, 23]), _page(5, [25, 27])) == []


def test_what_hangs_below_it_is_found_below_it() -> None:
    before, now = _page(5, []), _page(105, [31, 33, 35, 37])
    [leak] = find_leaks(before, now.graph, rounds=4).leaks
    assert (leak.held_by, leak.what, leak.count) == (f"window → {_FONTS}", "FontFace", 4)
    # Nothing more hangs there: a new wrapper alone is no finding.
    assert find_leaks(_page(5, [31]), _page(105, [31]).graph, rounds=1).leaks == []
