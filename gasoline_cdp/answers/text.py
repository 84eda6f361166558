"""The text of an answer: its lines, each without what one above has said. A terminal has columns for that instead."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from attrs import evolve

from gasoline_cdp.answers.lines import Line

# One file of a source location: `src/App.tsx:42:7`.
_FILE = re.compile(r'(?<!\S)([^\s"]*/)?([^\s"/:]+)(:\d+:\d+)(?!\S)')
# Where at least so many lines have the same source location, and it is not short, it gets a name.
_WORTH_A_NAME = 3
_SHORT_LOCATION = 12
# The tag of a request, and its address, which comes first in the text.
_REQUEST = re.compile(r"r\d+(?!\S)")
_ADDRESS = re.compile(r'([^\s"?]+)\?(\S+)')
_CALLERS = " < "
# Shorter repetitions are not worth the mark that replaces them.
_WORTH_OMITTING = 8
_AS_ABOVE = "…"


def write_lines(lines: Iterable[Line]) -> str:
    """The text of an answer."""
    # Name of a file → the address under which it was first shown.
    files: dict[str, str] = {}
    return "\n".join(map(str, _in_short(_with_named_locations(list(lines), files), files)))


def _with_named_locations(lines: Sequence[Line], files: dict[str, str]) -> Iterator[Line]:
    """Name source locations that many lines have: `p1=src/log.ts:4:9 report` stands once, before the first of them."""
    counts = Counter(line.place for line in lines if len(line.place) > _SHORT_LOCATION)
    common = [location for location, count in counts.items() if count >= _WORTH_A_NAME]
    names = {location: f"p{number}" for number, location in enumerate(common, 1)}
    for line in lines:
        if common and line.place in names:
            short = partial(_without_directory, files=files)
            yield Line(", ".join(f"{name}={short(location)}" for location, name in names.items()), tone="dim")
            common = []
        yield evolve(line, place=names.get(line.place, line.place))


def _in_short(lines: Iterable[Line], files: dict[str, str]) -> Iterator[Line]:
    """Omit the minute, the directory of a file, callers and parameters of a query, if a line above has them."""
    last_time = ""
    last_callers = ("", "")
    # Path → the parameters with which it was last shown.
    queries: dict[str, list[str]] = {}
    for line in lines:
        location, callers = _new_callers(line.place, last_callers)
        yield evolve(
            line,
            time=_seconds(line.time, last_time),
            text=_new_parameters(line.text, queries) if _REQUEST.match(line.tag) else line.text,
            place=_without_directory(location, files),
        )
        last_time = line.time or last_time
        last_callers = callers if line.place else last_callers


def _seconds(time: str, last: str) -> str:
    """`13:26:07` after another time of that minute is `:07`."""
    minute = time.rfind(":")
    return time[minute:] if minute > 0 and time[:minute] == last[:minute] else time


def _without_directory(location: str, files: dict[str, str]) -> str:
    return _FILE.sub(partial(_file, files=files), location)


def _file(match: re.Match[str], files: dict[str, str]) -> str:
    """The name of a file alone, if a line above has its whole address. Another of that name keeps its directory."""
    directory, name, position = match[1] or "", match[2], match[3]
    if name not in files:
        files[name] = directory + name
        return match[0]
    return f"{name}{position}" if files[name] == directory + name else f"{directory or './'}{name}{position}"


def _new_callers(location: str, last: tuple[str, str]) -> tuple[str, tuple[str, str]]:
    """`log.js:4:9 b < …` after `log.js:3:9 a < :20:1 report`, if its callers are the same. Also what to compare with.

    The file counts, too: a caller without one is in the same file as the location before it.
    """
    first, mark, callers = location.partition(_CALLERS)
    file = _FILE.match(first)
    whole = (f"{file[1] or ''}{file[2]}" if file else first, callers)
    omit = len(callers) >= _WORTH_OMITTING and whole == last
    return (f"{first}{mark}{_AS_ABOVE}" if omit else location), whole


def _new_parameters(text: str, queries: dict[str, list[str]]) -> str:
    """`/poll?…&t=2` after `/poll?room=blue&t=1`: the other parameters are those of the last line with that path.

    Only if this line has a new value for every parameter of that line that it does not have.
    """
    address = _ADDRESS.match(text)
    if address is None:
        return text
    path, parameters = address[1], address[2].split("&")
    last, queries[path] = queries.get(path, []), parameters
    new = [parameter for parameter in parameters if parameter not in last]
    omitted = sum(len(parameter) + 1 for parameter in parameters if parameter in last)
    gone = (parameter for parameter in last if parameter not in parameters)
    if omitted < _WORTH_OMITTING or not set(map(_name, new)).issuperset(map(_name, gone)):
        return text
    return f"{path}?{'&'.join([_AS_ABOVE, *new])}{text[address.end() :]}"


def _name(parameter: str) -> str:
    return parameter.partition("=")[0]
