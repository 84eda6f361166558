"""Console calls, exceptions, rejections and browser log entries, as records."""

import re
from collections.abc import Sequence
from typing import Any

from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.records import Level, LogKind, LogRecord, Source, StackFrame
from gasoline_cdp.redact import safe_text, safe_url

_LEVELS: dict[str, Level] = {
    "error": "error",
    "assert": "error",
    "warning": "warning",
    "info": "info",
    "debug": "debug",
    "verbose": "debug",
}
# Calls that only end something; they print nothing in DevTools either.
_SILENT = {"endGroup", "clear", "profile", "profileEnd"}
_SPECIFIER = re.compile(r"%[sdifoOc%]")
_STACK_START = re.compile(r"\n\s+at ")


@frozen
class Said:
    """What a log record will say, before it has a place in the order of arrival."""

    ts: float
    kind: LogKind
    level: Level
    text: str
    method: str = ""
    frames: tuple[StackFrame, ...] = ()

    def record(self, seq: int, source: Source) -> LogRecord:
        """Give it its place and its source."""
        return LogRecord(
            seq=seq,
            ts=self.ts,
            source=source,
            kind=self.kind,
            level=self.level,
            text=self.text,
            method=self.method,
            frames=self.frames,
        )


def parse_console(params: dict[str, Any]) -> Said | None:
    """Runtime.consoleAPICalled; None for calls that print nothing."""
    method = str(params.get("type", "log"))
    if method in _SILENT:
        return None
    arguments = params.get("args")
    text = render_arguments(arguments if isinstance(arguments, list) else [])
    if method == "assert":
        text = f"Assertion failed: {text}" if text else "Assertion failed"
    return Said(
        ts=_seconds(params.get("timestamp")),
        kind="console",
        level=_LEVELS.get(method, "log"),
        text=safe_text(text),
        method=method[:20],
        frames=parse_stack(params.get("stackTrace")),
    )


def parse_exception(params: dict[str, Any]) -> Said:
    """Runtime.exceptionThrown: an uncaught exception, or a promise rejected with nobody listening."""
    details = _mapping(params.get("exceptionDetails"))
    headline = str(details.get("text", "Uncaught"))
    thrown = _mapping(details.get("exception"))
    message = render(thrown, top=True) if thrown else ""
    # The frames below say it better than the stack inside the description.
    message = _STACK_START.split(message, maxsplit=1)[0]
    frames = parse_stack(details.get("stackTrace")) or _only_frame(details)
    return Said(
        ts=_seconds(params.get("timestamp")),
        kind="rejection" if "in promise" in headline else "exception",
        level="error",
        text=safe_text(f"{headline} {message}".strip() if message not in headline else headline),
        frames=frames,
    )


def parse_log_entry(params: dict[str, Any]) -> Said | None:
    """Log.entryAdded: what the browser itself has to say (CSP, CORS, deprecations, interventions)."""
    entry = _mapping(params.get("entry"))
    if entry.get("source") == "network" and entry.get("networkRequestId"):
        # "Failed to load resource": the network record of that request says more.
        return None
    return Said(
        ts=_seconds(entry.get("timestamp")),
        kind="browser",
        level=_LEVELS.get(str(entry.get("level")), "log"),
        text=safe_text(entry.get("text", "")),
        method=safe_text(entry.get("source", ""), 40),
        frames=parse_stack(entry.get("stackTrace")) or _only_frame(entry),
    )


def parse_stack(stack: object) -> tuple[StackFrame, ...]:
    """The first frames of a stack, with lines and columns counted from 1."""
    frames = _mapping(stack).get("callFrames")
    if not isinstance(frames, list):
        return ()
    return tuple(
        StackFrame(
            function=safe_text(frame.get("functionName") or "", 120),
            url=safe_url(frame.get("url", "")),
            line=_whole(frame.get("lineNumber")) + 1,
            column=_whole(frame.get("columnNumber")) + 1,
        )
        for frame in frames[: limits.STACK_FRAMES]
        if isinstance(frame, dict)
    )


def render_arguments(arguments: Sequence[object]) -> str:
    """All arguments of a console call as the one line of text that DevTools would show."""
    values = [_mapping(argument) for argument in arguments[: limits.CONSOLE_ARGUMENTS]]
    if not values:
        return ""
    pieces: list[str] = []
    if values[0].get("type") == "string" and "%" in str(values[0].get("value")):
        pieces.append(_format(str(values[0].get("value")), values))
        values = values[1 + _used_specifiers(str(arguments[0]["value"]), len(values) - 1) :]  # type: ignore[index]
    pieces.extend(render(value, top=True) for value in values)
    if len(arguments) > limits.CONSOLE_ARGUMENTS:
        pieces.append(f"… {len(arguments) - limits.CONSOLE_ARGUMENTS} more arguments")
    return " ".join(piece for piece in pieces if piece)


def _used_specifiers(template: str, available: int) -> int:
    return min(available, sum(1 for found in _SPECIFIER.findall(template) if found != "%%"))


def _format(template: str, values: list[dict[str, Any]]) -> str:
    rest = iter(values[1:])

    def fill(found: re.Match[str]) -> str:
        if found[0] == "%%":
            return "%"
        value = next(rest, None)
        if value is None:
            return found[0]
        if found[0] == "%c":
            return ""
        return render(value, top=True)

    return _SPECIFIER.sub(fill, template)


def render(value: dict[str, Any], *, top: bool = False) -> str:
    """One value; strings are bare at the top and quoted inside others."""
    kind = value.get("type")
    if kind == "string":
        text = str(value.get("value", value.get("description", "")))
        return text if top else f'"{text}"'
    if value.get("subtype") == "null":
        return "null"
    if kind in {"undefined", None}:
        return "undefined" if kind else ""
    if kind == "boolean":
        return "true" if value.get("value") is True else str(value.get("value")).lower()
    if kind in {"number", "bigint"}:
        return str(value.get("unserializableValue", value.get("description", value.get("value"))))
    if kind == "function":
        return str(value.get("description", "function")).split("{", 1)[0].strip() or "function"
    if kind == "object" and value.get("subtype") != "error" and isinstance(value.get("preview"), dict):
        return _render_preview(value["preview"])
    return str(value.get("description", kind))


def _render_preview(preview: dict[str, Any]) -> str:
    more = ["…"] if preview.get("overflow") else []
    entries = preview.get("entries")
    description = str(preview.get("description", ""))
    if isinstance(entries, list) and entries:
        pairs = [
            " => ".join(_render_part(entry[side]) for side in ("key", "value") if isinstance(entry.get(side), dict))
            for entry in entries
            if isinstance(entry, dict)
        ]
        return f"{description} {{{', '.join(pairs + more)}}}"
    properties = [item for item in preview.get("properties") or [] if isinstance(item, dict)]
    if preview.get("subtype") in {"array", "typedarray"}:
        return f"[{', '.join([_render_part(item) for item in properties] + more)}]"
    if preview.get("subtype") in {"node", "date", "regexp", "proxy"}:
        return description
    pairs = [f"{item.get('name')}: {_render_part(item)}" for item in properties]
    prefix = "" if description in {"", "Object"} else f"{description} "
    return f"{prefix}{{{', '.join(pairs + more)}}}"


def _render_part(part: dict[str, Any]) -> str:
    if isinstance(part.get("valuePreview"), dict):
        return _render_preview(part["valuePreview"])
    value = str(part.get("value", part.get("description", "")))
    if part.get("type") == "string":
        return f'"{value}"'
    return "ƒ" if part.get("type") == "function" else value


def _only_frame(details: dict[str, Any]) -> tuple[StackFrame, ...]:
    url = details.get("url")
    if not url:
        return ()
    line, column = _whole(details.get("lineNumber")) + 1, _whole(details.get("columnNumber")) + 1
    return (StackFrame("", safe_url(url), line, column),)


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _whole(value: object) -> int:
    return int(value) if isinstance(value, int | float) and abs(value) < 2**53 else 0


def _seconds(milliseconds: object) -> float:
    return float(milliseconds) / 1000 if isinstance(milliseconds, int | float) else 0.0
