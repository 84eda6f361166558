"""Console messages in an answer: as entries and as lines."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from attrs import frozen

from gasoline_cdp.analysis.sourcemaps.frames import ADDRESS_CHARS, cut, place_of
from gasoline_cdp.answers.amounts import clock, seconds_between
from gasoline_cdp.answers.lines import Line, Tone
from gasoline_cdp.answers.paging import iso
from gasoline_cdp.answers.quoting import folded, quoted
from gasoline_cdp.answers.shared_facts import SharedFacts, home_of
from gasoline_cdp.answers.source_fields import inside
from gasoline_cdp.answers.stack_lines import show_stack
from gasoline_cdp.limits import LINE_TEXT_CHARS
from gasoline_cdp.measures import FrameValues
from gasoline_cdp.records import LogRecord, StackFrame

_MESSAGE_CHARS = 1500
_FRAMES_SHOWN = 5
_FRAMES_IN_LIST = 3
# What was logged: the line that did, and who called it, if that was a logging function.
_FRAMES_OF_CONSOLE = 2
_SPREAD_SECONDS = 10
# The line's tag already says this.
_UNCAUGHT = re.compile(r"^Uncaught (?:\(in promise\) )?(?=\S)")
# Marks an error that may already be fixed.
BEFORE_CHANGE = "(before the code changed)"
# Levels whose messages have a stack.
_TROUBLE = {"error", "warning"}
_TONES: dict[str, Tone] = {"error": "error", "warning": "warning", "debug": "dim"}


@frozen(kw_only=True)
class Variables:
    """The variables of one function when an exception was thrown in it, or in what it called."""

    function: str
    at: str
    values: str


# Without slots: made a thousand times for one answer, and three times faster.
@frozen(kw_only=True, slots=False)
class LogEntry:
    """A console message, exception, rejection, browser message, error of a dev server's build, event, or code change.

    `at` and `stack` are source locations, mapped by source maps where possible; runs of library code are counted.
    For an error they say where it was created, and `logged_at` where it was logged. `depth` counts open groups.
    `before_change`: an error, and the code of its tab has changed since. `variables` are there while `debug` catches.
    """

    ts: str
    level: str
    kind: str
    message: str
    at: str | None = None
    stack: list[str] | None = None
    logged_at: str | None = None
    depth: int = 0
    tab_id: int
    page: str
    frame: str | None = None
    worker: str | None = None
    ingested_from: str | None = None
    count: int = 1
    first_ts: str | None = None
    before_change: bool = False
    variables: list[Variables] | None = None

    def lines(self, shared: SharedFacts, chars: int) -> Iterator[Line]:
        """The message, and the code that logged it."""
        words = (
            quoted(without_uncaught(self.kind, self.message), chars),
            shared.inside(self),
            shared.on_page(self.page) if not (self.frame or self.worker) else "",
            shared.tab(self.tab_id),
            repeated(self.count, self.first_ts, self.ts),
            BEFORE_CHANGE if self.before_change else "",
        )
        yield Line(
            " ".join(filter(None, words)),
            time=clock(self.ts),
            tag=self.kind if self.kind != "console" else self.level,
            place=shared.stack(self.at, self.stack or (), home_of(self), _frames_shown(self.kind, chars))
            if self.kind != "event"
            else "",
            tone="action" if self.kind == "event" and self.level == "info" else _TONES.get(self.level, "plain"),
            depth=min(self.depth, 3),
        )
        for one in self.variables or ():
            yield Line(folded(f"{one.function}: {one.values}" if one.function else one.values, chars), depth=1)


def _frames_shown(kind: str, chars: int) -> int:
    """In a list, the nearest callers are enough; whoever asks for few entries gets all."""
    if chars > LINE_TEXT_CHARS:
        return _FRAMES_SHOWN
    return _FRAMES_OF_CONSOLE if kind == "console" else _FRAMES_IN_LIST


def without_uncaught(kind: str | None, message: str) -> str:
    """The message without `Uncaught`, which the kind already says."""
    return _UNCAUGHT.sub("", message) if kind in {"exception", "rejection"} else message


def repeated(count: int, first_ts: str | None = None, last_ts: str | None = None) -> str:
    """How often something happened, if more than once, and since when, if that took some seconds."""
    if count < 2:
        return ""
    if first_ts and last_ts and seconds_between(first_ts, last_ts) >= _SPREAD_SECONDS:
        return f"×{count} since {clock(first_ts)}"
    return f"×{count}"


def show_log(record: LogRecord) -> LogEntry:
    """A log record as an entry."""
    return LogEntry(**log_fields(record))


def log_fields(record: LogRecord) -> dict[str, Any]:
    """What the entry says, in its order. Only errors, warnings and traces have a stack."""
    source, frames = record.source, record.frames
    fields: dict[str, Any] = {
        "ts": iso(record.ts),
        "level": record.level,
        "kind": record.kind,
        "message": cut(record.text, _MESSAGE_CHARS),
    }
    if frames:
        fields["at"] = place_of(frames[0])
        if len(frames) > 1 and (record.level in _TROUBLE or record.method == "trace"):
            fields["stack"] = show_stack(frames[1:], _FRAMES_SHOWN - 1)
    if record.logged:
        fields["logged_at"] = place_of(record.logged)
    if record.depth:
        fields["depth"] = record.depth
    fields["tab_id"] = source.tab_id
    fields["page"] = cut(source.url, ADDRESS_CHARS)
    fields |= inside(source)
    if record.values:
        fields["variables"] = [_show_variables(one, frames) for one in record.values]
    return fields


def _show_variables(values: FrameValues, frames: Sequence[StackFrame]) -> Variables:
    """With the place of the frame in the stack, which a source map may have moved."""
    known = values.index if 0 <= values.index < len(frames) else None
    frame = StackFrame(values.function, values.url, values.line, values.column) if known is None else frames[known]
    return Variables(function=frame.function, at=place_of(frame), values=values.variables)
