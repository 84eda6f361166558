"""What the steps of a call caused: requests, errors, events, new tabs, and how much the page was disturbed."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

import trio
from attrs import frozen

from gasoline_cdp.analysis.normalise import without_ids
from gasoline_cdp.analysis.performance.loads import path_of
from gasoline_cdp.analysis.requests import went_wrong
from gasoline_cdp.answers.coverage_entries import ran_in_short
from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.connection import CdpClosed, CdpError
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.world import PageFault, call_in_world
from gasoline_cdp.operations.context import Context
from gasoline_cdp.probe.input.replies import unless_dialog
from gasoline_cdp.records import ActionRecord, LogRecord, NetworkRecord, Record
from gasoline_cdp.views.network import is_static

# An endpoint that was called so often while nobody acted is called by the page itself.
_POLLED = 2
# Smaller shifts are not noticed, and all interaction shifts something.
_SHIFT = 0.05
_DISTURBANCE_SECONDS = 1.0


@frozen(kw_only=True)
class Consequences:
    """The records since the first step, the oldest first, and what has no record."""

    failed: tuple[NetworkRecord, ...] = ()
    requests: tuple[NetworkRecord, ...] = ()
    # Assets that loaded, and calls that the page also makes by itself.
    static: int = 0
    polled: int = 0
    errors: tuple[LogRecord, ...] = ()
    events: tuple[LogRecord, ...] = ()
    downloads: tuple[str, ...] = ()
    new_tabs: tuple[Tab, ...] = ()
    layout_shift: float = 0.0
    long_tasks: int = 0
    busy_ms: float = 0.0

    def any(self) -> bool:
        """Whether anything happened that a reader should know."""
        return bool(
            self.failed or self.requests or self.static or self.errors or self.events or self.downloads or self.new_tabs
        )


def gather(context: Context, tabs: Sequence[int], last_seq: int, new_tabs: Sequence[Tab]) -> Consequences:
    """The records of these tabs since that number."""
    context.capture.settle()
    family = {*tabs, *(tab.tab_id for tab in new_tabs)}
    telemetry = context.telemetry

    def ours(record: Record) -> bool:
        return record.seq > last_seq and record.source.tab_id in family

    network = [record for record in telemetry.network.newest() if ours(record) and not record.preflight_for]
    before = Counter(
        _endpoint(record)
        for record in telemetry.network.newest(last_seq + 1)
        if record.during is None and record.source.tab_id in family
    )
    failed, requests, static, polled = [], [], 0, 0
    for record in reversed(network):
        if went_wrong(record):
            failed.append(record)
        elif is_static(record):
            static += 1
        elif record.during is None and record.type != "Document" and before[_endpoint(record)] >= _POLLED:
            polled += 1
        elif record.outcome != "redirect" and (record.type != "Document" or record.source.kind != "page"):
            # That a document was loaded, its navigation says.
            requests.append(record)
    logs = [telemetry.known(record) for record in telemetry.logs.newest() if ours(record)]
    logs.reverse()
    actions: list[ActionRecord] = [record for record in telemetry.actions.newest() if ours(record)]
    return Consequences(
        failed=tuple(map(telemetry.known, failed)),
        requests=tuple(requests),
        static=static,
        polled=polled,
        errors=tuple(record for record in logs if record.level == "error" and record.kind != "event"),
        events=tuple(record for record in logs if record.kind in {"event", "change"} and record.source.tab_id in tabs),
        downloads=tuple(str(record.fields.get("filename", "")) for record in actions if record.type == "download"),
        new_tabs=tuple(new_tabs),
    )


def _endpoint(record: NetworkRecord) -> tuple[str, str]:
    return record.method, without_ids(path_of(record.url))


async def read_disturbances(tab: Tab, since: float) -> dict[str, float]:
    """Layout shifts and long tasks of the page since then; nothing if it cannot say."""
    answer: dict[str, float] | None = None
    if tab.dialog or tab.state != "open":
        return {}
    with trio.move_on_after(_DISTURBANCE_SECONDS), suppress(CdpClosed, CdpError, PageFault):
        answer = await unless_dialog(tab, lambda: call_in_world(tab.session, page_script("disturbances"), since * 1000))
    return {name: value for name, value in (answer or {}).items() if name != "shift" or value >= _SHIFT}


async def read_ran(context: Context) -> list[str]:
    """The functions of the page's own code that ran since they were last counted; nothing while they are not."""
    coverage = context.capture.coverage
    taken = await coverage.take()
    if not any(taken.values()):
        return []
    return list(ran_in_short((await coverage.written(taken)).functions))
