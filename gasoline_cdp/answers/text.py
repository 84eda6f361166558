"""The text of an answer: its lines, each without what one above has said. A terminal has columns for that instead."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from attrs import evolve

from gasoline_cdp.answers.lines import Line

# One file of a source location: `src/App.tsx:42:7`.
_FILE = re.compile(r'(?<!\S)([^\s"]*/)?([^\s"/:]+)(:\d+:\d+)(?!\S)')
# Where at least so many lines have the same source location, and it is not short, it gets a name.
_WORTH_A_NAME = 3
_SHORT_LOCATION = 12


def write_lines(lines: Iterable[Line]) -> str:
    """The text of an answer."""
    return "\n".join(map(str, _in_short(_with_named_locations(list(lines)))))


def _with_named_locations(lines: Sequence[Line]) -> Iterator[Line]:
    """Name source locations that many lines have: `p1=src/log.ts:4:9 report` stands once, before the first of them."""
    counts = Counter(line.place for line in lines if len(line.place) > _SHORT_LOCATION)
    common = [location for location, count in counts.items() if count >= _WORTH_A_NAME]
    names = {location: f"p{number}" for number, location in enumerate(common, 1)}
    for line in lines:
        if common and line.place in names:
            yield Line(", ".join(f"{name}={location}" for location, name in names.items()), tone="dim")
            common = []
        yield evolve(line, place=names.get(line.place, line.place))


def _in_short(lines: Iterable[Line]) -> Iterator[Line]:
    """Omit the minute of a time, and the directory of a file, if a line above has them."""
    last_time = ""
    # Name of a file → the address under which it was first shown.
    files: dict[str, str] = {}
    for line in lines:
        location = _FILE.sub(lambda match: _file(match, files), line.place)
        yield evolve(line, time=_seconds(line.time, last_time), place=location)
        last_time = line.time or last_time


def _seconds(time: str, last: str) -> str:
    """`13:26:07` after another time of that minute is `:07`."""
    minute = time.rfind(":")
    return time[minute:] if minute > 0 and time[:minute] == last[:minute] else time


def _file(match: re.Match[str], files: dict[str, str]) -> str:
    """The name of a file alone, if a line above has its whole address. Another of that name keeps its directory."""
    directory, name, position = match[1] or "", match[2], match[3]
    if name not in files:
        files[name] = directory + name
        return match[0]
    return f"{name}{position}" if files[name] == directory + name else f"{directory or './'}{name}{position}"
