"""`verify_fix`: whether a change in the code mended what was broken, by what the browser did before and after."""

import secrets
import time
from typing import Any, Literal

from attrs import evolve, field, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.sessions import PerformanceDiff
from gasoline_cdp.analysis.snapshots import Snapshot
from gasoline_cdp.analysis.verification import VerifyChange, verify
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.redact import safe_text
from gasoline_cdp.tools.finders import FINDERS
from gasoline_cdp.tools.moment import Category, Span, take_moment, was_active
from gasoline_cdp.tools.notes import VerifySession
from gasoline_cdp.tools.paging import fitting, iso
from gasoline_cdp.tools.sessions import not_kept
from gasoline_cdp.tools.spec import Context, Tool
from gasoline_cdp.tools.wording import number_of

_LABEL_CHARS = 80
# Room for the counts and sentences around the lists.
_AROUND = 1500


@frozen(kw_only=True)
class VerifyArgs:
    """Arguments of verify_fix."""

    action: Literal["start", "watch", "compare", "status", "cancel"] = wire.arg(
        "start: remember what is broken; watch: after the change, before it is tried again; compare: the verdict"
    )
    session_id: str | None = wire.arg("from start; needed by all other actions", default=None)
    label: str | None = wire.arg("start: a name for it", default=None)
    include: list[Literal["performance", "accessibility", "contracts", "security"]] | None = wire.arg(
        "start: compare these too", default=None
    )
    tab_id: int | None = wire.arg("start: only this tab", default=None, minimum=0)
    url_filter: str | None = wire.arg("start: only where the URL contains this", default=None)


@frozen(kw_only=True)
class IssueSummary:
    """How much was wrong; repeated errors count each time."""

    console_errors: int
    network_errors: int
    total_issues: int


@frozen(kw_only=True)
class ErrorDetail:
    """One thing that was wrong when the session began."""

    type: str
    message: str | None = None
    count: int | None = None
    method: str | None = None
    url: str | None = None
    status: int | None = None


@frozen(kw_only=True)
class BaselineEntry:
    """What was broken at `start`."""

    captured_at: str
    console_errors: int
    network_errors: int
    error_details: list[ErrorDetail]
    left_out: int = 0


@frozen(kw_only=True)
class LoadChange:
    """How a load of a page compares with the one before the change."""

    path: str
    load_time_before: str | None
    load_time_after: str | None
    change: str | None
    regressions: list[dict[str, Any]] = field(factory=list)
    probable_cause: str | None = None


@frozen(kw_only=True)
class VerifyResult:
    """The verdict, and each issue before and after. `left_out` counts changes that did not fit."""

    verdict: str
    before: IssueSummary
    after: IssueSummary
    changes: list[VerifyChange]
    new_issues: list[VerifyChange]
    performance_diff: list[LoadChange] = field(factory=list)
    left_out: int = 0


@frozen(kw_only=True)
class VerifyAnswer:
    """The state of a session; after `compare` its result."""

    session_id: str
    status: str
    message: str
    label: str | None = None
    baseline: BaselineEntry | None = None
    result: VerifyResult | None = None
    expires_in_seconds: int | None = None


async def verify_fix(args: VerifyArgs, context: Context) -> VerifyAnswer:
    """Start, watch, compare, tell or forget."""
    if args.action == "start":
        return await _start(args, context)
    session = _session(args, context)
    match args.action:
        case "watch":
            return _watch(session, context)
        case "compare":
            return await _compare(session, context)
        case "cancel":
            context.notes.sessions.remove(session.session_id, time.monotonic())
            return VerifyAnswer(
                session_id=session.session_id,
                status="cancelled",
                message="The session is forgotten.",
                label=session.label or None,
            )
        case _:
            return _status(session)


def _session(args: VerifyArgs, context: Context) -> VerifySession:
    now = time.monotonic()
    session = context.notes.sessions.get(args.session_id or "", now)
    if session is None:
        known = [{"session_id": name, "label": page.label} for name, page in context.notes.sessions.items(now)]
        given = f"no session {args.session_id[:60]!r}" if args.session_id else "a session_id is needed"
        raise GasolineError(
            Code.NO_SUCH_SESSION,
            f"verify_fix(action={args.action!r}): {given}. Sessions last {limits.VERIFY_SECONDS / 60:.0f} minutes; "
            "verify_fix(action='start') begins one.",
            sessions=known,
        )
    return session


async def _start(args: VerifyArgs, context: Context) -> VerifyAnswer:
    _make_room(context)
    include = tuple(args.include or ())
    span = Span(tab_id=args.tab_id, url_filter=args.url_filter or "")
    baseline = await take_moment(context, span, FINDERS, _checks(include))
    session = VerifySession(
        session_id=f"verify-{secrets.token_urlsafe(16)}",
        label=safe_text(args.label or "", _LABEL_CHARS),
        status="baseline_captured",
        created_at=time.time(),
        baseline=baseline,
        url_filter=span.url_filter,
        tab_id=args.tab_id,
        include=include,
    )
    context.notes.sessions.put(session.session_id, session, time.monotonic())
    found = _summary(baseline)
    return VerifyAnswer(
        session_id=session.session_id,
        status=session.status,
        message=(
            f"{number_of(found.total_issues, 'issue')} remembered. Change the code, then call watch, try the scenario "
            f"again, and compare.{not_kept(baseline)}"
        ),
        label=session.label or None,
        baseline=_baseline(baseline),
    )


def _make_room(context: Context) -> None:
    """A session that was compared has done its work and makes room; one that still waits does not."""
    sessions, now = context.notes.sessions, time.monotonic()
    kept = sessions.items(now)
    if len(kept) < limits.VERIFY_SESSIONS:
        return
    done = [name for name, session in kept if session.status == "compared"]
    if not done:
        raise GasolineError(
            Code.TOO_MANY_SESSIONS,
            f"{limits.VERIFY_SESSIONS} sessions are under way already. Cancel one: "
            "verify_fix(action='cancel', session_id=…).",
            sessions=[{"session_id": name, "label": session.label} for name, session in kept],
        )
    sessions.remove(done[-1], now)


def _checks(include: tuple[str, ...]) -> tuple[Category, ...]:
    return tuple(category for category in FINDERS if category in include)


def _watch(session: VerifySession, context: Context) -> VerifyAnswer:
    watching = evolve(session, status="watching", watched_from=context.telemetry.last_seq, watched_at=time.time())
    context.notes.sessions.change(session.session_id, watching)
    return VerifyAnswer(
        session_id=session.session_id,
        status="watching",
        message=(
            "From now on everything counts as after the change. Reload the page and try the scenario again, "
            "then compare."
        ),
        label=session.label or None,
    )


async def _compare(session: VerifySession, context: Context) -> VerifyAnswer:
    if session.watched_from is None or session.watched_at is None:
        raise GasolineError(
            Code.NOT_WATCHING,
            "Nothing has been watched since the baseline. Call verify_fix(action='watch') after the change, try the "
            "scenario again, then compare.",
        )
    span = Span(
        tab_id=session.tab_id,
        url_filter=session.url_filter,
        from_seq=session.watched_from,
        from_ts=session.watched_at,
    )
    after = await take_moment(context, span, FINDERS, _checks(session.include))
    before = session.baseline
    active = was_active(context, span, _pages_of_issues(before))
    found = verify(before, after, active=active, performance="performance" in session.include)
    context.notes.sessions.change(session.session_id, evolve(session, status="compared"))
    new = fitting(found.new_issues, (limits.ANSWER_BYTES - _AROUND) // 2)
    changes = fitting(found.changes, limits.ANSWER_BYTES - _AROUND - len(wire.encode(wire.dump(new))))
    return VerifyAnswer(
        session_id=session.session_id,
        status="compared",
        message=_SENTENCES[found.verdict],
        label=session.label or None,
        result=VerifyResult(
            verdict=found.verdict,
            before=_summary(before),
            after=_summary(after),
            changes=changes,
            new_issues=new,
            performance_diff=[_load(load) for load in found.performance],
            left_out=len(found.changes) - len(changes) + len(found.new_issues) - len(new),
        ),
    )


_SENTENCES = {
    "fixed": "Everything that was wrong before was tried again and is gone; nothing new is wrong.",
    "improved": "Some of what was wrong is gone, nothing new is wrong; the rest is still there or was not tried again.",
    "unchanged": "What was wrong before is still wrong.",
    "different_issue": "What was wrong before is gone or less, but something else is wrong now.",
    "regressed": "More is wrong than before.",
    "no_issues_detected": "Nothing was wrong before, and nothing is now.",
    "nothing_observed": (
        "The pages of the baseline did nothing since watch, so this says nothing about the fix. Reload them, try the "
        "scenario again, then compare again."
    ),
}


def _status(session: VerifySession) -> VerifyAnswer:
    nexts = {
        "baseline_captured": "Change the code, then call watch.",
        "watching": "Try the scenario again, then call compare.",
        "compared": "Compared once; compare again at any time, or cancel.",
    }
    left = session.created_at + limits.VERIFY_SECONDS - time.time()
    return VerifyAnswer(
        session_id=session.session_id,
        status=session.status,
        message=nexts[session.status],
        label=session.label or None,
        baseline=_baseline(session.baseline),
        expires_in_seconds=max(0, int(left)),
    )


def _pages_of_issues(snapshot: Snapshot) -> tuple[str, ...]:
    """Where the errors were; for failed requests any page will do that calls them, so all pages count then."""
    if snapshot.failing or not snapshot.errors:
        return snapshot.pages
    return tuple(dict.fromkeys(issue.page for issue in snapshot.errors))


def _summary(snapshot: Snapshot) -> IssueSummary:
    network = sum(endpoint.failed for endpoint in snapshot.failing)
    others = sum(issue.count for issues in snapshot.findings.values() for issue in issues)
    sockets = sum(socket.failed for socket in snapshot.websockets)
    errors = snapshot.error_count
    return IssueSummary(console_errors=errors, network_errors=network, total_issues=errors + network + others + sockets)


def _baseline(snapshot: Snapshot) -> BaselineEntry:
    details = [
        *(ErrorDetail(type="console", message=issue.message, count=issue.count) for issue in snapshot.errors),
        *(
            ErrorDetail(
                type="network",
                method=endpoint.method,
                url=endpoint.url,
                status=endpoint.failed_status,
                message=endpoint.failure or None,
                count=endpoint.failed,
            )
            for endpoint in snapshot.failing
        ),
        *(
            ErrorDetail(type=category, message=issue.message, count=issue.count)
            for category, issues in snapshot.findings.items()
            for issue in issues
        ),
    ]
    shown = fitting(details, limits.ANSWER_BYTES - _AROUND)
    # Warnings are no issues.
    beyond = sum(count for name, count in snapshot.left_out.items() if name != "warnings")
    found = _summary(snapshot)
    return BaselineEntry(
        captured_at=iso(snapshot.captured_at),
        console_errors=found.console_errors,
        network_errors=found.network_errors,
        error_details=shown,
        left_out=len(details) - len(shown) + beyond,
    )


def _load(load: PerformanceDiff) -> LoadChange:
    times = next((change for change in load.metrics if change.metric == "load"), None)
    return LoadChange(
        path=load.path,
        load_time_before=f"{times.baseline:.0f}ms" if times else None,
        load_time_after=f"{times.current:.0f}ms" if times else None,
        change=f"{times.change_percent:+.0f}%" if times and times.change_percent is not None else None,
        regressions=[wire.dump(change) for change in load.regressions],
        probable_cause=load.cause.sentence if load.cause else None,
    )


TOOLS = (
    Tool(
        name="verify_fix",
        title="Verify a fix",
        description=(
            "Did the change work? start before it, watch after it, have the scenario tried again, compare: a"
            " verdict, and each issue before and after."
        ),
        args=VerifyArgs,
        answer=VerifyAnswer,
        run=verify_fix,
    ),
)
