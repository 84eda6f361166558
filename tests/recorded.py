"""Actions and what came of them, as records: what tests of flows and generators begin with."""

from typing import Any

from attrs import evolve

from gasoline_cdp.analysis.flows.drafts import FlowRecords
from gasoline_cdp.analysis.flows.flow import Flow, Step
from gasoline_cdp.analysis.flows.steps import make_flow
from gasoline_cdp.records import ActionRecord, DomSnapshotRecord, NetworkRecord
from tests.fakes import PAGE, network_record

BEGIN = 1000.0
SITE = "http://app.test"


def acted(ts: float, kind: str = "click", name: str = "Save", **fields: Any) -> ActionRecord:
    """Something done to an element with this name, so many seconds after the beginning."""
    selectors = {"role": {"role": "button", "name": name}, "css": f"#{name}"}
    return ActionRecord(
        seq=int(ts * 100) + 1, ts=BEGIN + ts, source=PAGE, type=kind, selectors=selectors, fields=fields
    )


def went(ts: float, path: str = "/", **fields: Any) -> ActionRecord:
    """The tab shows another address."""
    given = {"to_url": f"{SITE}{path}", "within_document": False, **fields}
    return ActionRecord(seq=int(ts * 100), ts=BEGIN + ts, source=PAGE, type="navigate", selectors={}, fields=given)


def called(ts: float, path: str, method: str = "GET", status: int = 200, **more: Any) -> NetworkRecord:
    return network_record(
        int(ts * 100) + 5000, f"{SITE}{path}", ts=BEGIN + ts, method=method, status=status, type="Fetch", **more
    )


def showed(ts: float, *elements: dict[str, Any], trigger: Any = "action") -> DomSnapshotRecord:
    shown = tuple({"role": "text", "selector": "p", **element} for element in elements)
    return DomSnapshotRecord(seq=int(ts * 100) + 9000, ts=BEGIN + ts, source=PAGE, trigger=trigger, elements=shown)


def flow_of(*actions: ActionRecord, **more: Any) -> Flow:
    flow = make_flow(FlowRecords(actions=actions, **more))
    assert flow is not None
    return flow


def steps_of(*actions: ActionRecord, **more: Any) -> list[Step]:
    return list(flow_of(*actions, **more).steps)


def in_tab(record: ActionRecord, tab_id: int) -> ActionRecord:
    return evolve(record, source=evolve(record.source, tab_id=tab_id))
