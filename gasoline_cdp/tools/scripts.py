"""`execute_javascript`: runs an assistant's script in the page."""

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from gasoline_cdp import limits, pilot_limits, wire
from gasoline_cdp.answers.amounts import size
from gasoline_cdp.answers.arguments import max_bytes_argument, tab_argument
from gasoline_cdp.answers.json_lines import json_lines
from gasoline_cdp.answers.lines import Line, note
from gasoline_cdp.answers.paging import shrink
from gasoline_cdp.answers.quoting import block, word
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Needs, Tool
from gasoline_cdp.redact import safe_url

# A script there could change the browser's settings, which the pilot does not cover.
_OF_THE_BROWSER = {"chrome", "chrome-untrusted", "chrome-extension", "devtools", "edge"}
# Room for the other fields and a notice.
_AROUND_RESULT = 600


@frozen(kw_only=True)
class ScriptArgs:
    """Arguments of execute_javascript."""

    script: str = wire.arg("an expression, or statements with return; may await")
    timeout_ms: int = wire.arg(
        "Time limit in milliseconds.", default=pilot_limits.SCRIPT_MS, minimum=1, maximum=pilot_limits.SCRIPT_MS_MAX
    )
    max_bytes: int | None = max_bytes_argument()
    tab_id: int | None = tab_argument()


@frozen(kw_only=True)
class ScriptResult:
    """The script's result. Values that JSON lacks are described: [Circular], "NaN", "12n", {"[Map(1)]": …}."""

    success: bool
    result: Any
    # The browser's name for the type: number, undefined, array, map, node, …
    type: str
    tab_id: int
    truncated: bool = False
    # Size of the whole result as JSON. If it is too large to measure: the least number of parts it has.
    size_bytes: int | None = None
    parts_at_least: int | None = None
    note: str = ""
    # Maximum size of the result in bytes.
    room: int = wire.internal(limits.ANSWER_BYTES)

    def render(self) -> Iterator[Line]:
        """`number | 42`, or a long result below its type."""
        whole = f", {size(self.size_bytes)} in all" if self.size_bytes is not None else ""
        parts = f", at least {self.parts_at_least} parts" if self.parts_at_least is not None else ""
        kind = f"{word(self.type)} from tab {self.tab_id}{whole}{parts}"
        shown = self._shown()
        if not shown:
            yield Line(kind, tone="heading")
        elif len(shown) == 1:
            yield Line(f"{kind} {shown[0]}")
        else:
            yield Line(f"{kind}:", tone="heading")
            yield from map(Line, shown)
        if self.note:
            yield note(self.note)

    def _shown(self) -> list[str]:
        if self.type == "undefined" and self.result is None:
            return []
        if isinstance(self.result, str) and "\n" in self.result:
            lines = block(self.result, len(self.result))
            if sum(len(line.encode()) + 1 for line in lines) <= self.room:
                return lines
        return json_lines(self.result, self.room)


async def execute_javascript(args: ScriptArgs, context: Context) -> ScriptResult:
    """Run the script, log that it ran, and fit its result into the answer."""
    if len(args.script) > pilot_limits.SCRIPT_CHARS or not args.script.strip():
        given = f"{len(args.script)}" if args.script.strip() else "be blank"
        problem = f"script must have 1 to {pilot_limits.SCRIPT_CHARS} characters, not {given}"
        raise GasolineError(Code.INVALID_PARAMS, f"Cannot use these arguments: {problem}.", problems=[problem])
    tab = context.tabs.pick(args.tab_id)
    if tab.raw_url.partition(":")[0] in _OF_THE_BROWSER:
        problem = f"tab {tab.tab_id} shows {safe_url(tab.raw_url, 100)}, a page of the browser itself, not of the web"
        raise GasolineError(
            Code.INVALID_PARAMS,
            f"No script runs there: {problem}. Name another tab_id, or open a page first.",
            problems=[problem],
        )
    # Do not log its text: it may contain passwords that no pattern recognises, and logs go into artifacts.
    context.capture.say("info", f"An assistant ran a script of {len(args.script)} characters.", tab.source)
    context.capture.actions.script_ran(tab.source, args.script)
    outcome = await context.scripts.run(tab, args.script, args.timeout_ms / 1000)
    budget = (args.max_bytes or limits.ANSWER_BYTES) - _AROUND_RESULT
    value, length, note_text = outcome.value, outcome.chars or len(wire.encode(outcome.value)), ""
    truncated = outcome.chars is not None or outcome.shown_depth is not None
    # Lines need extra room for marks and indentation.
    fits = budget - budget // 20 if context.form == "lines" else budget
    if len(wire.encode(value)) > fits:
        value, truncated = _cut(value, fits), True
    if truncated:
        note_text = "Too large for one answer: return only the part you need"
        note_text += f"; shown to a depth of {outcome.shown_depth}." if outcome.shown_depth else "."
    elif outcome.type == "undefined":
        note_text = "The script returned nothing. A script of several statements needs `return`."
    return ScriptResult(
        success=True,
        result=value,
        type=outcome.type,
        tab_id=tab.tab_id,
        truncated=truncated,
        size_bytes=length if truncated and outcome.shown_depth is None else None,
        parts_at_least=outcome.parts_at_least,
        note=note_text,
        room=budget,
    )


def _cut(value: Any, budget: int) -> Any:
    """The beginning of a value that does not fit: entries of a list or an object, else of its JSON text."""
    if isinstance(value, list):
        shown: list[Any] = []
        for item in value:
            budget -= len(wire.encode(item)) + 1
            if budget < 0:
                break
            shown.append(item)
        if shown:
            return shown
    if isinstance(value, dict):
        kept = shrink(value, budget)
        kept.pop("shortened", None)
        if kept:
            return kept
    text = value if isinstance(value, str) else wire.encode(value).decode()
    return text.encode()[: budget // 2].decode(errors="ignore") + "…"


TOOLS = (
    Tool(
        name="execute_javascript",
        title="Run JavaScript",
        description=("Needs the pilot. Run JavaScript in the page; the result comes as JSON."),
        args=ScriptArgs,
        answer=ScriptResult,
        run=execute_javascript,
        needs=Needs(pilot=True, deadline=pilot_limits.SCRIPT_MS_MAX / 1000 + 15),
        read_only=False,
    ),
)
