"""Functions of minified code are called as they were written, or as the minifier calls them; never wrongly."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gasoline_cdp.analysis.sourcemaps.source_map import SourceMap, parse_source_map
from gasoline_cdp.analysis.sourcemaps.written_names import written_name
from tests.unit.analysis.sourcemaps.test_source_map import BASE, Segment, encode

pytestmark = pytest.mark.requirement("F2-SOURCEMAPS")


def _map(line: list[Segment], names: list[str]) -> SourceMap:
    whole = {"version": 3, "sources": ["a.ts"], "names": names, "mappings": encode([line])}
    return parse_source_map(json.dumps(whole).encode(), BASE)


SCRIPT = "var a=class{t(e){return n(e)}};function n(e){return e.map((t)=>r(t))}var r=async e=>{throw e},o=e=>i(e),i=1;"


def named(script: str) -> SourceMap:
    """A map that has a name for each letter that defines something, as minifiers write it."""
    names = {"a": "Cart", "t": "total", "n": "sum", "r": "priceOf", "o": "open"}
    places = {
        "a": script.find("a="),
        "t": script.find("t(e)"),
        "n": script.find("n(e){return e"),
        "r": script.find("r="),
    }
    places["o"] = script.find("o=e")
    segments = sorted((place, 0, 0, 0, list(names).index(name)) for name, place in places.items())
    rest = [(place + 1, 0, 0, 0) for place in places.values()]
    return _map(sorted([*segments, *rest]), list(names.values()))


@pytest.mark.parametrize(
    ("at", "function", "name"),
    [
        ("return n(e)}}", "t", "total"),
        ("return n(e)}}", "a.t", "Cart.total"),
        ("return n(e)}}", "new a", "new Cart"),
        ("e.map", "n", "sum"),
        ("e.map", "Object.n [as sum]", "Object.sum"),
        ("throw e", "r", "priceOf"),
        ("throw e", "async r", "async priceOf"),
        ("i(e)", "o", "open"),
        # Ended before our place: some other function has this name.
        ("throw e", "n", "n"),
        ("i=1", "o", "o"),
        ("e.map", "", ""),
        ("e.map", "<anonymous>", "<anonymous>"),
        ("e.map", "not here", "not here"),
    ],
)
def test_functions_are_called_as_they_were_written(at: str, function: str, name: str) -> None:
    assert written_name(SCRIPT, named(SCRIPT), 1, SCRIPT.find(at) + 1, function) == name


def test_a_place_outside_of_the_script_keeps_its_function() -> None:
    for line, column in ((1, 10_000), (7, 1), (0, 0)):
        assert written_name(SCRIPT, named(SCRIPT), line, column, "t") == "t"


@settings(max_examples=300)
@given(st.text(alphabet="ab=(){};,>\n \"'functionclass", max_size=300), st.integers(1, 5), st.integers(1, 80))
def test_functions_are_looked_for_in_any_text(script: str, line: int, column: int) -> None:
    assert written_name(script, _map([(0, 0, 0, 0, 0)], ["name0"]), line, column, "a") in ("a", "name0")


def test_looking_for_functions_takes_time_linear_in_the_script() -> None:
    nested = "function a{" * 9_000 + "}" * 9_000
    for text in (
        nested,
        "a=(" * 60_000,
        "function a" * 20_000,
        "a=async " * 25_000,
        "a(" + "b," * 100_000,
        "{" * 200_000,
    ):
        started = time.process_time()
        written_name(text, _map([], []), 1, len(text), "a")
        assert time.process_time() - started < 5
