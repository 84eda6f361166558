"""The files of a generated test: the test, and with recorded answers their module and a test that uses it."""

from attrs import define, evolve, field, frozen

from gasoline_cdp.analysis.flows.flow import Flow
from gasoline_cdp.artifacts.playwright.fixtures import write_fixtures
from gasoline_cdp.artifacts.playwright.languages import Language
from gasoline_cdp.artifacts.playwright.script import ScriptOptions
from gasoline_cdp.artifacts.playwright.typescript import write_script
from gasoline_cdp.artifacts.playwright.wording import Assertions
from gasoline_cdp.audits.flow_scripts import write_flow
from gasoline_cdp.audits.recorded_flow import recorded_answers, recorded_flow
from gasoline_cdp.operations.context import Context

_NAME_CHARS = 120
_CHECKS = ("network", "response_shape", "no_errors", "dom_state", "visual")


@frozen(kw_only=True)
class TestRequest:
    """Which actions, and how to write them."""

    __test__ = False

    name: str
    language: Language
    base_url: str
    checks: frozenset[str]
    url_filter: str
    tab_id: int | None
    last: int | None
    # The module of recorded answers, if they are wanted.
    fixtures_module: str


@define(kw_only=True)
class TestFiles:
    """The texts by kind: the test itself has none, then `fixtures` and `mocked`."""

    __test__ = False

    name: str
    actions: int
    assertions: int
    files: dict[str, str]
    warnings: list[str] = field(factory=list)


async def make_test_files(request: TestRequest, context: Context) -> TestFiles:
    """Write the test of what was done. Raises `no_actions_captured`."""
    flow = await recorded_flow(context, tab_id=request.tab_id, url_filter=request.url_filter, last=request.last)
    options = ScriptOptions(
        name=(request.name or f"flow from {flow.first_path}")[:_NAME_CHARS],
        base_url=request.base_url,
        language=request.language,
        assertions=Assertions(**{name: name in request.checks for name in _CHECKS}),
    )
    made = write_flow(flow, options)
    files = TestFiles(
        name=options.name,
        actions=sum(step.kind not in {"open", "comment"} for step in flow.steps),
        assertions=made.assertions,
        files={"": made.text},
        warnings=list(flow.warnings),
    )
    if request.fixtures_module:
        _add_fixtures(files, flow, evolve(options, mocks_from=request.fixtures_module), context)
    return files


def _add_fixtures(made: TestFiles, flow: Flow, options: ScriptOptions, context: Context) -> None:
    """Add the recorded answers and the test that uses them; only a warning if there are none."""
    if options.language == "python":
        made.warnings.append("Fixtures are written for TypeScript and JavaScript only.")
        return
    fixtures = write_fixtures(recorded_answers(flow, context), options.language)
    if not fixtures.count:
        made.warnings.append(
            "No answer was kept, so there are no fixtures: a person starts the browser with --bodies all."
        )
        return
    if fixtures.left_out:
        made.warnings.append(f"{fixtures.left_out} answers are too many or too large for the fixtures.")
    made.files |= {"fixtures": fixtures.text, "mocked": write_script(flow, options).text}
