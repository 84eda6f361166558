"""`generate_test`: a Playwright test from what a person did in the page."""

from collections.abc import Iterator
from typing import Literal

from attrs import evolve, field, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.answers.amounts import size
from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.marked_lines import labelled
from gasoline_cdp.answers.output_files import write_output
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.artifacts.playwright.languages import SUFFIXES, Language
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Tool

Check = Literal["network", "response_shape", "no_errors", "dom_state", "visual"]
_CHECKS: list[Check] = ["network", "response_shape", "no_errors", "dom_state"]


@frozen(kw_only=True)
class GenerateTestArgs:
    """Arguments of generate_test."""

    test_name: str | None = wire.arg("Title of the test.", default=None)
    language: Language = wire.arg("python is for pytest-playwright.", default="typescript")
    last_n_actions: int | None = wire.arg("Only the last actions.", default=None, minimum=1, maximum=50)
    base_url: str | None = wire.arg("Replaces the origin of every address.", default=None)
    assertions: list[Check] | None = wire.arg("default: all but visual", default=None)
    fixtures: bool = wire.arg("also recorded answers, and a variant that uses them", default=False)
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
    # With `fixtures`: the module of recorded answers, and the test that uses them instead of a server.
    fixture_file: str | None = None
    mocked_script: str | None = None
    output: str | None = None
    bytes: int = 0

    def render(self) -> Iterator[Line]:
        """What it repeats and checks, what to look at, then the text of the test."""
        counts = f"{number_of(self.action_count, 'action')}, {number_of(self.assertion_count, 'check')}"
        where = f", {size(self.bytes)} to {word(self.output)}" if self.output else ""
        yield Line(f"{counts}{where}", tag="test:", tone="heading")
        for warning in self.warnings:
            yield labelled("warning", warning, 0)
        for name, text in (("", self.test_script), ("fixtures", self.fixture_file), ("mocked", self.mocked_script)):
            if text is not None:
                if name:
                    yield Line("", tag=f"{name}:", tone="heading")
                yield from (Line(f"| {line}" if line else "|") for line in text.splitlines())


async def generate_test(args: GenerateTestArgs, context: Context) -> GenerateTestAnswer:
    """Make the test from the newest actions, and return it or write it to a file."""
    from gasoline_cdp.audits.test_files import TestRequest, make_test_files  # noqa: PLC0415 - few daemons are asked

    request = TestRequest(
        name=args.test_name or "",
        language=args.language,
        base_url=args.base_url or "",
        checks=frozenset(args.assertions if args.assertions is not None else _CHECKS),
        url_filter=args.url_filter or "",
        tab_id=args.tab_id,
        last=args.last_n_actions,
        fixtures_module=_fixtures_name(args.output) if args.fixtures else "",
    )
    made = await make_test_files(request, context)
    answer = GenerateTestAnswer(
        test_name=made.name,
        action_count=made.actions,
        assertion_count=made.assertions,
        warnings=made.warnings,
        bytes=sum(len(text.encode()) for text in made.files.values()),
    )
    if args.output is not None:
        return evolve(answer, output=_write(made.files, args, context))
    if answer.bytes > limits.ANSWER_BYTES_MAX - 4096:
        raise GasolineError(
            Code.INVALID_PARAMS,
            f"The test has {answer.bytes // 1024} KB and does not fit into an answer. Take fewer actions with "
            "last_n_actions, or give output (needs --artifacts DIR).",
            problems=["the test is too large for an answer"],
        )
    return evolve(
        answer,
        test_script=made.files[""],
        fixture_file=made.files.get("fixtures"),
        mocked_script=made.files.get("mocked"),
    )


def _fixtures_name(output: str | None) -> str:
    """The name of the module beside the test, without its ending."""
    return f"{(output or 'flow').rpartition('/')[2].partition('.')[0]}.fixtures"


def _write(files: dict[str, str], args: GenerateTestArgs, context: Context) -> str:
    """Write the test, and what belongs to it beside it. Returns the path of the test."""
    suffix = SUFFIXES[args.language]
    output = args.output or ""
    folder, _, name = output.rpartition("/")
    stem = f"{folder}/{name.partition('.')[0]}" if folder else name.partition(".")[0]
    written = write_output(context.artifacts, output, files[""].encode(), suffix)
    for part, ending in (("fixtures", f".fixtures{suffix}"), ("mocked", f".mocked.spec{suffix}")):
        if part in files:
            write_output(context.artifacts, f"{stem}{ending}", files[part].encode(), suffix)
    return written


TOOLS: tuple[Tool, ...] = (
    Tool(
        name="generate_test",
        title="Generate a test",
        description="A Playwright test of what the user did: repeats the actions, checks calls, addresses and texts.",
        args=GenerateTestArgs,
        answer=GenerateTestAnswer,
        run=generate_test,
        read_only=False,
    ),
)
