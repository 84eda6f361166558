"""Breakpoints as Chrome knows them: where they stand, what they are called, and in which scripts they hold."""

import re
from urllib.parse import urlsplit

from attrs import frozen

from gasoline_cdp.cdp.connection import Params
from gasoline_cdp.records import StackFrame


@frozen
class Position:
    """Where a log point stands in a script that runs, counted from 0, and the place as it was written."""

    line: int
    column: int
    written: StackFrame


def pattern_of(address: str) -> str:
    """A script with any query: development servers add one at each change."""
    return f"^{re.escape(address)}(\\?.*)?$"


def breakpoint_at(address: str, position: Position, condition: str) -> Params:
    """The parameters of Debugger.setBreakpointByUrl."""
    return {
        "urlRegex": pattern_of(address),
        "lineNumber": position.line,
        "columnNumber": position.column,
        "condition": condition,
    }


def name_of(address: str, position: Position) -> str:
    """What V8 calls such a breakpoint; 2 stands for a pattern."""
    return f"2:{position.line}:{position.column}:{pattern_of(address)}"


def path_of(url: str) -> str:
    """The path in an address; empty if there is none."""
    try:
        return urlsplit(url).path
    except ValueError:
        return ""


def address_of(url: str) -> str:
    """A script without its query."""
    return url.partition("?")[0]


def ends_with(path: str, wanted: str) -> bool:
    """Whether a path ends with another one, as whole names: `src/App.tsx`, not `MyApp.tsx` with `App.tsx`."""
    return path == wanted or path.endswith(f"/{wanted.lstrip('/')}")
