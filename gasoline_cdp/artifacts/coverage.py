"""What ran as a file for other tools: as Istanbul writes it, and as V8 counts it. Pure."""

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from gasoline_cdp.analysis.coverage.counts import FunctionCounts, ScriptCounts
from gasoline_cdp.analysis.coverage.places import RanFunction
from gasoline_cdp.redact import safe_text, safe_url

_NAME_CHARS = 120


def istanbul_coverage(functions: Iterable[RanFunction]) -> dict[str, Any]:
    """By source file. Statements are lines, and there only where lines were counted; branches are not known."""
    document = {}
    for file, group in groupby(functions, key=lambda function: function.file):
        ran = list(group)
        path = safe_text(file, 300)
        lines: dict[int, int] = {}
        for one in ran:
            for line, count in one.lines.items():
                lines[line] = max(lines.get(line, 0), count)
        document[path] = {
            "path": path,
            "statementMap": {str(number): _whole_line(line) for number, line in enumerate(sorted(lines))},
            "fnMap": {str(number): _function(one) for number, one in enumerate(ran)},
            "branchMap": {},
            "s": {str(number): lines[line] for number, line in enumerate(sorted(lines))},
            "f": {str(number): one.count for number, one in enumerate(ran)},
            "b": {},
        }
    return document


def _whole_line(line: int) -> dict[str, Any]:
    return {"start": {"line": line, "column": 0}, "end": {"line": line, "column": None}}


def _function(one: RanFunction) -> dict[str, Any]:
    start, end = {"line": one.line, "column": one.column - 1}, {"line": one.end_line, "column": one.end_column}
    return {
        "name": safe_text(one.name, _NAME_CHARS),
        "decl": {"start": start, "end": start},
        "loc": {"start": start, "end": end},
        "line": one.line,
    }


def v8_coverage(scripts: Iterable[ScriptCounts]) -> dict[str, Any]:
    """By script as it ran, as Profiler.takePreciseCoverage returns it."""
    return {
        "result": [
            {
                "scriptId": script.script_id,
                "url": safe_url(script.url),
                "functions": [_ranges(script.functions[span]) for span in sorted(script.functions, key=_outer_first)],
            }
            for script in scripts
        ]
    }


def _outer_first(span: tuple[int, int]) -> tuple[int, int]:
    return span[0], -span[1]


def _ranges(function: FunctionCounts) -> dict[str, Any]:
    ranges = [(function.start, function.end, function.count)]
    ranges += [one for one in function.ranges() if one[2] != function.count]
    return {
        "functionName": safe_text(function.name, _NAME_CHARS),
        "ranges": [{"startOffset": start, "endOffset": end, "count": count} for start, end, count in ranges],
        "isBlockCoverage": function.by_block,
    }
