"""The flow that was recorded: chooses the records that a test or a reproduction is made from."""

from attrs import evolve

from gasoline_cdp import limits
from gasoline_cdp.analysis.contracts.shapes import response_shape
from gasoline_cdp.analysis.flows.drafts import FlowRecords
from gasoline_cdp.analysis.flows.flow import Flow
from gasoline_cdp.analysis.flows.steps import make_flow
from gasoline_cdp.audits.traffic import settle_bodies
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.records import ActionRecord, NetworkRecord

# Not what a user does: where a tab went, how a dialog ended.
_CONSEQUENCES = frozenset({"navigate", "dialog", "download"})


async def recorded_flow(
    context: Context, *, tab_id: int | None = None, url_filter: str = "", last: int | None = None
) -> Flow:
    """The steps of a person so far. Raises `no_actions_captured` if there are none."""
    await settle_bodies(context)
    await context.capture.actions.backlog.wait_idle()
    telemetry = context.telemetry
    actions = _chosen([telemetry.known(record) for record in telemetry.actions.newest()], tab_id, url_filter, last)
    records = FlowRecords(
        actions=actions,
        network=list(telemetry.network.newest()),
        logs=list(telemetry.logs.newest()),
        snapshots=list(telemetry.dom_snapshots.newest()),
        sockets=list(telemetry.sockets.newest()),
        openers={tab.tab_id: tab.opener for tab in context.tabs.all() if tab.opener},
        shape_of=lambda record: _shape_of(record, context),
    )
    flow = make_flow(records)
    if flow is None or all(step.kind in {"open", "comment"} for step in flow.steps):
        raise GasolineError(Code.NO_ACTIONS_CAPTURED, _nothing(actions))
    if telemetry.actions.dropped:
        missing = f"{telemetry.actions.dropped} older actions are no longer kept; the test may begin in the middle."
        flow = evolve(flow, warnings=(*flow.warnings, missing))
    return flow


def _nothing(actions: list[ActionRecord]) -> str:
    done = {action.type for action in actions} - _CONSEQUENCES
    if done:
        kinds = ", ".join(sorted(done))
        return (
            f"Nothing was captured that a test could repeat (only: {kinds}). Click or type in the page, then ask again."
        )
    del dropped
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


def _shape_of(record: NetworkRecord, context: Context) -> object:
    """Keys and types of a JSON answer, if it was read."""
    shape = context.capture.bodies.inspection.shape_of(record.id)
    if shape is None and (body := context.telemetry.body_of(record.id)) and not body.response_truncated:
        shape = response_shape(body.response_body, limits.SHOWN_SHAPE_BYTES)
    return shape
