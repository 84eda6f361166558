"""Repeats the scenario of a session of `verify_fix`: the recorded steps that led to what was wrong."""

from collections.abc import Iterator

from attrs import field, frozen

from gasoline_cdp.acting.act_answer import StepOutcome
from gasoline_cdp.acting.acting import act
from gasoline_cdp.acting.replay_steps import Replay, plan_replay
from gasoline_cdp.acting.run import PlannedStep
from gasoline_cdp.analysis.compare.snapshots import SessionSnapshot
from gasoline_cdp.analysis.compare.triggers import Try, is_same
from gasoline_cdp.analysis.flows.flow import Flow
from gasoline_cdp.analysis.flows.reproduce import scenario
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.audits.recorded_flow import flow_until
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.comparisons.verify_answers import triggers_of
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.saved_items import VerifySession
from gasoline_cdp.redact import safe_text

_STEPS = 50
_TEXT_CHARS = 200


@frozen(kw_only=True)
class Replayed:
    """What was done, in a sentence and step by step."""

    summary: str
    steps: list[str] = field(factory=list)


async def replay(context: Context, session: VerifySession) -> Replayed:
    """Do the steps of the scenario again, in its tab. Raises if there is nothing to repeat."""
    until = context.telemetry.last_seq if session.scenario_until is None else session.scenario_until
    flow = await flow_until(context, session.tab_id, until)
    tab = _tab_of(context, session, until)
    planned = _planned(flow, session.baseline)
    if not planned.steps:
        why = f" ({safe_text(planned.cut, _TEXT_CHARS)})" if planned.cut else ""
        raise GasolineError(
            Code.NO_ACTIONS_CAPTURED,
            f"There is no recorded step that can be repeated{why}. Try the scenario with act or by hand, then call "
            "verify_fix(action='compare').",
        )
    answer = await act(context, tab, planned.steps, None)
    done = sum(step.outcome == "done" for step in answer.steps)
    summary = f"Replayed {done} of {number_of(len(planned.steps), 'step')}."
    lines = [_line_of(step) for step in answer.steps if step.outcome != "skipped"]
    if planned.cut:
        summary += " The rest was not repeated."
        lines.append(f"not repeated: {safe_text(planned.cut, _TEXT_CHARS)}")
    return Replayed(summary=summary, steps=lines)


def _line_of(step: StepOutcome) -> str:
    done = " ".join(filter(None, (step.do, word(step.target) if step.target else "", step.outcome)))
    return f"{done}: {step.detail}" if step.detail else done


def _planned(flow: Flow | None, baseline: SessionSnapshot) -> Replay:
    needed = list(_needed(baseline))
    if flow is None or not flow.steps:
        # Nobody did anything: the load of the page is all there is.
        opened = PlannedStep(do="open", value=baseline.page_url)
        return Replay(steps=(opened,) if baseline.page_url.startswith("http") else ())
    first = min((_over(one) for one in needed), default=flow.steps[-1].ts)
    last = max((_over(one) for one in needed), default=flow.steps[-1].ts)
    return plan_replay(scenario(flow, first, last), _STEPS)


def _needed(baseline: SessionSnapshot) -> Iterator[Try]:
    """The last time that each trigger of an issue happened."""
    for trigger in triggers_of(baseline):
        if (seen := next((one for one in baseline.tried if is_same(one.cause, trigger.cause)), None)) is not None:
            yield seen


def _over(one: Try) -> float:
    """When it was done. A load is recorded when its document has come."""
    return one.ts if one.cause.kind != "load" else one.loaded or one.until or one.ts + 1.0


def _tab_of(context: Context, session: VerifySession, until: int) -> Tab:
    """The tab of the scenario: that of the session, or the one acted in last before it ended."""
    if session.tab_id:
        return context.tabs.pick(session.tab_id)
    acted = (record for record in context.telemetry.actions.newest() if record.seq <= until)
    last = next((record.source.tab_id for record in acted if record.type != "navigate"), None)
    is_open = last in {tab.tab_id for tab in context.tabs.open()}
    return context.tabs.pick(last if is_open else None)
