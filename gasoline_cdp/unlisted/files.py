"""Contents of files that a person writes or reads: whole snapshots and baselines, beside documents and heaps."""

import time
from typing import Any, Literal

import cattrs
import trio
from attrs import frozen

from gasoline_cdp import wire
from gasoline_cdp.analysis.compare.snapshots import SessionSnapshot
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.comparisons.regression import baselines_named, keep_baseline
from gasoline_cdp.comparisons.session_snapshot import TimeSpan, capture_snapshot
from gasoline_cdp.comparisons.snapshot_checks import SNAPSHOT_CHECKS, needs_of
from gasoline_cdp.comparisons.snapshot_entries import new_name
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Needs, Operation
from gasoline_cdp.unlisted.documents import DOCUMENT
from gasoline_cdp.unlisted.heaps import HEAP_FILES


@frozen(kw_only=True)
class SnapshotArgs:
    """Arguments of `gasoline-cdp snapshot`."""

    url_filter: str | None = wire.arg("only where the URL contains this", default=None)
    include: list[Literal["accessibility", "contracts", "security"]] | None = wire.arg("check these too", default=None)


@frozen(kw_only=True)
class WholeSnapshot:
    """The current state, and a one-line summary."""

    snapshot: SessionSnapshot
    summary: str


async def take_whole_snapshot(args: SnapshotArgs, context: Context) -> WholeSnapshot:
    """The current state, for a file."""
    include = tuple(check for check in SNAPSHOT_CHECKS if check in (args.include or ()))
    snapshot = await capture_snapshot(context, TimeSpan(url_filter=args.url_filter or ""), SNAPSHOT_CHECKS, include)
    errors, requests = snapshot.error_count, sum(endpoint.calls for endpoint in snapshot.network)
    failed = sum(endpoint.failed for endpoint in snapshot.network)
    summary = (
        f"{number_of(errors, 'error')}, {number_of(requests, 'request')}{f' ({failed} failed)' if failed else ''}."
    )
    return WholeSnapshot(snapshot=snapshot, summary=summary)


@frozen(kw_only=True)
class LoadArgs:
    """Arguments of `gasoline-cdp snapshot --load`."""

    name: str | None = wire.arg("the name to keep it by", default=None)
    snapshot: Any = wire.arg("what a file holds", default=None)
    path: str | None = wire.arg("of a page: keep it as that page's baseline", default=None)


@frozen(kw_only=True)
class Loaded:
    """The snapshot was stored under this name."""

    name: str


async def load_snapshot(args: LoadArgs, context: Context) -> Loaded:
    """Store a snapshot by name, so that assistants can compare with it. With a path, as that page's baseline."""
    name = new_name(args.name or "")
    try:
        snapshot = wire.structure(args.snapshot, SessionSnapshot)
    except (cattrs.BaseValidationError, ValueError, TypeError) as error:
        raise GasolineError(Code.BAD_SNAPSHOT_FILE, "This is not a snapshot.") from error
    await trio.lowlevel.checkpoint()
    if args.path:
        keep_baseline(name, args.path, snapshot, context)
    else:
        context.saved.snapshots.put(name, snapshot, time.monotonic())
    return Loaded(name=name)


@frozen(kw_only=True)
class BaselineArgs:
    """Arguments of `gasoline-cdp snapshot --baseline`."""

    name: str | None = wire.arg("of the baseline", default=None)
    place: int = wire.arg("which of its pages", default=0, minimum=0)


@frozen(kw_only=True)
class WholeBaseline:
    """One page of a baseline, and the number of its pages."""

    path: str
    snapshot: SessionSnapshot
    of: int


async def read_baseline(args: BaselineArgs, context: Context) -> WholeBaseline:
    """Read one page of a baseline, which may have several."""
    pages = baselines_named(args.name or "", context)
    path, snapshot = pages[args.place if args.place < len(pages) else 0]
    await trio.lowlevel.checkpoint()
    return WholeBaseline(path=path, snapshot=snapshot, of=len(pages))


# By the name that a client of the socket sends.
FILES: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation(
            name="snapshot",
            args=SnapshotArgs,
            answer=WholeSnapshot,
            run=take_whole_snapshot,
            needs=lambda args, _: needs_of(args.include or (), None),
        ),
        Operation(name="load_snapshot", args=LoadArgs, answer=Loaded, run=load_snapshot, needs=Needs(browser=False)),
        Operation(
            name="baseline", args=BaselineArgs, answer=WholeBaseline, run=read_baseline, needs=Needs(browser=False)
        ),
        DOCUMENT,
        *HEAP_FILES,
    )
}
