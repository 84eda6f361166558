"""What ran as a file for other tools."""

from gasoline_cdp.analysis.coverage.counts import FunctionCounts, ScriptCounts
from gasoline_cdp.analysis.coverage.places import RanFunction
from gasoline_cdp.artifacts.coverage import istanbul_coverage, v8_coverage


def test_istanbul_has_functions_and_the_lines_that_were_counted() -> None:
    document = istanbul_coverage(
        [RanFunction("src/a.ts", "add", 3, 5, 2, column=7, end_column=2, by_line=True, lines={4: 2, 5: 0})]
    )
    file = document["src/a.ts"]
    assert file["path"] == "src/a.ts"
    assert file["fnMap"]["0"]["name"] == "add"
    assert file["fnMap"]["0"]["loc"] == {"start": {"line": 3, "column": 6}, "end": {"line": 5, "column": 2}}
    assert file["f"] == {"0": 2}
    assert file["s"] == {"0": 2, "1": 0}
    assert file["statementMap"]["1"]["start"] == {"line": 5, "column": 0}


def test_v8_counts_are_ranges_inside_of_functions_again() -> None:
    function = FunctionCounts("add", 5, 50, 2, ((5, 2), (20, 0), (30, 2)), by_block=True)
    [script] = v8_coverage([ScriptCounts("7", "http://x/a.js?token=hunter2hunter2hunter2", {(5, 50): function})])[
        "result"
    ]
    assert "hunter2" not in script["url"]
    [only] = script["functions"]
    assert only["ranges"] == [
        {"startOffset": 5, "endOffset": 50, "count": 2},
        {"startOffset": 20, "endOffset": 30, "count": 0},
    ]
