"""Console calls, exceptions, rejections and browser log entries, as records."""

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.markup import safe_logged
from gasoline_cdp.capture.arguments import plain_text, render_arguments
from gasoline_cdp.capture.rendering import render, render_table
from gasoline_cdp.capture.stacks import (
    is_rejection,
    mapping,
    only_frame,
    parse_awaiting,
    parse_stack,
    parse_stack_text,
    split_error,
)
from gasoline_cdp.measures import FrameValues
from gasoline_cdp.records import Level, LogKind, LogRecord, Source, StackFrame
from gasoline_cdp.redact import safe_text

_LEVELS: dict[str, Level] = {
    "error": "error",
    "assert": "error",
    "warning": "warning",
    "info": "info",
    "debug": "debug",
    "verbose": "debug",
}
# Calls that only end something. DevTools prints nothing for them either.
_SILENT = {"endGroup", "clear", "profile", "profileEnd"}
_PLAINLY = {"log", "info", "debug", "warning", "error"}
_OPENING = ("startGroup", "startGroupCollapsed")
_GROUPS_DEEP = 50
_CONTEXTS = 1000


@frozen
class ParsedLog:
    """The content of a log record, before it has a sequence number."""

    ts: float
    kind: LogKind
    level: Level
    text: str
    method: str = ""
    frames: tuple[StackFrame, ...] = ()
    # Where an error was logged, if it was created elsewhere. Its frames say where it was created.
    logged: StackFrame | None = None

    # The variables where it was thrown, if they were read.
    values: tuple[FrameValues, ...] = ()

    def record(self, seq: int, source: Source, depth: int = 0, during: float | None = None) -> LogRecord:
        """Add sequence number, source, group depth, and the event that the page was handling."""
        return LogRecord(
            seq=seq,
            ts=self.ts,
            source=source,
            kind=self.kind,
            level=self.level,
            text=self.text,
            method=self.method,
            frames=self.frames,
            logged=self.logged,
            depth=depth,
            during=during,
            values=self.values,
        )


class Groups:
    """How many console groups are open in each script context of a target."""

    def __init__(self) -> None:
        self._depths: dict[int, int] = {}

    def depth(self, params: dict[str, Any]) -> int:
        """The depth at which a call prints. A group that it opens or closes counts from the next call on."""
        context, method = params.get("executionContextId"), params.get("type")
        if not isinstance(context, int) or (not self._depths and method not in _OPENING):
            return 0
        depth = self._depths.get(context, 0)
        if method in _OPENING:
            if context in self._depths or len(self._depths) < _CONTEXTS:
                self._depths[context] = min(depth + 1, _GROUPS_DEEP)
        elif method in ("endGroup", "clear") and depth:
            self._depths[context] = depth - 1 if method == "endGroup" else 0
        return depth

    def contexts_cleared(self, _: dict[str, Any]) -> None:
        """Runtime.executionContextsCleared: a new document has no open groups."""
        self._depths.clear()


def parse_console(params: dict[str, Any]) -> ParsedLog | None:
    """Runtime.consoleAPICalled; None for calls that print nothing."""
    method = str(params.get("type", "log"))
    if method in _SILENT:
        return None
    called_at = parse_stack(params.get("stackTrace"))
    plain = plain_text(params.get("args")) if method in _PLAINLY else None
    if plain is not None:
        # Fast path for plain text, which is nearly all of a flood. It takes half the time, and never has an error.
        ts, level = _seconds(params.get("timestamp")), _LEVELS.get(method, "log")
        return ParsedLog(ts, "console", level, safe_logged(plain), method, called_at)
    made_at = _frames_of_error(params.get("args"))
    apart = made_at and called_at and _code_location(made_at[0]) != _code_location(called_at[0])
    return ParsedLog(
        ts=_seconds(params.get("timestamp")),
        kind="console",
        level=_LEVELS.get(method, "log"),
        text=console_text(params),
        method=method[:20],
        frames=made_at or called_at,
        logged=called_at[0] if apart else None,
    )


def console_text(params: dict[str, Any], deeper: Mapping[int, dict[str, Any]] | None = None) -> str:
    """The text of a console call. `deeper` has better previews of some arguments, by index."""
    arguments = params.get("args")
    if not isinstance(arguments, list):
        arguments = []
    table = render_table(mapping(arguments[0])) if params.get("type") == "table" and arguments else None
    text = render_arguments(arguments, deeper) if table is None else table
    if params.get("type") == "assert":
        text = f"Assertion failed: {text}" if text else "Assertion failed"
    return safe_logged(text)


def _frames_of_error(arguments: object) -> tuple[StackFrame, ...]:
    """Where the first error among the arguments was created."""
    for argument in arguments if isinstance(arguments, list) else []:
        if isinstance(argument, dict) and argument.get("subtype") == "error":
            return parse_stack_text(split_error(str(argument.get("description", "")))[1])
    return ()


def _code_location(frame: StackFrame) -> tuple[str, int, str]:
    """Identifies a code location. A minified script is a single line, so the function counts, too."""
    return frame.url, frame.line, frame.function.rpartition(" ")[2].rpartition(".")[2]


def parse_exception(params: dict[str, Any]) -> ParsedLog:
    """Runtime.exceptionThrown: an uncaught exception, or an unhandled promise rejection."""
    details = mapping(params.get("exceptionDetails"))
    thrown = mapping(details.get("exception"))
    frames = parse_stack(details.get("stackTrace"))
    awaiting = parse_awaiting(details.get("stackTrace"))
    if awaiting:
        frames = (*frames, *awaiting)[: limits.STACK_FRAMES]
    elif thrown.get("subtype") == "error":
        stack = split_error(str(thrown.get("description", "")))[1]
        if not frames or "at async " in stack:
            # Chrome's own frames end where an async function resumed. The error's text also has the awaiting functions.
            frames = parse_stack_text(stack) or frames
    return ParsedLog(
        ts=_seconds(params.get("timestamp")),
        kind="rejection" if is_rejection(details) else "exception",
        level="error",
        text=exception_text(params),
        frames=frames or only_frame(details),
    )


def parse_caught(thrown: dict[str, Any], ts: float, values: tuple[FrameValues, ...]) -> ParsedLog:
    """An exception that the page caught itself, where it was thrown."""
    details = {"text": "Caught", "exception": {**thrown, "preview": None}}
    frames = tuple(StackFrame(one.function, one.url, one.line, one.column) for one in values)
    stack = parse_stack_text(split_error(str(thrown.get("description", "")))[1])
    text = exception_text({"exceptionDetails": details})
    return ParsedLog(ts=ts, kind="exception", level="info", text=text, frames=stack or frames, values=values)


def exception_text(params: dict[str, Any], deeper: Mapping[int, dict[str, Any]] | None = None) -> str:
    """What DevTools shows for an exception, without its stack. `deeper` may have a better preview, at index 0."""
    details = mapping(params.get("exceptionDetails"))
    headline = str(details.get("text", "Uncaught"))
    thrown = mapping(details.get("exception"))
    if not thrown:
        return safe_text(headline)
    message = render({**thrown, "deeper": deeper[0]} if deeper and 0 in deeper else thrown, top=True)
    # The headline names the error already. Add only its other properties.
    named = split_error(str(thrown.get("description", "")))[0] if thrown.get("subtype") == "error" else message
    if named and named in headline:
        return safe_logged(headline + message.removeprefix(named))
    return safe_logged(f"{headline} {message}".strip())


def parse_log_entry(params: dict[str, Any]) -> ParsedLog | None:
    """Log.entryAdded: messages of the browser itself (CSP, CORS, deprecations, interventions)."""
    entry = mapping(params.get("entry"))
    if entry.get("source") == "network" and entry.get("networkRequestId"):
        # "Failed to load resource": the network record of that request says more.
        return None
    if entry.get("source") == "worker":
        # A page repeats what its workers log. We get it from the workers.
        return None
    return ParsedLog(
        ts=_seconds(entry.get("timestamp")),
        kind="browser",
        level=_LEVELS.get(str(entry.get("level")), "log"),
        text=safe_text(entry.get("text", "")),
        method=safe_text(entry.get("source", ""), 40),
        frames=parse_stack(entry.get("stackTrace")) or only_frame(entry),
    )


def _seconds(milliseconds: object) -> float:
    if isinstance(milliseconds, int | float) and abs(milliseconds) < 2**53:
        return float(milliseconds) / 1000
    return 0.0
