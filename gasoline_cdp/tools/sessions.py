"""`diff_sessions`: named snapshots of what the browser did, and the differences between two of them."""

import time
from collections.abc import Iterator
from typing import Any, Literal

from attrs import frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.compare.sessions import SessionDiff, compare_sessions
from gasoline_cdp.analysis.compare.snapshots import SessionSnapshot
from gasoline_cdp.answers.amounts import clock
from gasoline_cdp.answers.arguments import max_bytes_argument
from gasoline_cdp.answers.lines import Line, Tone
from gasoline_cdp.answers.paging import iso
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.comparisons.condition_words import describe_differing_conditions
from gasoline_cdp.comparisons.diff_answers import did_not_fit, diff_lines, fitting_diff
from gasoline_cdp.comparisons.session_snapshot import Category, TimeSpan, capture_snapshot
from gasoline_cdp.comparisons.settling import settled_snapshot
from gasoline_cdp.comparisons.snapshot_checks import SNAPSHOT_CHECKS, needs_of
from gasoline_cdp.comparisons.snapshot_entries import CURRENT, SnapshotEntry, new_name, not_kept, show_snapshot
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Needs, Tool

_TONES: dict[str, Tone] = {"improved": "good", "regressed": "error", "mixed": "error"}
# The actions that read captured data.
_READING = ("capture", "compare")


@frozen(kw_only=True)
class SessionsArgs:
    """Arguments of diff_sessions."""

    action: Literal["capture", "compare", "list", "delete"] = wire.choice(
        "capture: save a snapshot of now; compare: two snapshots; list: all snapshots; delete: one snapshot"
    )
    name: str | None = wire.arg("capture, delete: name of the snapshot.", default=None, only=("capture", "delete"))
    compare_a: str | None = wire.arg("compare: name of the earlier snapshot.", default=None, only=("compare",))
    compare_b: str | None = wire.arg("the later one; default: now", default=None, only=("compare",))
    include: list[Literal["accessibility", "contracts", "security"]] | None = wire.arg(
        "capture: also check these", default=None, only=("capture",)
    )
    tab_id: int | None = wire.arg("Include only this tab.", default=None, minimum=0, only=_READING)
    url_filter: str | None = wire.arg("Include only URLs that contain this text.", default=None, only=_READING)
    max_bytes: int | None = max_bytes_argument()


@frozen(kw_only=True)
class NamedEntry:
    """A snapshot in a list."""

    name: str
    captured_at: str
    page_url: str
    error_count: int

    def line(self) -> Line:
        """`14:03:22 before 3 errors http://…`."""
        errors = number_of(self.error_count, "error")
        return Line(f"{errors} {word(self.page_url)}", time=clock(self.captured_at), tag=word(self.name))


@frozen(kw_only=True)
class DiffSummary:
    """The verdict in one word, and totals."""

    verdict: str
    new_errors: int
    resolved_errors: int
    performance_regressions: int
    new_network_errors: int
    resolved_network_errors: int
    # Issues of the first snapshot that were not tried in the second, so nothing is known about them.
    not_retried: int = 0

    def line(self) -> Line | None:
        """The totals. None if nothing got better or worse."""
        counts = (
            number_of(self.new_errors, "new error") if self.new_errors else "",
            number_of(self.new_network_errors, "newly failing endpoint") if self.new_network_errors else "",
            number_of(self.performance_regressions, "slower metric") if self.performance_regressions else "",
            f"{self.not_retried} not retried" if self.not_retried else "",
            number_of(self.resolved_errors, "resolved error") if self.resolved_errors else "",
            number_of(self.resolved_network_errors, "resolved endpoint") if self.resolved_network_errors else "",
        )
        text = ", ".join(filter(None, counts))
        return Line(f"{text}.") if text else None


@frozen(kw_only=True)
class SessionsAnswer:
    """What was done, and after `compare` the differences."""

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

    def render(self) -> Iterator[Line]:
        """The verdict or what was done, then the differences, the snapshot, or all snapshots."""
        verdict = self.summary.verdict if self.summary else ""
        names = " → ".join(word(name) for name in (self.name, self.a, self.b) if name)
        yield Line(
            self.message, tag=f"{verdict or self.action} {names}".strip() + ":", tone=_TONES.get(verdict, "heading")
        )
        if self.summary and (totals := self.summary.line()):
            yield totals
        if self.snapshot:
            yield from self.snapshot.lines()
        for snapshot in self.snapshots or ():
            yield snapshot.line()
        yield from diff_lines(self.diff or {})


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
    """What the checks of this call need. Comparing two saved snapshots runs none."""
    if args.action == "capture":
        return needs_of(args.include or (), args.tab_id)
    if args.action == "compare":
        names = (args.compare_a or "", args.compare_b or CURRENT)
        kept = [context.saved.snapshots.get(name, time.monotonic()) for name in names if name != CURRENT]
        if len(kept) < len(names):
            return needs_of({check for snapshot in kept if snapshot for check in snapshot.findings}, args.tab_id)
    return Needs()


async def _capture(args: SessionsArgs, context: Context) -> SessionsAnswer:
    name = new_name(args.name)
    snapshot = await _snapshot_now(args, context, tuple(args.include or ()))
    gone = context.saved.snapshots.put(name, snapshot, time.monotonic())
    forgotten = f" {number_of(len(gone), 'snapshot')} had to make room." if gone else ""
    return SessionsAnswer(
        action="captured",
        message=f"Kept for {limits.SNAPSHOT_SECONDS / 3600:.0f} hours.{forgotten}{not_kept(snapshot)}",
        name=name,
        snapshot=show_snapshot(snapshot),
    )


async def _snapshot_now(args: SessionsArgs, context: Context, include: tuple[Category, ...]) -> SessionSnapshot:
    return await capture_snapshot(
        context, _span(args), SNAPSHOT_CHECKS, tuple(check for check in include if check in SNAPSHOT_CHECKS)
    )


def _span(args: SessionsArgs) -> TimeSpan:
    return TimeSpan(tab_id=args.tab_id, url_filter=args.url_filter or "")


async def _compare(args: SessionsArgs, context: Context) -> SessionsAnswer:
    if args.compare_a is None:
        raise GasolineError(
            Code.INVALID_PARAMS, "compare needs compare_a, the name of the earlier snapshot.", problems=["compare_a"]
        )
    a, b = args.compare_a, args.compare_b or CURRENT
    # Run the checks that the other snapshot has, so that both can be compared.
    before = _kept(a, context) if a != CURRENT else None
    after = _kept(b, context) if b != CURRENT else None
    wanted: tuple[Category, ...] = tuple(
        check
        for check in SNAPSHOT_CHECKS
        if check in {**(before.findings if before else {}), **(after.findings if after else {})}
    )
    before = before or await _snapshot_now(args, context, wanted)
    after = after or await settled_snapshot(context, _span(args), before, wanted)
    diff = compare_sessions(before, after)
    shown, left_out = fitting_diff(diff, args.max_bytes, context.form)
    return SessionsAnswer(
        action="compared",
        message=_message(diff)
        + describe_differing_conditions(before, after)
        + did_not_fit(left_out, "difference", args.max_bytes),
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
    context.saved.snapshots.remove(name, time.monotonic())
    return SessionsAnswer(action="deleted", message="The snapshot is forgotten.", name=name)


def _list(context: Context) -> SessionsAnswer:
    kept = context.saved.snapshots.items(time.monotonic())
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


def _kept(name: str, context: Context) -> SessionSnapshot:
    snapshot = context.saved.snapshots.get(name, time.monotonic())
    if snapshot is None:
        known = [name for name, _ in context.saved.snapshots.items(time.monotonic())]
        raise GasolineError(
            Code.NO_SUCH_SNAPSHOT,
            f"There is no snapshot {name[:60]!r}. diff_sessions(action='list') names them all; they last "
            f"{limits.SNAPSHOT_SECONDS / 3600:.0f} hours.",
            snapshots=known,
        )
    return snapshot


def totals(diff: SessionDiff) -> DiffSummary:
    """Totals of all differences, including those not shown."""
    findings = diff.findings.values()
    return DiffSummary(
        verdict=diff.verdict,
        new_errors=len(diff.errors.new) + sum(len(issues.new) + len(issues.grown) for issues in findings),
        resolved_errors=len(diff.errors.resolved)
        + sum(len(issues.resolved) + len(issues.shrunk) for issues in findings),
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
            "Save a snapshot; compare two, or one with now: which errors, requests, sockets and loads are new, gone or "
            "worse."
        ),
        args=SessionsArgs,
        answer=SessionsAnswer,
        run=diff_sessions,
        needs=needs_of_call,
    ),
)
