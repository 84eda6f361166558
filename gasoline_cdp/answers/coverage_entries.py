"""What ran, in an answer: by file, each function with its lines and how often."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from attrs import field, frozen

from gasoline_cdp import debug_limits
from gasoline_cdp.analysis.coverage.places import RanFunction
from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.redact import safe_text

_NAME_CHARS = 80
_MISSED_SHOWN = 5


@frozen(kw_only=True)
class RanEntry:
    """A function that ran. `missed` are lines of it that did not; it is there only with `by_line`."""

    function: str
    lines: str
    count: int
    missed: list[str] = field(factory=list)

    def text(self) -> str:
        """`add 14-22`, how often, and `(not 16-18)`."""
        missed = f" (not {', '.join(self.missed)})" if self.missed else ""
        return f"{word(self.function)} {self.lines} ×{self.count}{missed}"


@frozen(kw_only=True)
class RanFileEntry:
    """A file, and its functions that ran. `more` did not fit."""

    file: str
    functions: list[RanEntry]
    more: int = 0

    def line(self) -> Line:
        """All of them in one line."""
        more = f", {self.more} more" if self.more else ""
        return Line(f"{word(self.file)}: {', '.join(one.text() for one in self.functions)}{more}")


def show_ran(function: RanFunction) -> RanEntry:
    """One function."""
    missed = [_lines(*run) for run in function.missed()]
    return RanEntry(
        function=safe_text(function.name, _NAME_CHARS),
        lines=_lines(function.line, function.end_line),
        count=function.count,
        missed=[*missed[:_MISSED_SHOWN], *(["…"] if len(missed) > _MISSED_SHOWN else [])],
    )


def show_files(functions: Iterable[RanFunction]) -> tuple[list[RanFileEntry], int]:
    """By file, in the order of lines. Also how many files did not fit."""
    files = [(file, list(group)) for file, group in groupby(functions, key=lambda function: function.file)]
    shown = [
        RanFileEntry(
            file=safe_text(file, 300),
            functions=[show_ran(one) for one in ran[: debug_limits.COVERAGE_FUNCTIONS_SHOWN]],
            more=max(0, len(ran) - debug_limits.COVERAGE_FUNCTIONS_SHOWN),
        )
        for file, ran in files[: debug_limits.COVERAGE_FILES_SHOWN]
    ]
    return shown, len(files) - len(shown)


def ran_in_short(functions: Iterable[RanFunction]) -> Iterator[str]:
    """Functions one by one, those that ran least first: handlers run once, and what they draw with more often."""
    for one in sorted(functions, key=lambda function: (function.count, function.file, function.line)):
        yield f"{word(safe_text(one.file, 300))}:{one.line} {word(safe_text(one.name, _NAME_CHARS))} ×{one.count}"


def _lines(first: int, last: int) -> str:
    return f"{first}-{last}" if last > first else str(first)
