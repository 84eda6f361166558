"""Captured variables: read by a closure that lives, or by none."""

import pytest

from gasoline_cdp.analysis.heap.closures import unused_variables
from gasoline_cdp.analysis.heap.header import HeapFormatError
from tests.heap_snapshots import Node, make_graph

pytestmark = pytest.mark.requirement("F10-EXACT")

# A function `make` (scope 1) with the variables big and small; of the closures inside it, only that of scope 3 lives.
_NODES = [
    Node("synthetic", "", 0, [("element", 1, 2), ("element", 2, 8)]),
    Node("code", "system / ScopeInfo", 1, [("internal", "scope_id", 5)]),
    Node("closure", "reader", 1, [("internal", "shared", 3), ("internal", "context", 4)]),
    Node("code", "system / SharedFunctionInfo", 1, [("internal", "script", 8), ("internal", "scope_id", 6)]),
    Node("object", "system / Context", 1,
         [("internal", "scope_info", 1), ("context", "big", 7), ("context", "small", 7)]),
    Node("number", "int", 0, [("internal", "value", 9)]),
    Node("number", "int", 0, [("internal", "value", 10)]),
    Node("string", "large", 100),
    Node("code", "system / Script / app.js", 1, [("internal", "infos", 11)]),
    Node("string", "1", 0),
    Node("string", "3", 0),
    Node("array", "", 1, [("element", 0, 1)]),
]  # fmt: skip
_SCRIPT = 8 * 6
_NAMES = ("big", "small")


def _scopes(uses: list[int]) -> dict[str, list[int]]:
    rows = [_SCRIPT, 0, 0, 0, 0, _SCRIPT, 1, 1, 2, 0, _SCRIPT, 2, 2, 0, 1, _SCRIPT, 3, 2, 0, 1]
    return {"scopes": rows, "scope_context_vars": [0, 1], "scope_uses": uses}


def test_a_variable_that_only_a_dead_function_names_is_unused() -> None:
    graph = make_graph(_NODES, scopes=_scopes([1, 0, 1, 1]), names=_NAMES)
    (finding,) = unused_variables(graph)
    assert finding.script == "app.js"
    assert [(one.name, one.context, one.value) for one in finding.variables] == [("big", 4, 7)]
    assert finding.retained_size == 100


def test_a_variable_that_a_live_function_names_is_used() -> None:
    graph = make_graph(_NODES, scopes=_scopes([1, 1, 1, 0]), names=_NAMES)
    assert [one.name for finding in unused_variables(graph) for one in finding.variables] == ["small"]


def test_tables_that_do_not_fit_are_refused_and_none_mean_nothing() -> None:
    assert unused_variables(make_graph(_NODES)) == []
    with pytest.raises(HeapFormatError, match="fewer rows"):
        unused_variables(make_graph(_NODES, scopes=_scopes([1, 0]), names=_NAMES))
