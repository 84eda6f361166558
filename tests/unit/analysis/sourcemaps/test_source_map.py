"""Source maps: what they say of a place, and that nothing served as one does any harm."""

import json
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gasoline_cdp import limits
from gasoline_cdp.analysis.sourcemaps.source_map import (
    BadSourceMap,
    Original,
    SourceMap,
    evaluated_map,
    inline_map,
    mapping_url,
    parse_source_map,
    source_name,
)

pytestmark = pytest.mark.requirement("F2-SOURCEMAPS")

BASE = "http://app.test/dist/app.js.map"
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

# A segment: its generated column, and (source, line, column) or (source, line, column, name) there; all from 0.
Segment = tuple[int, ...]


def vlq(number: int) -> str:
    rest = (-number << 1) | 1 if number < 0 else number << 1
    text = ""
    while True:
        rest, digit = rest >> 5, rest & 31
        text += DIGITS[digit | 32 if rest else digit]
        if not rest:
            return text


def encode(lines: list[list[Segment]]) -> str:
    """Mappings, written by another hand than the one that reads them."""
    state = [0, 0, 0, 0, 0]
    texts = []
    for line in lines:
        state[0] = 0
        segments = []
        for segment in line:
            segments.append("".join(vlq(value - before) for value, before in zip(segment, state, strict=False)))
            state[: len(segment)] = segment
        texts.append(",".join(segments))
    return ";".join(texts)


def made(lines: list[list[Segment]], **changes: Any) -> dict[str, Any]:
    sources = [f"../src/{number}.ts" for number in range(5)]
    names = [f"name{number}" for number in range(5)]
    return {"version": 3, "sources": sources, "names": names, "mappings": encode(lines), **changes}


def parse(whole: Any, base: str = BASE) -> SourceMap:
    return parse_source_map(json.dumps(whole).encode(), base)


def test_a_place_is_found_by_the_segment_at_or_before_it() -> None:
    found = parse(made([[(0, 0, 10, 4), (8, 1, 20, 0, 3), (12,)], [], [(5, 0, 11, 2)]])).find
    assert found(1, 1) == found(1, 8) == Original("src/0.ts", 11, 5, "")
    assert found(1, 9) == found(1, 12) == Original("src/1.ts", 21, 1, "name3")
    # Nobody wrote what stands there; and another line is another matter.
    assert found(1, 13) is found(1, 10_000) is None
    assert found(2, 1) is found(3, 5) is None
    assert found(3, 6) == Original("src/0.ts", 12, 3, "")
    assert found(4, 1) is found(0, 0) is found(-1, 5) is found(2**40, 1) is found(1, 2**40) is None


@pytest.mark.parametrize("name", ["ignoreList", "x_google_ignoreList"])
def test_a_map_says_which_sources_are_libraries(name: str) -> None:
    found = parse(made([[(0, 0, 10, 4), (8, 1, 20, 0)]], **{name: [1, "x", None]})).find
    assert [place and place.ignored for place in (found(1, 1), found(1, 9))] == [False, True]


LINES = st.lists(
    st.lists(
        st.tuples(st.integers(0, 3000))
        | st.tuples(st.integers(0, 3000), st.integers(0, 4), st.integers(0, 10**6), st.integers(0, 10**6))
        | st.tuples(
            st.integers(0, 3000), st.integers(0, 4), st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 4)
        ),
        max_size=8,
        unique_by=lambda segment: segment[0],
    ),
    max_size=6,
)


@given(LINES, st.lists(st.tuples(st.integers(0, 7), st.integers(0, 3100)), max_size=20))
def test_any_map_is_read_as_it_was_written(lines: list[list[Segment]], places: list[tuple[int, int]]) -> None:
    # Also with the segments of a line in no order.
    found = parse(made(lines))
    for line, column in places:
        before = [segment for segment in (lines[line] if line < len(lines) else []) if segment[0] <= column]
        segment = max(before, default=(0,))
        expected = None
        if len(segment) > 1:
            name = f"name{segment[4]}" if len(segment) == 5 else ""
            expected = Original(f"src/{segment[1]}.ts", segment[2] + 1, segment[3] + 1, name)
        assert found.find(line + 1, column + 1) == expected


def test_sections_begin_at_their_offsets_in_any_order() -> None:
    first, second = made([[(0, 0, 0, 0)]]), made([[(2, 1, 5, 5, 1)], [(0, 2, 6, 6)]], sources=["a.ts", "b.ts", "c.ts"])
    sections = [
        {"offset": {"line": 3, "column": 100}, "map": second},
        {"offset": {"line": 0, "column": 0}, "map": first},
    ]
    found = parse({"version": 3, "sections": sections}).find
    assert found(1, 1) == Original("src/0.ts", 1, 1, "")
    assert found(4, 102) is None
    assert found(4, 103) == Original("dist/b.ts", 6, 6, "name1")
    # The column counts for the first line of a section only.
    assert found(5, 1) == Original("dist/c.ts", 7, 7, "")


def test_what_servers_put_before_json_is_skipped() -> None:
    raw = b")]}'\n" + json.dumps(made([[(0, 0, 0, 0)]])).encode()
    assert parse_source_map(raw, BASE).find(1, 1) == Original("src/0.ts", 1, 1, "")


@pytest.mark.parametrize(
    ("source", "root", "base", "name"),
    [
        ("../src/cart.ts", "", BASE, "src/cart.ts"),
        ("cart.ts", "/src/", BASE, "src/cart.ts"),
        ("cart.ts", "../src", BASE, "src/cart.ts"),
        ("/src/cart.ts", "ignored", BASE, "src/cart.ts"),
        ("../../../../cart.ts", "", BASE, "cart.ts"),
        ("Cart.vue?vue&type=script", "", "http://app.test/src/Cart.vue", "src/Cart.vue"),
        ("http://app.test/src/cart.ts", "", BASE, "src/cart.ts"),
        ("https://cdn.test/lib.ts", "", BASE, "https://cdn.test/lib.ts"),
        ("webpack://shop/./src/cart.ts?1a2b", "", BASE, "src/cart.ts"),
        ("webpack:///../node_modules/react/index.js", "", BASE, "../node_modules/react/index.js"),
        ("./src/cart.ts", "webpack://shop", BASE, "src/cart.ts"),
        ("turbopack:///[project]/src/app/page.tsx", "", BASE, "src/app/page.tsx"),
        ("webpack://shop", "", BASE, "webpack://shop"),
        ("file:///projects/shop/src/cart.ts", "", BASE, "/projects/shop/src/cart.ts"),
        ("../src/cart.ts", "", "file:///projects/shop/dist/app.js", "/projects/shop/src/cart.ts"),
        ("C:/shop/src/cart.ts", "", BASE, "C:/shop/src/cart.ts"),
        ("http://[broken", "", BASE, "http://[broken"),
        ("cart.ts", "", "http://[broken", "cart.ts"),
    ],
)
def test_sources_are_called_by_their_path(source: str, root: str, base: str, name: str) -> None:
    assert source_name(source, root, base) == name


@pytest.mark.parametrize("source", [None, "", 7])
def test_a_place_in_no_source_was_written_by_nobody(source: object) -> None:
    assert parse(made([[(0, 0, 0, 0)]], sources=[source])).find(1, 1) is None
    assert parse(made([[(0, 4, 0, 0, 4)]], sources=["a.ts"], names=["a"])).find(1, 1) is None


BAD: dict[str, Any] = {
    "nothing": b"",
    "no JSON": b"{",
    "no object": [],
    "no version": {"mappings": "", "sources": []},
    "another version": made([], version=2),
    "no mappings": {"version": 3, "sources": []},
    "mappings of another kind": made([], mappings=["AAAA"]),
    "sources of another kind": made([], sources="a.ts"),
    "names of another kind": made([], names={"a": 1}),
    "no base 64": made([], mappings="AA!A"),
    "no ASCII": made([], mappings="AAAÄ"),
    "an unfinished number": made([], mappings="AAAg"),
    "an endless number": made([], mappings="gggggggggggggggggggggA"),
    "two fields": made([], mappings="AA"),
    "six fields": made([], mappings="AAAAAA"),
    "an empty segment": made([], mappings="AAAA,,AAAA"),
    "before the line": made([], mappings="DAAA"),
    "before the line, later": made([], mappings=";DAAA"),
    "before the first source": made([], mappings="ADAA"),
    "before the first line": made([], mappings="AADA"),
    "before the first column": made([], mappings="AAAD"),
    "before the first name": made([], mappings="AAAAF"),
    "a section without map": {"version": 3, "sections": [{"offset": {"line": 0, "column": 0}}]},
    "a section without offset": {"version": 3, "sections": [{"map": made([])}]},
    "a section before all": {"version": 3, "sections": [{"map": made([]), "offset": {"line": -1, "column": 0}}]},
    "a section elsewhere": {"version": 3, "sections": [{"url": "other.map", "offset": {"line": 0, "column": 0}}]},
    "a section of sections": {
        "version": 3,
        "sections": [{"offset": {"line": 0, "column": 0}, "map": {"version": 3, "sections": []}}],
    },
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("whole", BAD.values(), ids=BAD.keys())
def test_what_is_no_map_is_refused(whole: Any) -> None:
    with pytest.raises(BadSourceMap):
        parse_source_map(whole if isinstance(whole, bytes) else json.dumps(whole).encode(), BASE)


def test_a_map_over_the_limits_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadSourceMap, match="too large"):
        parse_source_map(b" " * (limits.SOURCE_MAP_BYTES + 1), BASE)
    monkeypatch.setattr(limits, "SOURCE_MAP_SEGMENTS", 1000)
    for mappings in ("AAAA," * 1000 + "AAAA", ";" * 1000):
        with pytest.raises(BadSourceMap, match="too many"):
            parse(made([], mappings=mappings))
    sections = [
        {"offset": {"line": number, "column": 0}, "map": made([], mappings="AAAA," * 400 + "AAAA")}
        for number in range(3)
    ]
    with pytest.raises(BadSourceMap, match="too many"):
        parse({"version": 3, "sections": sections})
    with pytest.raises(BadSourceMap, match="too many"):
        parse(made([], names=[""] * 1001))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**64), 2**64) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
MAPPINGS = st.text(alphabet=DIGITS + ",;", max_size=60) | JSON
FLAT = st.fixed_dictionaries(
    {"version": st.just(3)},
    optional={
        "mappings": MAPPINGS,
        "sources": st.lists(JSON, max_size=3) | JSON,
        "names": st.lists(JSON, max_size=3) | JSON,
        "sourceRoot": JSON,
    },
)
OFFSET = st.fixed_dictionaries({"line": st.integers(0, 5) | JSON, "column": st.integers(0, 5) | JSON}) | JSON
INDEXED = st.fixed_dictionaries(
    {"version": st.just(3), "sections": st.lists(st.fixed_dictionaries({"offset": OFFSET, "map": FLAT | JSON}) | JSON)}
)


@settings(max_examples=500, suppress_health_check=[HealthCheck.too_slow])
@given(FLAT | INDEXED | JSON, st.text(max_size=20))
def test_any_json_is_a_map_or_is_refused(whole: Any, base: str) -> None:
    try:
        found = parse_source_map(json.dumps(whole).encode(), base)
    except BadSourceMap:
        return
    assert found.size >= 0
    for line in range(1, 4):
        for column in (1, 2, 5, 1000):
            place = found.find(line, column)
            assert place is None or (place.line >= 1 and place.column >= 1 and isinstance(place.source, str))


@given(st.binary(max_size=200))
def test_any_bytes_are_a_map_or_are_refused(raw: bytes) -> None:
    with pytest.raises(BadSourceMap):
        parse_source_map(raw, BASE)


def test_a_large_map_is_read_in_little_time_and_memory() -> None:
    lines: list[list[Segment]] = [[(at, at % 5, at, 3, at % 5) for at in range(0, 200_000, 2)]]
    raw = json.dumps(made(lines)).encode()
    started = time.process_time()
    found = parse_source_map(raw, BASE)
    assert time.process_time() - started < 5
    assert found.size < 30 * 100_000
    assert found.find(1, 100_002) == Original("src/0.ts", 100_001, 4, "name0")


@pytest.mark.parametrize(
    ("script", "url"),
    [
        ("code()\n//# sourceMappingURL=app.js.map", "app.js.map"),
        ("code()\n//@ sourceMappingURL=app.js.map\n", "app.js.map"),
        ("code()\n/*# sourceMappingURL=app.js.map */", "app.js.map"),
        ("//# sourceMappingURL=old.map\ncode()\n//# sourceMappingURL=new.map\n//# sourceURL=a.js", "new.map"),
        ("//# sourceMappingURL=real.map\nwrite('sourceMappingURL=no')", "real.map"),
        ("//# sourceMappingURL=", ""),
        ("sourceMappingURL=app.js.map", ""),
        ("code()", ""),
        ("", ""),
    ],
)
def test_the_last_comment_of_a_script_names_its_map(script: str, url: str) -> None:
    assert mapping_url(script) == url


@pytest.mark.parametrize(
    ("url", "raw"),
    [
        ("data:application/json;base64,e30=", b"{}"),
        ("data:application/json;charset=utf-8;base64,e30=", b"{}"),
        ("data:application/json,%7B%7D", b"{}"),
        ("data:,{}", b"{}"),
        ("data:application/json;base64,e30%3D", b"{}"),
    ],
)
def test_a_map_may_stand_in_its_own_address(url: str, raw: bytes) -> None:
    assert inline_map(url) == raw


@pytest.mark.parametrize("url", ["data:application/json;base64", "data:application/json;base64,e30", "data:"])
def test_an_address_without_a_map_is_refused(url: str) -> None:
    with pytest.raises(BadSourceMap):
        inline_map(url)


EVALUATED = (
    'eval("one();\\n//# sourceMappingURL=data:application/json;base64,T05F\\n//# sourceURL=webpack-internal:///./a.js\\n");\n'
    'eval("two();\\n//# sourceMappingURL=data:application/json;base64,VFdP\\n//# sourceURL=webpack-internal:///./a.js.b\\n");\n'
    'eval("three();\\n//# sourceURL=webpack-internal:///./c.js\\n");\n'
)


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("webpack-internal:///./a.js", "data:application/json;base64,T05F"),
        ("webpack-internal:///./a.js.b", "data:application/json;base64,VFdP"),
        ("webpack-internal:///./c.js", ""),
        ("webpack-internal:///./d.js", ""),
    ],
)
def test_the_map_of_a_module_inside_a_bundle(name: str, address: str) -> None:
    assert evaluated_map(EVALUATED, name) == address


def test_the_map_of_a_module_is_not_that_of_its_bundle() -> None:
    assert mapping_url(EVALUATED) == ""
    assert mapping_url(f"{EVALUATED}//# sourceMappingURL=app.js.map\n{EVALUATED}") == "app.js.map"
