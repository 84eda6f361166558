"""Scripts made from what a person did: a test of a flow, or the reproduction of an error."""

from attrs import frozen

from gasoline_cdp.analysis.flows.flow import Flow
from gasoline_cdp.analysis.flows.reproduce import find_error, leading_to
from gasoline_cdp.artifacts.playwright.languages import ScriptForm
from gasoline_cdp.artifacts.playwright.plain_steps import write_steps
from gasoline_cdp.artifacts.playwright.python import write_python
from gasoline_cdp.artifacts.playwright.script import Script, ScriptOptions
from gasoline_cdp.artifacts.playwright.typescript import write_script
from gasoline_cdp.artifacts.playwright.wording import Assertions
from gasoline_cdp.audits.recorded_flow import recorded_flow
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context

_NAME_CHARS = 100


@frozen(kw_only=True)
class FlowScript:
    """The text of a script, what it does in a sentence, and what a reader has to know of it."""

    text: str
    summary: str
    warnings: tuple[str, ...] = ()


def write_flow(flow: Flow, options: ScriptOptions) -> Script:
    """The test of a flow, in the language of the options."""
    return write_python(flow, options) if options.language == "python" else write_script(flow, options)


async def make_test(context: Context, form: ScriptForm, url_filter: str) -> FlowScript:
    """A test of everything that was done."""
    flow = await recorded_flow(context, url_filter=url_filter)
    if form == "steps":
        return FlowScript(text=write_steps(flow), summary=_counted(flow), warnings=flow.warnings)
    made = write_flow(flow, ScriptOptions(name=f"flow from {flow.first_path}", language=form))
    return FlowScript(text=made.text, summary=f"{_counted(flow)}, {made.assertions} checks", warnings=flow.warnings)


async def make_reproduction(context: Context, form: ScriptForm, url_filter: str, message: str) -> FlowScript:
    """The shortest run that leads to an error, and the expectation that it comes."""
    flow = await recorded_flow(context, url_filter=url_filter, opening_is_enough=True)
    error = find_error(context.telemetry.logs.newest(), message)
    if error is None:
        wanted = f" that contains {message[:100]!r}" if message else ""
        raise GasolineError(
            Code.NO_ACTIONS_CAPTURED,
            f"No error{wanted} was captured. Repeat what leads to it; observe(what='errors') lists those that were.",
        )
    cut = leading_to(flow, error)
    summary = f"{_counted(cut)} that lead to an error"
    if form == "steps":
        return FlowScript(text=write_steps(cut, error.text), summary=summary, warnings=cut.warnings)
    checks = Assertions(network=False, response_shape=False, no_errors=False, dom_state=False)
    name = f"reproduces {error.text}"[:_NAME_CHARS]
    made = write_flow(cut, ScriptOptions(name=name, language=form, assertions=checks, expected_error=error.message))
    return FlowScript(text=made.text, summary=summary, warnings=cut.warnings)


def _counted(flow: Flow) -> str:
    count = sum(step.kind != "comment" for step in flow.steps)
    return f"{count} step{'' if count == 1 else 's'}"
