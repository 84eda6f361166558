"""Who is to blame, on heaps small enough to see: not the browser for what it keeps for itself."""

import pytest

from gasoline_cdp.analysis.heap.leaks import find_leaks
from gasoline_cdp.analysis.heap.reported import Leak
from gasoline_cdp.analysis.heap.walk import ReadableHeap
from tests.heap_snapshots import Node, make_graph

pytestmark = pytest.mark.requirement("F10-MEMORY")

_ROUNDS = 4
_SHOWN = 1


def _leaks(holder: Node, rest: list[Node]) -> list[Leak]:
    """What leaks if a holder, the object after window and document, got as many objects as there were rounds."""

    def page(rounds: int) -> list[Node]:
        edges = [("element", index, 4 + index * len(rest)) for index in range(rounds)]
        window = Node("native", "Window / http://a", 8, [("element", 1, 2), ("element", 2, 3)], id=3)
        nodes = [
            Node("synthetic", "", 0, [("element", 1, 1)], id=1),
            window,
            Node("native", "HTMLDocument", 8, detachedness=_SHOWN, id=5),
            Node(holder.kind, holder.name, 8, edges, id=7),
        ]
        for turn in range(rounds):
            for offset, node in enumerate(rest):
                inner = [(kind, name, 4 + turn * len(rest) + to if to else 2) for kind, name, to in node.edges]
                number = 100 + 20 * turn + 2 * offset + 1
                nodes.append(Node(node.kind, node.name, 16, inner, node.detachedness, number))
        return nodes

    before = ReadableHeap(make_graph(page(0)))
    return find_leaks(before, make_graph(page(_ROUNDS)), rounds=_ROUNDS).leaks


def test_entries_of_the_timeline_are_the_browser_s_own() -> None:
    shift = Node("native", "LayoutShift", edges=[("element", 1, 1)])
    # A class that is used for the first time brings functions without any code of the page.
    first_used = Node("closure", "toJSON")
    assert _leaks(Node("native", "Performance"), [shift, first_used]) == []


def test_what_keeps_objects_of_the_page_is_not() -> None:
    mark = Node("native", "PerformanceMark", edges=[("element", 1, 1)])
    [leak] = _leaks(Node("native", "Performance"), [mark, Node("object", "Detail")])
    assert (leak.held_by, leak.what, leak.count) == ("window → Performance", "PerformanceMark", _ROUNDS)


def test_elements_of_a_document_that_was_only_parsed_belong_to_who_holds_them() -> None:
    article = Node("native", "<article>", edges=[("element", 1, 1)], detachedness=_SHOWN)
    parsed = Node("native", "HTMLDocument", detachedness=_SHOWN)
    [leak] = _leaks(Node("object", "Shelf"), [article, parsed])
    assert (leak.held_by, leak.what, leak.count) == ("window → Shelf", "<article>", _ROUNDS)
    # The same in the document of the window is shown.
    [shown] = _leaks(
        Node("object", "Shelf"), [Node("native", "<article>", edges=[("element", 1, 0)], detachedness=_SHOWN)]
    )
    assert (shown.kind, shown.held_by) == ("document", "document")
