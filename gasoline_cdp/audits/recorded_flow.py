"""The flow that was recorded: chooses the records that a test or a reproduction is made from."""

import orjson
from attrs import evolve

from gasoline_cdp import limits
from gasoline_cdp.analysis.contracts.shapes import response_shape
from gasoline_cdp.analysis.flows.drafts import FlowRecords
from gasoline_cdp.analysis.flows.flow import Flow
from gasoline_cdp.analysis.flows.steps import make_flow
from gasoline_cdp.analysis.normalise import endpoint_of
from gasoline_cdp.artifacts.playwright.fixtures import RecordedAnswer
from gasoline_cdp.cdp.connection import CdpClosed, CdpError
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.record_filters import settle_bodies
from gasoline_cdp.probe.elements import STEP, frames_of
from gasoline_cdp.records import ActionRecord, NetworkRecord

# Not what a user does: where a tab went, how a dialog ended.
_CONSEQUENCES = frozenset({"navigate", "dialog", "download"})


async def recorded_flow(
    context: Context,
    *,
    tab_id: int | None = None,
    url_filter: str = "",
    last: int | None = None,
    opening_is_enough: bool = False,
) -> Flow:
    """The steps of a person so far. Raises `no_actions_captured` if there are none.

    `opening_is_enough`: some pages fail as soon as they are opened.
    """
    await settle_bodies(context)
    telemetry = context.telemetry
    actions = _chosen(await _known_actions(context), tab_id, url_filter, last)
    flow = await _flow_of(actions, context)
    says_nothing = {"comment"} if opening_is_enough else {"open", "comment"}
    if flow is None or all(step.kind in says_nothing for step in flow.steps):
        raise GasolineError(Code.NO_ACTIONS_CAPTURED, _nothing(actions))
    if telemetry.actions.dropped:
        missing = f"{telemetry.actions.dropped} older actions are no longer kept; the test may begin in the middle."
        flow = evolve(flow, warnings=(*flow.warnings, missing))
    return flow


async def flow_until(context: Context, tab_id: int | None, last_seq: int) -> Flow | None:
    """The steps in a tab until that record; None if there were none."""
    actions = [record for record in await _known_actions(context) if record.seq <= last_seq]
    return await _flow_of(_chosen(actions, tab_id, "", None), context)


async def _known_actions(context: Context) -> list[ActionRecord]:
    """All actions, their elements named."""
    await context.capture.actions.backlog.wait_idle()
    return [context.telemetry.known(record) for record in context.telemetry.actions.newest()]


async def _flow_of(actions: list[ActionRecord], context: Context) -> Flow | None:
    telemetry = context.telemetry
    records = FlowRecords(
        actions=await _with_frames(actions, context),
        network=list(telemetry.network.newest()),
        logs=list(telemetry.logs.newest()),
        snapshots=list(telemetry.dom_snapshots.newest()),
        sockets=list(telemetry.sockets.newest()),
        openers={tab.tab_id: tab.opener for tab in context.tabs.all() if tab.opener},
        shape_of=lambda record: _shape_of(record, context),
    )
    return make_flow(records)


async def _with_frames(actions: list[ActionRecord], context: Context) -> list[ActionRecord]:
    """Add to each action in a frame how that frame is found from its page, if it is still there."""
    paths: dict[tuple[int, str], list[str]] = {}
    for tab_id in {action.source.tab_id for action in actions if action.source.kind == "iframe"}:
        try:
            tab = context.tabs.pick(tab_id)
            frames = await frames_of(tab)
        except (GasolineError, CdpError, CdpClosed):
            continue
        paths |= {(tab_id, frame.world.frame_id): frame.path.split(f" {STEP} ") for frame in frames if frame.path}

    def framed(action: ActionRecord) -> ActionRecord:
        if action.source.kind != "iframe":
            return action
        path = paths.get((action.source.tab_id, action.source.frame_id))
        return evolve(action, selectors={**action.selectors, "frames": path} if path else {})

    return [framed(action) for action in actions]


def _nothing(actions: list[ActionRecord]) -> str:
    done = {action.type for action in actions} - _CONSEQUENCES
    if done:
        kinds = ", ".join(sorted(done))
        return f"Only {kinds} was captured, which no test could repeat. Click or type in the page, then ask again."
    return "No action of a user was captured. Click through the page in this browser, then ask again."


def _chosen(actions: list[ActionRecord], tab_id: int | None, url_filter: str, last: int | None) -> list[ActionRecord]:
    wanted = url_filter.lower()
    chosen = [
        action
        for action in actions
        if (not tab_id or action.source.tab_id == tab_id) and wanted in action.source.url.lower()
    ]
    if last is None:
        return chosen
    chosen.sort(key=lambda action: (action.ts, action.seq))
    done = [index for index, action in enumerate(chosen) if action.type not in _CONSEQUENCES]
    return chosen[done[-last] :] if len(done) > last else chosen


def recorded_answers(flow: Flow, context: Context) -> list[RecordedAnswer]:
    """The last JSON answer that was kept of each call in the flow."""
    wanted = {call.name for step in flow.steps for call in step.calls}
    answers: dict[str, RecordedAnswer] = {}
    for body in context.telemetry.bodies.newest():
        name = endpoint_of(body.method, body.url)
        if name not in wanted or name in answers or body.status is None or body.response_truncated:
            continue
        try:
            value = orjson.loads(body.response_body or "")
        except orjson.JSONDecodeError:
            continue
        method, _, path = name.partition(" ")
        answers[name] = RecordedAnswer(method=method, path=path, status=body.status, body=value)
    return list(answers.values())


def _shape_of(record: NetworkRecord, context: Context) -> object:
    """Keys and types of a JSON answer, if it was read."""
    shape = context.capture.bodies.inspection.shape_of(record.id)
    if shape is None and (body := context.telemetry.body_of(record.id)) and not body.response_truncated:
        shape = response_shape(body.response_body, limits.SHOWN_SHAPE_BYTES)
    return shape
