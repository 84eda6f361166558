"""Counts of functions and of their parts, as V8 sends them."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gasoline_cdp.analysis.coverage.counts import Range, ScriptCounts, parts_of, read_counts


def reply(*functions: tuple[str, list[Range]], url: str = "http://x/a.js", by_block: bool = True) -> dict[str, Any]:
    """As Profiler.takePreciseCoverage sends it."""
    listed = [
        {
            "functionName": name,
            "isBlockCoverage": by_block,
            "ranges": [{"startOffset": start, "endOffset": end, "count": count} for start, end, count in ranges],
        }
        for name, ranges in functions
    ]
    return {"result": [{"scriptId": "5", "url": url, "functions": listed}]}


def counted(*functions: tuple[str, list[Range]]) -> ScriptCounts:
    [script] = read_counts(reply(*functions))
    return script


def test_blocks_are_parts_of_their_function() -> None:
    script = counted(("add", [(10, 50, 3), (20, 30, 0), (35, 50, 1)]))
    [function] = script.functions.values()
    assert function.count == 3
    assert function.parts == ((10, 3), (20, 0), (30, 3), (35, 1))
    assert list(function.ranges()) == [(10, 20, 3), (20, 30, 0), (30, 35, 3), (35, 50, 1)]


def test_counts_add_up_also_of_other_parts() -> None:
    script = counted(("add", [(0, 10, 1), (4, 6, 0)]))
    script.add(counted(("add", [(0, 10, 2), (5, 10, 0)]), ("late", [(3, 4, 7)])), room=10)
    assert script.functions[0, 10].parts == ((0, 3), (4, 2), (5, 0), (6, 1))
    assert script.functions[0, 10].count == 3
    assert script.functions[3, 4].count == 7


def test_there_is_room_for_so_many() -> None:
    script = counted(("a", [(0, 9, 1)]))
    assert script.add(counted(("a", [(0, 9, 1)]), ("b", [(1, 2, 1)]), ("c", [(3, 4, 1)])), room=1) == 1
    assert [function.name for function in script.functions.values()] == ["a", "b"]


def test_what_was_used() -> None:
    script = counted(("", [(0, 100, 1)]), ("unused", [(10, 40, 0)]), ("used", [(50, 90, 2), (60, 70, 0)]))
    assert script.used() == 100 - 30 - 10
    assert ScriptCounts("1", "http://x/b.js").used() == 0


def test_code_without_an_address_is_not_the_page_s() -> None:
    assert list(read_counts(reply(("f", [(0, 1, 1)]), url=""))) == []
    assert list(read_counts({})) == []


@st.composite
def nested(draw: st.DrawFn, start: int = 0, end: int = 40) -> list[Range]:
    """Ranges inside of each other, the outer before the inner."""
    ranges = [(start, end, draw(st.integers(0, 3)))]
    at = start
    while at < end - 1 and draw(st.booleans()):
        inner = draw(st.integers(at, end - 1))
        until = draw(st.integers(inner + 1, end))
        if (inner, until) != (start, end):
            ranges += draw(nested(inner, until))
        at = until
    return ranges


@given(nested())
def test_the_innermost_range_counts(ranges: list[Range]) -> None:
    parts = dict(parts_of(ranges))
    current = -1
    for offset in range(40):
        current = parts.get(offset, current)
        [*_, innermost] = [count for start, end, count in ranges if start <= offset < end]
        assert current == innermost
