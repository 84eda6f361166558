"""A heap in a few numbers, and one object with what holds it."""

import pytest

from gasoline_cdp.analysis.heap.summary import explain, summarise
from tests.heap_snapshots import Node, make_graph

pytestmark = pytest.mark.requirement("F10-FILES")


def test_a_summary_adds_up_and_a_path_leads_from_the_root() -> None:
    graph = make_graph(
        [
            Node("synthetic", "", 0, [("element", 1, 1)]),
            Node("object", "Window", 4, [("property", "cache", 2), ("weak", "w", 4)]),
            Node("object", "Map", 8, [("internal", "table", 3)]),
            Node("native", "<li>", 16, detachedness=2),
            Node("string", "text", 32),
        ]
    )
    summary = summarise(graph)
    assert (summary.size, summary.native_size, summary.string_size, summary.detached_elements) == (60, 16, 32, 1)
    assert summary.classes[0].name == "(string)"
    details = explain(graph, 3)
    assert details.detached
    assert [(step.edge, step.name) for step in details.path] == [
        ("1", "Window"), ("cache", "Map"), ("table", "Detached <li>")
    ]  # fmt: skip
    assert [step.name for step in details.dominators] == ["Map", "Window"]
    assert explain(graph, 4).path == []
