"""Stack traces: from Chrome's call frames, and from the text of an error."""

import re
from functools import lru_cache
from typing import Any

from gasoline_cdp import limits
from gasoline_cdp.records import StackFrame
from gasoline_cdp.redact import safe_text, safe_url

# V8 indents by four spaces. Libraries that write `stack` themselves use any indentation.
_STACK_START = re.compile(r"\n[ \t]+at ")
# No stack of Chrome is longer: ten frames, each with a long URL.
_STACK_CHARS = 40_000
_POSITION = re.compile(r"^(.*?):(\d{1,9}):(\d{1,9})$")
_LINES = 100


class _Last:
    """The last parsed stack, as Chrome sent it and as parsed: a flood comes from one location."""

    raw: object = None
    parsed: tuple[StackFrame, ...] = ()


def parse_stack(stack: object) -> tuple[StackFrame, ...]:
    """The first frames of a stack, with lines and columns counted from 1."""
    if not isinstance(stack, dict):
        return ()
    frames = stack.get("callFrames")
    if not isinstance(frames, list):
        return ()
    if frames == _Last.raw:
        return _Last.parsed
    parsed = _parse_frames(frames)
    if len(frames) <= limits.STACK_FRAMES:
        _Last.raw, _Last.parsed = frames, parsed
    return parsed


def _parse_frames(frames: list[Any]) -> tuple[StackFrame, ...]:
    return tuple(
        _frame(
            str(frame.get("functionName") or ""),
            str(frame.get("url", "")),
            whole(frame.get("lineNumber")) + 1,
            whole(frame.get("columnNumber")) + 1,
        )
        for frame in frames[: limits.STACK_FRAMES]
        if isinstance(frame, dict)
    )


def parse_awaiting(stack: object) -> tuple[StackFrame, ...]:
    """The frames of those who began asynchronous code, the nearest first. Chrome sends them only if asked to."""
    frames: list[StackFrame] = []
    above = mapping(mapping(stack).get("parent"))
    while above and len(frames) < limits.STACK_FRAMES:
        listed = above.get("callFrames")
        frames += [_awaiting(frame) for frame in _parse_frames(listed if isinstance(listed, list) else [])]
        above = mapping(above.get("parent"))
    return tuple(frames[: limits.STACK_FRAMES])


def _awaiting(frame: StackFrame) -> StackFrame:
    """As V8 marks the functions that await, in the text of a stack."""
    return StackFrame(f"async {frame.function}".rstrip(), frame.url, frame.line, frame.column)


# A page logs from a few locations again and again. Redacting their names is most of the cost of a message.
@lru_cache(maxsize=1024)
def _frame(function: str, url: str, line: int, column: int) -> StackFrame:
    return StackFrame(safe_text(function, 120), safe_url(url), line, column)


def only_frame(details: dict[str, Any]) -> tuple[StackFrame, ...]:
    """The single location that Chrome names without a stack: of a syntax error, or of a browser message.

    A rejection that no code of the page made (`response.json()` of HTML, a failed import) is placed by Chrome at the
    very beginning of the document, where it did not happen.
    """
    url = details.get("url")
    is_nowhere = not details.get("lineNumber") and not details.get("columnNumber")
    if not url or (is_nowhere and is_rejection(details)):
        return ()
    line, column = whole(details.get("lineNumber")) + 1, whole(details.get("columnNumber")) + 1
    return (StackFrame("", safe_url(url), line, column),)


def is_rejection(details: dict[str, Any]) -> bool:
    """Whether nobody handled a promise; otherwise an exception was not caught."""
    return "in promise" in str(details.get("text"))


def split_error(description: str) -> tuple[str, str]:
    """The message of an error, and the lines of its stack."""
    start = _STACK_START.search(description)
    if start is None:
        return description, ""
    return description[: start.start()], description[start.start() + 1 : start.start() + _STACK_CHARS]


def parse_stack_text(stack: str) -> tuple[StackFrame, ...]:
    """The frames in the text of a stack. Built-in functions have no location and are left out."""
    frames = []
    for line in stack.split("\n", _LINES)[:_LINES]:
        if frame := _parse_line(line.strip()):
            frames.append(frame)
            if len(frames) == limits.STACK_FRAMES:
                break
    return tuple(frames)


def _parse_line(line: str) -> StackFrame | None:
    """`at async Cart.add (http://host/app.js:10:5)`, `at http://host/app.js:10:5`; None for anything else."""
    if not line.startswith("at "):
        return None
    where = line[3:].removeprefix("async ")
    function = "async" if where != line[3:] else ""
    if where.endswith(")"):
        function, _, where = line[3:-1].partition(" (")
        if where.startswith("eval at "):
            # The code has no file: "eval at run (http://host/app.js:1:1), <anonymous>:1:5".
            where = where.rpartition(", ")[2]
    position = _POSITION.match(where)
    if position is None:
        return None
    url = "" if position[1] == "<anonymous>" else position[1]
    return StackFrame(safe_text(function, 120), safe_url(url), int(position[2]), int(position[3]))


def mapping(value: object) -> dict[str, Any]:
    """JSON that should be an object; anything else counts as an empty one."""
    return value if isinstance(value, dict) else {}


def whole(value: object) -> int:
    """JSON that should be an integer; anything else counts as 0."""
    return int(value) if isinstance(value, int | float) and abs(value) < 2**53 else 0
