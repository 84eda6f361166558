"""Variables by the names that their author gave them, from before a minifier shortened them. Pure."""

import re
from bisect import bisect_right
from collections.abc import Mapping

from gasoline_cdp.analysis.sourcemaps.source_map import SourceMap

_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]{0,100}")
# Names of a scope that are read: those of a whole bundle say nothing of one function.
_NAMES_READ = 20_000
# The parameters of a function end where its body begins.
_BODY = re.compile(r"\{|=>")
_PARAMETER_CHARS = 1000
# A text, or a name that no dot makes a property.
_WORDS = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|(?<![\w$.])(?P<name>[A-Za-z_$][\w$]*)")
_COLON = re.compile(r"\s*:")

# Line and column, counted from 1.
Position = tuple[int, int]


class ScriptLines:
    """A script by lines and columns."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def offset(self, position: Position) -> int:
        """Where a position is in the text."""
        line = min(max(position[0], 1), len(self._starts))
        return self._starts[line - 1] + position[1] - 1

    def position(self, offset: int) -> Position:
        """The line and column of an offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


def written_names(script: ScriptLines, source_map: SourceMap, begin: Position, end: Position) -> dict[str, str | None]:
    """The written names of variables by those that run, in a scope from one position to another.

    Minifiers use a short name again in each function. None stands for a name that was several: which of them belongs
    to this scope is known only of parameters, which come first in it.
    """
    written_by_name: dict[str, str | None] = {}
    start = script.offset(begin)
    body = _BODY.search(script.text, start, start + _PARAMETER_CHARS)
    parameters_end = body.start() if body else start
    parameters: dict[str, str] = {}
    for read, (line, column, name) in enumerate(source_map.names_between(begin, end)):
        if read == _NAMES_READ:
            # What else it may have been is not known.
            return dict(parameters)
        at = script.offset((line, column))
        runs = _IDENTIFIER.match(script.text, at)
        if runs is None or not _IDENTIFIER.fullmatch(name):
            continue
        if at < parameters_end:
            parameters.setdefault(runs[0], name)
        written_by_name[runs[0]] = name if written_by_name.get(runs[0], name) == name else None
    return {**written_by_name, **parameters}


def names_near(code: str, begin: int, offset: int, end: int) -> list[str]:
    """What may be variables in a piece of a script, those nearest to an offset in it first.

    Words of the language and of texts in backquotes are among them: no scope has such a variable.
    """
    matches = [match for match in _WORDS.finditer(code, begin, end) if match["name"]]
    return list(dict.fromkeys(match["name"] for match in sorted(matches, key=lambda one: abs(one.end() - offset))))


def as_it_runs(expression: str, names: Mapping[str, str]) -> str:
    """An expression of written names with those that run. Properties and texts keep theirs."""

    def renamed(match: re.Match[str]) -> str:
        before = match.string[: match.start()].rstrip()
        is_key = before.endswith(("{", ",")) and _COLON.match(match.string, match.end())
        return match[0] if is_key else names.get(match["name"] or "", match[0])

    return _WORDS.sub(renamed, expression)
