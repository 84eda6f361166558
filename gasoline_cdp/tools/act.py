"""`act`: opens, clicks, types and waits as a person would, and answers with what that caused."""

from attrs import frozen

from gasoline_cdp import wire
from gasoline_cdp.acting.act_answer import ActAnswer
from gasoline_cdp.acting.acting import act
from gasoline_cdp.acting.run import PlannedStep
from gasoline_cdp.acting.stepping import ACT_SECONDS
from gasoline_cdp.analysis.acting.steps import Do, check_step, parse_waiting
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Needs, Tool

_STEPS = 50


@frozen(kw_only=True)
class ActStep:
    """One step."""

    do: Do = wire.arg("What to do.")
    target: str | None = wire.arg('@ref, CSS, or role "name"', default=None)
    value: str | None = wire.arg(
        "URL, text, key, option, file, drop target; click: right|double|Shift|at X,Y; "
        "dialog: accept[:text]|dismiss; wait: text|element:X|request:X|idle",
        default=None,
    )


@frozen(kw_only=True)
class ActArgs:
    """Arguments of act."""

    steps: list[ActStep] = wire.arg("What to do, in order; see below for the words of each step.")
    tab_id: int | None = wire.arg("Tab to act in (default: the tab used last).", default=None, minimum=0)
    wait_for: str | None = wire.arg("as value of wait", default=None)


async def run_act(args: ActArgs, context: Context) -> ActAnswer:
    """Check all steps before the first is done."""
    problems = [
        f"steps[{index}]: {problem}"
        for index, step in enumerate(args.steps)
        if (problem := check_step(step.do, step.target, step.value))
    ]
    if not 1 <= len(args.steps) <= _STEPS:
        problems.append(f"steps must have 1 to {_STEPS} of them, not {len(args.steps)}")
    if problems:
        raise GasolineError(Code.INVALID_PARAMS, f"Cannot use these steps: {'; '.join(problems)}.", problems=problems)
    steps = [PlannedStep(do=step.do, target=step.target, value=step.value) for step in args.steps]
    waiting = parse_waiting(args.wait_for) if args.wait_for else None
    return await act(context, context.tabs.pick(args.tab_id), steps, waiting)


TOOLS = (
    Tool(
        name="act",
        title="Act on the page",
        description=(
            "Needs the pilot. Do steps with real input, until one fails. Answers what they caused: requests, errors, "
            "navigation, changed tree."
        ),
        args=ActArgs,
        answer=ActAnswer,
        run=run_act,
        needs=Needs(pilot=True, deadline=ACT_SECONDS + 10),
        read_only=False,
        open_world=True,
    ),
)
