"""`generate_test`: a Playwright test from what a person did in the page."""

from collections.abc import Iterator
from typing import Literal

from attrs import evolve, field, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.performance.loads import path_of
from gasoline_cdp.answers.amounts import size
from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.marked_lines import labelled
from gasoline_cdp.answers.output_files import write_output
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.artifacts.playwright.python import write_python
from gasoline_cdp.artifacts.playwright.script import Language, Script, ScriptOptions
from gasoline_cdp.artifacts.playwright.typescript import write_script
from gasoline_cdp.artifacts.playwright.wording import Assertions
from gasoline_cdp.audits.recorded_flow import recorded_flow
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Tool

Check = Literal["network", "response_shape", "no_errors", "dom_state", "visual"]
_CHECKS: list[Check] = ["network", "response_shape", "no_errors", "dom_state"]
_SUFFIXES: dict[Language, str] = {"typescript": ".ts", "javascript": ".js", "python": ".py"}
_NAME_CHARS = 120


@frozen(kw_only=True)
class GenerateTestArgs:
    """Arguments of generate_test."""

    test_name: str | None = wire.arg("Title of the test.", default=None)
    language: Language = wire.arg("python is for pytest-playwright.", default="typescript")
    last_n_actions: int | None = wire.arg("Only the last actions.", default=None, minimum=1, maximum=50)
    base_url: str | None = wire.arg("Replaces the origin of every address.", default=None)
    assertions: list[Check] | None = wire.arg("What to check (default: all but visual).", default=None)
    url_filter: str | None = wire.arg("Only actions on pages whose URL contains this.", default=None)
    tab_id: int | None = wire.arg("Only this tab.", default=None, minimum=0)
    output: str | None = wire.arg("file below --artifacts to write", default=None)


@frozen(kw_only=True)
class GenerateTestAnswer:
    """The test, or the file it was written to."""

    test_name: str
    action_count: int
    assertion_count: int
    warnings: list[str] = field(factory=list)
    test_script: str | None = None
    output: str | None = None
    bytes: int = 0

    def render(self) -> Iterator[Line]:
        """What it repeats and checks, what to look at, then the text of the test."""
        counts = f"{number_of(self.action_count, 'action')}, {number_of(self.assertion_count, 'check')}"
        where = f", {size(self.bytes)} to {word(self.output)}" if self.output else ""
        yield Line(f"{counts}{where}", tag="test:", tone="heading")
        for warning in self.warnings:
            yield labelled("warning", warning, 0)
        if self.test_script is not None:
            yield from (Line(f"| {line}" if line else "|") for line in self.test_script.splitlines())


async def generate_test(args: GenerateTestArgs, context: Context) -> GenerateTestAnswer:
    """Make the test from the newest actions, and return it or write it to a file."""
    flow = await recorded_flow(context, tab_id=args.tab_id, url_filter=args.url_filter or "", last=args.last_n_actions)
    checks = set(args.assertions if args.assertions is not None else _CHECKS)
    options = ScriptOptions(
        name=(args.test_name or f"flow from {path_of(flow.first_url)}")[:_NAME_CHARS],
        base_url=args.base_url or "",
        language=args.language,
        assertions=Assertions(**{name: name in checks for name in (*_CHECKS, "visual")}),
    )
    made: Script = write_python(flow, options) if args.language == "python" else write_script(flow, options)
    text = made.text.encode()
    answer = GenerateTestAnswer(
        test_name=options.name,
        action_count=sum(step.kind not in {"open", "comment"} for step in flow.steps),
        assertion_count=made.assertions,
        warnings=list(flow.warnings),
        bytes=len(text),
    )
    if args.output is not None:
        written = write_output(context.artifacts, args.output, text, _SUFFIXES[args.language])
        return evolve(answer, output=written)
    if len(text) > limits.ANSWER_BYTES_MAX - 2048:
        raise GasolineError(
            Code.INVALID_PARAMS,
            f"The test has {len(text) // 1024} KB and does not fit into an answer. Take fewer actions with "
            "last_n_actions, or give output (needs --artifacts DIR).",
            problems=["the test is too large for an answer"],
        )
    return evolve(answer, test_script=made.text)


TOOLS: tuple[Tool, ...] = (
    Tool(
        name="generate_test",
        title="Generate a test",
        description="Write a Playwright test from what a person did in the page: it repeats the actions and checks "
        "calls, addresses and texts.",
        args=GenerateTestArgs,
        answer=GenerateTestAnswer,
        run=generate_test,
        read_only=False,
    ),
)
