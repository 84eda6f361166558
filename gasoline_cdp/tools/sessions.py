"""`diff_sessions`: named snapshots of what the browser did, and what differs between two of them."""

import re
import time
from typing import Any, Literal

from attrs import field, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.sessions import SessionDiff, compare_sessions
from gasoline_cdp.analysis.snapshots import Snapshot
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.tools.finders import FINDERS, needs_of
from gasoline_cdp.tools.moment import Category, Span, take_moment
from gasoline_cdp.tools.paging import iso
from gasoline_cdp.tools.session_diffs import did_not_fit, fitting_diff
from gasoline_cdp.tools.settling import settled_moment
from gasoline_cdp.tools.spec import Context, Needs, Tool
from gasoline_cdp.tools.wording import number_of

CURRENT = "current"
_NAME = re.compile(r"[\w][\w .:/@+-]*")
# Of each list in an answer; the totals are in the summary.


@frozen(kw_only=True)
class SessionsArgs:
    """Arguments of diff_sessions."""

    action: Literal["capture", "compare", "list", "delete"] = wire.arg(
        "capture: keep the state now; compare: two states; list: those kept; delete: forget one"
    )
    name: str | None = wire.arg("capture, delete: the snapshot's name", default=None)
    compare_a: str | None = wire.arg("compare: the earlier snapshot", default=None)
    compare_b: str | None = wire.arg("compare: the later one (default: current, the state now)", default=None)
    include: list[Literal["accessibility", "contracts", "security"]] | None = wire.arg(
        "capture: check these too", default=None
    )
    tab_id: int | None = wire.arg("only this tab", default=None, minimum=0)
    url_filter: str | None = wire.arg("only where the URL contains this", default=None)
    max_bytes: int | None = wire.arg(
        "size of the answer (default 8192)",
        default=None,
        minimum=limits.ANSWER_BYTES_MIN,
        maximum=limits.ANSWER_BYTES_MAX,
    )


@frozen(kw_only=True)
class SnapshotEntry:
    """A snapshot in numbers."""

    captured_at: str
    console_errors: int
    console_warnings: int
    network_requests: int
    network_errors: int
    websocket_connections: int
    unique_endpoints: int
    page_url: str
    performance: dict[str, float | None] | None = None
    findings: dict[str, int] = field(factory=dict)
    # What there was beyond what a snapshot keeps, by kind.
    left_out: dict[str, int] = field(factory=dict)


@frozen(kw_only=True)
class NamedEntry:
    """A snapshot in a list."""

    name: str
    captured_at: str
    page_url: str
    error_count: int


@frozen(kw_only=True)
class DiffSummary:
    """One word for the whole, and true totals."""

    verdict: str
    new_errors: int
    resolved_errors: int
    performance_regressions: int
    new_network_errors: int
    resolved_network_errors: int
    # What was wrong in the first and was not tried in the second: neither gone nor still there.
    not_retried: int = 0


@frozen(kw_only=True)
class SessionsAnswer:
    """What was done; after `compare` the differences."""

    action: str
    message: str
    name: str | None = None
    snapshot: SnapshotEntry | None = None
    snapshots: list[NamedEntry] | None = None
    a: str | None = None
    b: str | None = None
    summary: DiffSummary | None = None
    diff: dict[str, Any] | None = None
    # Differences that did not fit.
    left_out: int = 0


async def diff_sessions(args: SessionsArgs, context: Context) -> SessionsAnswer:
    """Capture, compare, list or delete."""
    match args.action:
        case "capture":
            return await _capture(args, context)
        case "compare":
            return await _compare(args, context)
        case "delete":
            return _delete(args, context)
        case _:
            return _list(context)


def needs_of_call(args: SessionsArgs, context: Context) -> Needs:
    """What the checks need that this call runs: two snapshots that are kept are compared without any."""
    if args.action == "capture":
        return needs_of(args.include or (), args.tab_id)
    if args.action == "compare":
        names = (args.compare_a or "", args.compare_b or CURRENT)
        kept = [context.notes.snapshots.get(name, time.monotonic()) for name in names if name != CURRENT]
        if len(kept) < len(names):
            return needs_of({check for snapshot in kept if snapshot for check in snapshot.findings}, args.tab_id)
    return Needs()


async def _capture(args: SessionsArgs, context: Context) -> SessionsAnswer:
    name = new_name(args.name)
    snapshot = await _moment(args, context, tuple(args.include or ()))
    gone = context.notes.snapshots.put(name, snapshot, time.monotonic())
    forgotten = f" {number_of(len(gone), 'snapshot')} had to make room." if gone else ""
    return SessionsAnswer(
        action="captured",
        message=f"Kept for {limits.SNAPSHOT_SECONDS / 3600:.0f} hours.{forgotten}{not_kept(snapshot)}",
        name=name,
        snapshot=show_snapshot(snapshot),
    )


async def _moment(args: SessionsArgs, context: Context, include: tuple[Category, ...]) -> Snapshot:
    return await take_moment(context, _span(args), FINDERS, tuple(check for check in include if check in FINDERS))


def _span(args: SessionsArgs) -> Span:
    return Span(tab_id=args.tab_id, url_filter=args.url_filter or "")


async def _compare(args: SessionsArgs, context: Context) -> SessionsAnswer:
    if args.compare_a is None:
        raise GasolineError(
            Code.INVALID_PARAMS, "compare needs compare_a, the name of the earlier snapshot.", problems=["compare_a"]
        )
    a, b = args.compare_a, args.compare_b or CURRENT
    # The state now is asked for what the other one has, so that both can be compared.
    before = _kept(a, context) if a != CURRENT else None
    after = _kept(b, context) if b != CURRENT else None
    wanted: tuple[Category, ...] = tuple(
        check
        for check in FINDERS
        if check in {**(before.findings if before else {}), **(after.findings if after else {})}
    )
    before = before or await _moment(args, context, wanted)
    after = after or await settled_moment(context, _span(args), before, wanted)
    diff = compare_sessions(before, after)
    shown, left_out = fitting_diff(diff, args.max_bytes)
    return SessionsAnswer(
        action="compared",
        message=_message(diff) + did_not_fit(left_out, "difference", args.max_bytes),
        a=a,
        b=b,
        summary=totals(diff),
        diff=shown,
        left_out=left_out,
    )


def _message(diff: SessionDiff) -> str:
    sentence = _SENTENCES[diff.verdict]
    if diff.verdict == "improved" and not diff.resolved:
        sentence = "Pages load faster in the second, and nothing else that matters differs."
    if diff.not_retried:
        sentence += f" Not tried in the second, so not known: {number_of(diff.not_retried, 'issue')} of the first."
    if any(load.cache_differs for load in diff.performance):
        sentence += " Loads were not judged where only one of them came from the browser's cache."
    return sentence


_SENTENCES = {
    "improved": "The second has less that is wrong, and nothing new.",
    "regressed": "The second has something wrong that the first had not.",
    "unchanged": "Nothing that matters differs.",
    "mixed": "Some of what was wrong is gone, and something else is wrong.",
}


def _delete(args: SessionsArgs, context: Context) -> SessionsAnswer:
    name = args.name or ""
    if not name:
        raise GasolineError(
            Code.INVALID_PARAMS, "delete needs name, that of the snapshot to forget.", problems=["name is needed"]
        )
    _kept(name, context)
    context.notes.snapshots.remove(name, time.monotonic())
    return SessionsAnswer(action="deleted", message="The snapshot is forgotten.", name=name)


def _list(context: Context) -> SessionsAnswer:
    kept = context.notes.snapshots.items(time.monotonic())
    return SessionsAnswer(
        action="listed",
        message=f"{number_of(len(kept), 'snapshot')} kept.",
        snapshots=[
            NamedEntry(
                name=name,
                captured_at=iso(snapshot.captured_at),
                page_url=snapshot.page_url,
                error_count=snapshot.error_count + sum(endpoint.failed for endpoint in snapshot.failing),
            )
            for name, snapshot in kept
        ],
    )


def new_name(name: str | None) -> str:
    """A name that a snapshot can have; `invalid_params` for others."""
    given = (name or "").strip()
    if given == CURRENT:
        problem = f"name must not be {CURRENT!r}, which means the state now"
    elif len(given) > limits.SNAPSHOT_NAME_CHARS:
        problem = f"name must have at most {limits.SNAPSHOT_NAME_CHARS} characters"
    elif not given:
        problem = "name is needed"
    elif not _NAME.fullmatch(given):
        problem = "name may have letters, digits, spaces and . : / @ + - and begins with a letter or a digit"
    else:
        return given
    raise GasolineError(Code.INVALID_PARAMS, f"Cannot keep the snapshot: {problem}.", problems=[problem])


def _kept(name: str, context: Context) -> Snapshot:
    snapshot = context.notes.snapshots.get(name, time.monotonic())
    if snapshot is None:
        known = [name for name, _ in context.notes.snapshots.items(time.monotonic())]
        raise GasolineError(
            Code.NO_SUCH_SNAPSHOT,
            f"There is no snapshot {name[:60]!r}. diff_sessions(action='list') names them all; they last "
            f"{limits.SNAPSHOT_SECONDS / 3600:.0f} hours.",
            snapshots=known,
        )
    return snapshot


def not_kept(snapshot: Snapshot) -> str:
    """What a snapshot has no room for, and where to find it; empty if it has all."""
    if not snapshot.left_out:
        return ""
    told = ", ".join(number_of(count, f"more {name.removesuffix('s')}") for name, count in snapshot.left_out.items())
    return (
        f" {told} did not fit and will not be compared: narrow it with url_filter or tab_id. "
        "observe(what='errors') and observe(what='network') list all."
    )


def show_snapshot(snapshot: Snapshot) -> SnapshotEntry:
    """A snapshot in numbers."""
    load = next(iter(snapshot.performance), None)
    return SnapshotEntry(
        captured_at=iso(snapshot.captured_at),
        console_errors=snapshot.error_count,
        console_warnings=sum(issue.count for issue in snapshot.warnings),
        network_requests=sum(endpoint.calls for endpoint in snapshot.network),
        network_errors=sum(endpoint.failed for endpoint in snapshot.failing),
        websocket_connections=sum(socket.connections for socket in snapshot.websockets),
        unique_endpoints=len(snapshot.network),
        page_url=snapshot.page_url,
        performance=None
        if load is None
        else {
            "load_time": load.metrics.load,
            "request_count": load.metrics.request_count,
            "transfer_size": load.metrics.transfer_size,
        },
        findings={category: len(issues) for category, issues in snapshot.findings.items()},
        left_out=snapshot.left_out,
    )


def totals(diff: SessionDiff) -> DiffSummary:
    """True totals, whatever an answer shows of them."""
    findings = diff.findings.values()
    return DiffSummary(
        verdict=diff.verdict,
        new_errors=len(diff.errors.new) + sum(len(found.new) + len(found.grown) for found in findings),
        resolved_errors=len(diff.errors.resolved) + sum(len(found.resolved) + len(found.shrunk) for found in findings),
        performance_regressions=sum(len(load.regressions) for load in diff.performance),
        new_network_errors=len(diff.network.new_errors),
        resolved_network_errors=len(diff.network.resolved_errors),
        not_retried=diff.not_retried,
    )


TOOLS = (
    Tool(
        name="diff_sessions",
        title="Compare sessions",
        description=(
            "Keep the captured state under a name; compare two states, or one with now: errors, requests, so"
            "ckets, loads that are new, gone or worse."
        ),
        args=SessionsArgs,
        answer=SessionsAnswer,
        run=diff_sessions,
        needs=needs_of_call,
    ),
)
