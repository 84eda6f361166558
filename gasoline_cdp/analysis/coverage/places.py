"""Where the functions that ran were written: by file, with their lines, and the lines inside that did not run. Pure."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from attrs import evolve, field, frozen

from gasoline_cdp.analysis.coverage.counts import FunctionCounts
from gasoline_cdp.analysis.sourcemaps.frames import is_library
from gasoline_cdp.analysis.sourcemaps.source_map import Original, SourceMap, source_name
from gasoline_cdp.records import StackFrame

# What V8 calls the code of a script outside of all functions: it names it as little as an anonymous function.
TOP_LEVEL = "(top level)"
ANONYMOUS = "(anonymous)"
# Lines of one script that are looked at, over all its functions: those inside others are met again.
_LINES = 300_000
# Where a function has its name: behind `function`, before the parameters of a method, or before what is assigned.
_NAME_INSIDE = re.compile(r"(?:async\s+)?(?:function\s*\*?\s*)?([\w$#]{1,100})\s*\(")
_NAME_BEFORE = re.compile(r"([\w$#]{1,100})\s*[=:]\s*(?:async\s*)?\Z")
_NAME_CHARS = 120
# What begins a line with code: brackets alone run whenever anything around them does.
_CODE = re.compile(r"[^\s{}();,]")
_COMMENTS = ("//", "/*", "*")
_INDENT = 1000


@frozen
class RanFunction:
    """A function of the page's own code. Lines count from 1, as they were written where a source map says so."""

    file: str
    name: str
    line: int
    end_line: int
    count: int
    column: int = 1
    end_column: int = 1
    # Whether it is known which of its lines ran.
    by_line: bool = False
    # How often its lines ran, by line. Only lines with code.
    lines: dict[int, int] = field(factory=dict)

    @property
    def key(self) -> tuple[str, int, int, str]:
        """The same function in other tabs and workers."""
        return self.file, self.line, self.column, self.name

    def plus(self, other: "RanFunction") -> "RanFunction":
        """Both counts together."""
        lines = {line: self.lines.get(line, 0) + other.lines.get(line, 0) for line in {*self.lines, *other.lines}}
        return evolve(self, count=self.count + other.count, by_line=self.by_line or other.by_line, lines=lines)

    def missed(self) -> list[tuple[int, int]]:
        """The lines that did not run although the function did, as first and last."""
        runs: list[tuple[int, int]] = []
        for line in sorted(self.lines):
            if self.count and not self.lines[line]:
                runs = [*runs[:-1], (runs[-1][0], line)] if runs and runs[-1][1] >= line - 1 else [*runs, (line, line)]
        return runs


@frozen(eq=False)
class ScriptText:
    """A script as it ran, with its map. One inside a document begins at a line and column of that, counted from 0."""

    url: str
    text: str
    source_map: SourceMap | None
    line: int = 0
    column: int = 0
    _starts: list[int] = field(init=False)

    def __attrs_post_init__(self) -> None:
        starts = [0]
        at = self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        object.__setattr__(self, "_starts", starts)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, counted from 1."""
        line = bisect_right(self._starts, offset) - 1
        column = offset - self._starts[line] + (self.column if line == 0 else 0)
        return line + self.line + 1, column + 1

    def written(self, offset: int) -> Original | None:
        """Where the code at an offset was written: the place itself if there is no map, None if the map has none."""
        line, column = self.position(offset)
        if self.source_map is None:
            # A script whose map we could not get is still known by its own lines.
            return Original(source_name(self.url, "", self.url) or self.url, line, column, "")
        return self.source_map.find(line, column)

    def places_between(self, start: int, end: int) -> Iterator[int]:
        """Offsets of code between two offsets: of each place in the map, or of the first code of each line."""
        if self.source_map is not None:
            for line, column in self.source_map.places_between(self.position(start), self.position(end)):
                first = self._starts[line - self.line - 1] if 0 < line - self.line <= len(self._starts) else end
                yield max(start, first + column - 1 - (self.column if line == self.line + 1 else 0))
            return
        at = bisect_right(self._starts, start) - 1
        while at < len(self._starts) and self._starts[at] < end:
            begin = max(start, self._starts[at])
            until = min(end, self._starts[at + 1] if at + 1 < len(self._starts) else len(self.text))
            code = _CODE.search(self.text, begin, min(until, begin + _INDENT))
            if code and not self.text.startswith(_COMMENTS, code.start()):
                yield code.start()
            at += 1


def functions_of(script: ScriptText, functions: Iterable[FunctionCounts]) -> Iterator[RanFunction]:
    """The functions of the page's own code that ran, and those that did not (count 0), as they were written."""
    if is_library(StackFrame("", script.url, 1, 1)):
        return
    ordered = sorted(functions, key=lambda function: (function.start, -function.end))
    room = _LINES
    for index, function in enumerate(ordered):
        begin = script.written(function.start)
        if begin is None or begin.ignored or is_library(StackFrame("", begin.source, 1, 1)):
            continue
        # The last character belongs to the function.
        end = script.written(max(function.start, function.end - 1))
        if end is None or end.source != begin.source or (end.line, end.column) < (begin.line, begin.column):
            end = begin
        lines: dict[int, int] | None = None
        if function.by_block:
            lines, looked_at = _lines(script, ordered, index, begin.source, room)
            room -= looked_at
        is_script = function.start == 0 and function.end >= len(script.text)
        yield RanFunction(
            file=begin.source,
            name=TOP_LEVEL if is_script else _name(script, function) or ANONYMOUS,
            line=begin.line,
            end_line=end.line,
            count=function.count,
            column=begin.column,
            end_column=end.column,
            by_line=bool(lines),
            lines=lines or {},
        )


def _name(script: ScriptText, function: FunctionCounts) -> str:
    """The name as it was written, if the map tells it. Otherwise as it runs."""
    if script.source_map is None:
        return function.name
    text, start = script.text, function.start
    match = _NAME_INSIDE.match(text, start, start + _NAME_CHARS)
    if match is None:
        match = _NAME_BEFORE.search(text[max(0, start - _NAME_CHARS) : start])
        at = max(0, start - _NAME_CHARS) + match.start(1) if match else -1
    else:
        at = match.start(1)
    if match is None or match[1] != function.name.rpartition(".")[2]:
        return function.name
    written = script.written(at)
    return written.name if written is not None and written.name else function.name


def _lines(
    script: ScriptText, ordered: Sequence[FunctionCounts], index: int, source: str, room: int
) -> tuple[dict[int, int] | None, int]:
    """How often each line of a function ran, without those of functions inside it, and how many were looked at.

    A line of several parts ran as often as the part that ran most. None if there is no room to look at all.
    """
    function = ordered[index]
    lines: dict[int, int] = {}
    looked_at, inner_end = 0, 0
    index += 1
    for start, end, count in function.ranges():
        for offset in script.places_between(start, end):
            looked_at += 1
            if looked_at > room:
                return None, looked_at
            while index < len(ordered) and ordered[index].start <= offset:
                inner_end = max(inner_end, ordered[index].end)
                index += 1
            at = script.written(offset) if offset >= inner_end else None
            if at is not None and at.source == source:
                lines[at.line] = max(lines.get(at.line, 0), count)
    return lines, looked_at


def merged(functions: Iterable[RanFunction]) -> list[RanFunction]:
    """The same function of several tabs, frames and workers once, by file and line."""
    by_key: dict[tuple[str, int, int, str], RanFunction] = {}
    for function in functions:
        known = by_key.get(function.key)
        by_key[function.key] = function if known is None else known.plus(function)
    return sorted(by_key.values(), key=lambda function: (function.file, function.line, function.column))
