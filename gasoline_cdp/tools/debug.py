"""`debug`: uses the debugger as a witness, without stopping at anything for a person."""

import re
from collections.abc import Iterator
from typing import Literal

import trio
from attrs import field, frozen

from gasoline_cdp import debug_limits, wire
from gasoline_cdp.answers.coverage_entries import RanFileEntry, show_files
from gasoline_cdp.answers.lines import Line, note
from gasoline_cdp.answers.output_files import write_output
from gasoline_cdp.answers.quoting import quoted, word
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.capture.coverage import Coverage
from gasoline_cdp.capture.log_points import LogPoint
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.debugger_use import describe_debugger
from gasoline_cdp.operations.operation import Needs, Tool
from gasoline_cdp.redact import safe_text

# What ran, in one answer.
_RAN_CHARS = 6000
_LOCATION = re.compile(r"(.{1,300}?):(\d{1,7})(?::\d{1,7})?")


@frozen(kw_only=True)
class DebugArgs:
    """Arguments of debug."""

    action: Literal["catch", "log", "coverage", "list", "off"] = wire.choice(
        "catch: show variables at exceptions; log: show an expression whenever a line runs; coverage: begin to count, "
        "then show what ran since; list; off: end all"
    )
    on: Literal["all", "uncaught"] = wire.arg("all: also those the page catches", default="uncaught", only=("catch",))
    url_filter: str = wire.arg("Only in scripts whose URL contains this.", default="", only=("catch",))
    async_stacks: bool = wire.arg("Slow.", default=False, only=("catch",))
    at: str | None = wire.arg("FILE:LINE, as written or as it runs", default=None, only=("log",))
    expression: str | None = wire.arg("a, b.c", default=None, only=("log",))
    condition: str = wire.arg("Only if this is true.", default="", only=("log",))
    limit: int = wire.arg(
        "Hits until it ends.",
        default=debug_limits.LOG_POINT_HITS,
        minimum=1,
        maximum=debug_limits.LOG_POINT_HITS_MAX,
        only=("log",),
    )
    by_line: bool = wire.arg("Also lines that did not run. Reload first.", default=False, only=("coverage",))
    output: str | None = wire.arg("file.json (Istanbul) or file.v8.json", default=None, only=("coverage",))


@frozen(kw_only=True)
class LogPointEntry:
    """A log point. `bound` counts the scripts that have its line; `locations` are where it stands, as written."""

    at: str
    expression: str
    condition: str = ""
    bound: int
    locations: list[str]
    hits: int
    hits_left: int
    over: str = ""

    def line(self) -> Line:
        """Where it stands and how often it was hit, or why not."""
        if self.over:
            state = f"over: {self.over}"
        elif not self.bound:
            state = "not bound yet: no loaded script has this line"
        else:
            state = f"{number_of(self.hits, 'hit')}, {self.hits_left} left"
        moved = [one for one in self.locations if not f"{one}:".startswith(f"{self.at}:")]
        where = f" in {', '.join(map(word, moved))}" if moved else ""
        condition = f" if {quoted(self.condition, 100)}" if self.condition else ""
        return Line(f"{word(self.at)}{where}: {quoted(self.expression, 200)}{condition}; {state}")


@frozen(kw_only=True)
class DebugAnswer:
    """What of the debugger is in use now; empty if nothing is."""

    debugger: str
    log_points: list[LogPointEntry] = field(factory=list)
    ran: list[RanFileEntry] = field(factory=list)
    note: str = ""

    def render(self) -> Iterator[Line]:
        """What is on, what ran, and how to go on."""
        yield Line(f"The debugger {self.debugger}." if self.debugger else "The debugger is off.", tone="heading")
        yield from (point.line() for point in self.log_points)
        yield from (file.line() for file in self.ran)
        if self.note:
            yield note(self.note)


async def debug(args: DebugArgs, context: Context) -> DebugAnswer:
    """Switch it for all tabs, workers and frames, and for those that open later."""
    capture = context.capture
    said, ran, points = "", list[RanFileEntry](), list[LogPoint]()
    if args.action == "off":
        capture.catcher.switch("off")
        capture.log_points.end("it was switched off")
        # They are shown once more, with their hits.
        points, capture.log_points.points = capture.log_points.points, []
        capture.coverage.switch(on=False)
    elif args.action == "catch":
        capture.catcher.switch(args.on, args.url_filter, async_stacks=args.async_stacks)
        said = "Let the error happen again: observe(what='errors') then shows the variables."
    elif args.action == "log":
        new = await _add_log_point(args, context)
        points = [point for point in capture.log_points.points if point is new or not point.over]
        said = "Let the line run: observe(what='logs') then shows the values."
    elif args.action == "coverage":
        ran, said = await _coverage(args, context)
    elif args.action == "list":
        points = capture.log_points.points
    shown = [_show(point) for point in points]
    return DebugAnswer(debugger=describe_debugger(capture), log_points=shown, ran=ran, note=said)


async def _coverage(args: DebugArgs, context: Context) -> tuple[list[RanFileEntry], str]:
    """Begin to count, or show what ran since it was last shown. A file has all of it since the documents began."""
    coverage = context.capture.coverage
    if not coverage.is_on or (args.by_line and not coverage.by_line):
        if args.output is not None:
            raise _wrong("nothing was counted yet: call it without output first, and reload the page")
        coverage.switch(on=True, by_line=args.by_line)
        await coverage.take()
        return [], "Counting. Do it, then call this again. For all of a page, reload it first."
    ran = await coverage.ran()
    notes = list(ran.notes)
    if args.output is not None:
        notes.append(await _write_coverage(coverage, context, args.output))
    files, more = show_files(ran.functions)
    while len(files) > 1 and sum(len(str(file.line())) for file in files) > _RAN_CHARS:
        more += 1
        files.pop()
    if more:
        notes.append(f"{number_of(more, 'file')} more did not fit: output writes all.")
    return files, " ".join(notes) or ("" if files else "Nothing of the page's own code ran.")


async def _write_coverage(coverage: Coverage, context: Context, output: str) -> str:
    from gasoline_cdp.artifacts.coverage import istanbul_coverage, v8_coverage  # noqa: PLC0415 - few ask for a file

    totals = coverage.totals()
    if output.endswith(".v8.json"):
        document = v8_coverage(script for counts in totals.values() for script in counts.values())
    else:
        written = await coverage.written(totals, also_unused=True)
        document = istanbul_coverage(written.functions)
    path = write_output(context.artifacts, output, wire.encode(document), ".json")
    return f"Written to {word(path)}."


async def _add_log_point(args: DebugArgs, context: Context) -> LogPoint:
    location = _LOCATION.fullmatch(args.at or "")
    if location is None:
        raise _wrong("at must be FILE:LINE, such as src/App.tsx:42")
    if not (args.expression or "").strip():
        raise _wrong("expression is needed, such as cart.total, coupon")
    expression = str(args.expression)
    for name, code in (("expression", f"[\n{expression}\n]"), ("condition", args.condition)):
        if code and (problem := await _syntax_error(context, code)):
            raise _wrong(f"{name}: {problem}")
    points = context.capture.log_points
    point = points.add(location[1], int(location[2]), expression, condition=args.condition, limit=args.limit)
    with trio.move_on_after(debug_limits.LOG_POINT_BIND_SECONDS):
        await points.wait_bound()
    return point


async def _syntax_error(context: Context, code: str) -> str:
    """What is wrong with a piece of code; empty if nothing is, or if there is no page to ask."""
    tab = next(iter(context.tabs.open()), None)
    if tab is None:
        return ""
    reply = await tab.session.send(
        "Runtime.compileScript", {"expression": f"(() => (\n{code}\n))", "sourceURL": "", "persistScript": False}
    )
    details = reply.get("exceptionDetails") or {}
    described = str((details.get("exception") or {}).get("description") or details.get("text") or "")
    return safe_text(described.partition("\n")[0], 200)


def _wrong(problem: str) -> GasolineError:
    return GasolineError(Code.INVALID_PARAMS, f"Cannot use these arguments: {problem}.", problems=[problem])


def _show(point: LogPoint) -> LogPointEntry:
    locations = [position.written for position in point.positions.values()]
    return LogPointEntry(
        at=safe_text(f"{point.path}:{point.line}", 300),
        expression=safe_text(point.expression, 500),
        condition=safe_text(point.condition, 500),
        bound=point.bound,
        locations=list(dict.fromkeys(f"{one.url}:{one.line}" for one in locations))[:5],
        hits=point.hits,
        hits_left=point.hits_left,
        over=point.over,
    )


TOOLS = (
    Tool(
        name="debug",
        title="Read variables",
        description=(
            "Needs the pilot. catch: errors then show variables. log: logs then show expression whenever the line "
            "runs. coverage: first call counts, next shows what ran. Slows pages until off."
        ),
        args=DebugArgs,
        answer=DebugAnswer,
        run=debug,
        needs=Needs(pilot=True),
        read_only=False,
        idempotent=True,
    ),
)
