"""Functions that ran, by the places where they were written."""

from gasoline_cdp.analysis.coverage.counts import FunctionCounts, parts_of
from gasoline_cdp.analysis.coverage.places import RanFunction, ScriptText, functions_of, merged
from tests.unit.analysis.sourcemaps.maps import source_map

CODE = """function add(a) {
  // A comment runs with what is around it.
  if (a > 1) {
    a -= 1;
    a -= 2;
  }
  return () => a;
}
add(1);
"""


def function(code: str, name: str, text: str, count: int, *missed: str) -> FunctionCounts:
    start = code.index(text)
    ranges = [(start, start + len(text), count)]
    ranges += [(code.index(part), code.index(part) + len(part), 0) for part in missed]
    return FunctionCounts(name, start, start + len(text), count, parts_of(ranges), bool(missed))


def plain() -> ScriptText:
    return ScriptText("http://x/src/a.js", CODE, None)


def test_lines_and_those_that_did_not_run() -> None:
    body = CODE[: CODE.rindex("}") + 1]
    script = [
        function(CODE, "", CODE, 1),
        function(CODE, "add", body, 2, "{\n    a -= 1;\n    a -= 2;\n  }"),
        function(CODE, "", "() => a", 0),
    ]
    top, add, inner = functions_of(plain(), script)
    assert (top.name, top.line, top.file) == ("(top level)", 1, "src/a.js")
    assert (add.name, add.line, add.end_line, add.count) == ("add", 1, 8, 2)
    assert add.missed() == [(4, 5)]
    assert (inner.name, inner.line, inner.count, inner.missed()) == ("(anonymous)", 7, 0, [])


def test_libraries_are_left_out() -> None:
    script = ScriptText("http://x/node_modules/lib/index.js", CODE, None)
    assert list(functions_of(script, [function(CODE, "", CODE, 1)])) == []


def test_a_script_inside_a_document() -> None:
    script = ScriptText("http://x/", CODE, None, line=10, column=8)
    [ran] = functions_of(script, [function(CODE, "add", CODE[: CODE.rindex("}") + 1], 1)])
    assert (ran.file, ran.line, ran.column, ran.end_line) == ("http://x/", 11, 9, 18)


def test_names_and_places_of_the_map() -> None:
    code = "var t=e=>{return e+1};function n(){}"
    mapped = source_map(
        code, "src/math.ts", ("t=", 3, 6, "increment"), ("e=>", 3, 18), ("}", 5, 0), ("n()", 8, 9, "nothing")
    )
    script = ScriptText("http://x/app.js", code, mapped)
    arrow, nothing = functions_of(script, [function(code, "t", "e=>{return e+1}", 3), function(code, "n", "n(){}", 1)])
    assert (arrow.file, arrow.name, arrow.line, arrow.end_line) == ("dist/src/math.ts", "increment", 4, 6)
    assert (nothing.name, nothing.line) == ("nothing", 9)


def test_the_same_function_of_two_tabs_is_one() -> None:
    one = RanFunction("a.js", "f", 3, 5, 1, lines={3: 1, 4: 0}, by_line=True)
    [both] = merged([one, RanFunction("a.js", "f", 3, 5, 2, lines={3: 2, 4: 2}, by_line=True)])
    assert (both.count, both.lines) == (3, {3: 3, 4: 2})
    assert [ran.file for ran in merged([one, RanFunction("a", "z", 1, 1, 1)])] == ["a", "a.js"]
