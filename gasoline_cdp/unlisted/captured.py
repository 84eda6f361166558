"""Everything captured in one answer, for CI jobs to attach to a failed test, and clearing it."""

import time
from collections import Counter
from collections.abc import Iterable
from typing import Any, Literal, TypeVar

import trio
from attrs import frozen

from gasoline_cdp import wire
from gasoline_cdp.analysis.requests import went_wrong
from gasoline_cdp.answers.action_entries import ActionEntry
from gasoline_cdp.answers.body_entries import BodyEntry
from gasoline_cdp.answers.encoded_records import EncodedRecords, blocks_of
from gasoline_cdp.answers.log_entries import LogEntry
from gasoline_cdp.answers.paging import iso
from gasoline_cdp.answers.socket_entries import SocketEntry
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Needs, Operation
from gasoline_cdp.operations.record_filters import FilterArgs, flush, record_filter
from gasoline_cdp.records import Record
from gasoline_cdp.store.record_kinds import KINDS
from gasoline_cdp.views.listing import requested_window

R = TypeVar("R", bound=Record)


@frozen(kw_only=True)
class CapturedArgs(FilterArgs):
    """Arguments of /snapshot."""

    format: Literal["json", "summary"] | None = wire.arg("summary: lines for people instead", default=None)
    since: str | None = wire.arg("ISO time, an age such as 30s, 5m, or change (of the code)", default=None)


@frozen(kw_only=True)
class CapturedStats:
    """Counts of errors and connections."""

    error_count: int
    warning_count: int
    network_failures: int
    ws_connections: int


@frozen(kw_only=True)
class Captured:
    """All records of the requested time, newest first."""

    timestamp: str
    stats: CapturedStats
    # Records dropped since the start, whatever `since` and `test_id` select.
    dropped: dict[str, int]
    logs: list[Any] = wire.entries_of(LogEntry)
    websocket_events: list[Any] = wire.entries_of(SocketEntry)
    network_bodies: list[Any] = wire.entries_of(BodyEntry)
    enhanced_actions: list[Any] = wire.entries_of(ActionEntry)
    test_id: str | None = None
    retry: int | None = None
    # How records were assigned to the test: by its browser contexts, or by time if it named none. Then `overlapping`
    # counts the tests that ran at the same time, whose records may be among these.
    attribution: Literal["context", "time", None] = None
    overlapping: int = 0


async def show_captured(args: CapturedArgs, context: Context) -> Captured:
    """Choose the records at once, then encode them in blocks."""
    wanted = record_filter(args)
    await flush(wanted, context)
    window = requested_window(args.since, wanted, context)
    await context.capture.wait_known()
    telemetry = context.telemetry

    def chosen(records: Iterable[R]) -> list[R]:
        return list(records) if window.is_unlimited else [record for record in records if record in window]

    rings: dict[str, list[Any]] = {
        kind.ring: chosen(getattr(telemetry, kind.ring).newest()) for kind in KINDS.values() if kind.snapshot_list
    }
    lists = {kind.snapshot_list: rings[kind.ring] for kind in KINDS.values() if kind.snapshot_list}
    levels = Counter(record.level for record in rings["logs"])
    runs = context.boundaries.runs_of(args.test_id, args.retry, args.worker) if args.test_id is not None else []
    by_time = [run for run in runs if not run.contexts]
    failures = sum(went_wrong(record) for record in chosen(telemetry.network.newest()))
    return Captured(
        timestamp=iso(time.time()),
        stats=CapturedStats(
            error_count=levels["error"],
            warning_count=levels["warning"],
            network_failures=failures,
            ws_connections=len({record.connection_id for record in rings["sockets"] if record.kind == "websocket"}),
        ),
        dropped={name: ring.dropped for name, ring in telemetry.rings().items() if ring.dropped},
        test_id=args.test_id,
        retry=args.retry,
        attribution=("time" if by_time else "context") if runs else None,
        overlapping=max(map(context.boundaries.overlapping, by_time), default=0),
        # A test is read once, when it has failed.
        **{name: await _encoded(records, context.encoded, keep=not wanted) for name, records in lists.items()},
    )


async def _encoded(records: list[Record], encoded: EncodedRecords, *, keep: bool) -> Any:
    """The entries as JSON. Other tasks get a turn between blocks, which take a tenth of a millisecond."""
    entries = []
    for block in blocks_of(records):
        await trio.lowlevel.checkpoint()
        entries.append(wire.verbatim(encoded.json(block, keep=keep)))
    # The encoder puts commas between blocks: to join half a megabyte here takes longer.
    return tuple(entries)


@frozen(kw_only=True)
class ClearArgs(FilterArgs):
    """Arguments of /clear."""

    confirm: Any = wire.arg("not needed", default=None)


@frozen(kw_only=True)
class Cleared:
    """The captured records were deleted."""

    cleared: bool
    entries_removed: int
    timestamp: str


async def clear(args: ClearArgs, context: Context) -> Cleared:
    """Empty all buffers, or remove only the records of a test, a browser context or a browser."""
    await trio.lowlevel.checkpoint()
    wanted = record_filter(args)
    telemetry = context.telemetry
    context.encoded.clear()
    if wanted:
        selects = context.boundaries.selects(wanted)
        removed = telemetry.remove(selects)
        context.capture.bodies.forget(selects)
    else:
        removed = telemetry.clear()
    return Cleared(cleared=True, entries_removed=removed, timestamp=iso(time.time()))


CAPTURED = Operation(name="/snapshot", args=CapturedArgs, answer=Captured, run=show_captured)
CLEAR = Operation(
    name="/clear", args=ClearArgs, answer=Cleared, run=clear, needs=Needs(browser=False), page_content=False
)
