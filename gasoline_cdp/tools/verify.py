"""`verify_fix`: whether a code change fixed what was broken, from what the browser did before and after."""

import secrets
import time
from typing import Literal

from attrs import evolve, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.acting.replaying import replay
from gasoline_cdp.acting.stepping import ACT_SECONDS
from gasoline_cdp.analysis.compare.snapshots import SessionSnapshot
from gasoline_cdp.analysis.compare.verification import verify
from gasoline_cdp.answers.arguments import max_bytes_argument
from gasoline_cdp.answers.paging import iso
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.comparisons.condition_words import describe_differing_conditions
from gasoline_cdp.comparisons.diff_answers import did_not_fit
from gasoline_cdp.comparisons.session_snapshot import Category, TimeSpan, capture_snapshot, was_active
from gasoline_cdp.comparisons.settling import settled_snapshot
from gasoline_cdp.comparisons.snapshot_checks import SNAPSHOT_CHECKS, needs_of
from gasoline_cdp.comparisons.snapshot_entries import not_kept
from gasoline_cdp.comparisons.verify_answers import (
    LABEL_CHARS,
    VerifyAnswer,
    VerifyResult,
    count_of,
    fitting_changes,
    message_of,
    show_baseline,
    steps_of,
    summary_of,
)
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Needs, Tool
from gasoline_cdp.operations.saved_items import VerifySession
from gasoline_cdp.redact import safe_text


@frozen(kw_only=True)
class VerifyArgs:
    """Arguments of verify_fix."""

    action: Literal["start", "watch", "compare", "replay", "status", "cancel"] = wire.choice(
        "start: record what is broken now; watch: call it after the change, before the retry (not needed if a dev "
        "server updates the page); compare: get the verdict; replay (needs the pilot): repeat the recorded steps, then "
        "compare"
    )
    session_id: str | None = wire.arg(
        "The session_id that start gave; all other actions need it.",
        default=None,
        only=("watch", "compare", "replay", "status", "cancel"),
    )
    label: str | None = wire.arg("start: a label for the session.", default=None, only=("start",))
    include: list[Literal["performance", "accessibility", "contracts", "security"]] | None = wire.arg(
        "start: also compare these", default=None, only=("start",)
    )
    tab_id: int | None = wire.arg("start: include only this tab.", default=None, minimum=0, only=("start",))
    url_filter: str | None = wire.arg("start: include only URLs that contain this text.", default=None, only=("start",))
    max_bytes: int | None = max_bytes_argument()


async def verify_fix(args: VerifyArgs, context: Context) -> VerifyAnswer:
    """Start, watch, compare, show the status or cancel."""
    if args.action == "start":
        return await _start(args, context)
    session = _session(args, context)
    match args.action:
        case "watch":
            return _watch(session, context)
        case "compare":
            return await _compare(session, context, args.max_bytes)
        case "replay":
            return await _replay(session, context, args.max_bytes)
        case "cancel":
            context.saved.sessions.remove(session.session_id, time.monotonic())
            return VerifyAnswer(
                session_id=session.session_id,
                status="cancelled",
                message="The session is forgotten.",
                label=session.label or None,
            )
        case _:
            return _status(session, args.max_bytes, context)


def needs_of_call(args: VerifyArgs, context: Context) -> Needs:
    """What the checks of this call need."""
    if args.action == "start":
        return needs_of(args.include or (), args.tab_id)
    if args.action == "replay":
        kept = context.saved.sessions.get(args.session_id or "", time.monotonic())
        needs = needs_of(kept.include, kept.tab_id) if kept else Needs()
        return evolve(needs, pilot=True, deadline=max(needs.deadline, ACT_SECONDS + 20))
    if args.action == "compare" and (session := context.saved.sessions.get(args.session_id or "", time.monotonic())):
        return needs_of(session.include, session.tab_id)
    return Needs()


def _session(args: VerifyArgs, context: Context) -> VerifySession:
    now = time.monotonic()
    session = context.saved.sessions.get(args.session_id or "", now)
    if session is None:
        known = [{"session_id": name, "label": page.label} for name, page in context.saved.sessions.items(now)]
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
    span = TimeSpan(tab_id=args.tab_id, url_filter=args.url_filter or "")
    baseline = await capture_snapshot(context, span, SNAPSHOT_CHECKS, _checks(include))
    session = VerifySession(
        session_id=f"verify-{secrets.token_urlsafe(16)}",
        label=safe_text(args.label or "", LABEL_CHARS),
        status="baseline_captured",
        created_at=time.time(),
        baseline=baseline,
        url_filter=span.url_filter,
        tab_id=args.tab_id,
        include=include,
        started_from=context.telemetry.last_seq,
    )
    context.saved.sessions.put(session.session_id, session, time.monotonic())
    issues = summary_of(baseline)
    shown, cut = show_baseline(baseline, args.max_bytes, context.form)
    return VerifyAnswer(
        session_id=session.session_id,
        status=session.status,
        message=(
            f"{number_of(issues.total_issues, 'issue')} remembered. Change the code, then call watch, try the scenario "
            f"again, and compare. Where a development server updates the page, watch may be left out."
            f"{not_kept(baseline)}"
            + (f" {number_of(cut, 'more issue')} did not fit: status with max_bytes shows them." if cut else "")
        ),
        label=session.label or None,
        baseline=shown,
    )


def _make_room(context: Context) -> None:
    """Drop a session that was compared, if all are in use. Sessions that still wait are kept."""
    sessions, now = context.saved.sessions, time.monotonic()
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
    return tuple(category for category in SNAPSHOT_CHECKS if category in include)


def _watched_from_now(session: VerifySession, context: Context) -> VerifySession:
    last_seq = context.telemetry.last_seq
    watching = evolve(
        session,
        status="watching",
        watched_from=last_seq,
        watched_at=time.time(),
        scenario_until=last_seq if session.scenario_until is None else session.scenario_until,
    )
    context.saved.sessions.change(session.session_id, watching)
    return watching


async def _replay(session: VerifySession, context: Context, max_bytes: int | None) -> VerifyAnswer:
    """Repeat the scenario with real input, and compare. What was not repeated, the verdict does not count."""
    watching = _watched_from_now(session, context)
    replayed = await replay(context, watching)
    answer = await _compare(watching, context, max_bytes)
    said = f"{replayed.summary} {answer.message}", f"{replayed.summary} {answer.sentences}"
    return evolve(answer, message=said[0], sentences=said[1], replayed=replayed.steps)


def _watch(session: VerifySession, context: Context) -> VerifyAnswer:
    _watched_from_now(session, context)
    steps = steps_of(session.baseline)
    begun = "From now on everything counts as after the change."
    scenario = f"To try: {steps}." if steps else "Reload the page and try the scenario again."
    return VerifyAnswer(
        session_id=session.session_id,
        status="watching",
        message=f"{begun} {scenario} Then compare.",
        label=session.label or None,
        sentences=f"{begun} {'Try it again,' if steps else scenario} then compare.",
        steps=steps,
    )


async def _compare(session: VerifySession, context: Context, max_bytes: int | None) -> VerifyAnswer:
    span = _span_of(session, context)
    before = session.baseline
    after = await settled_snapshot(context, span, session.baseline, _checks(session.include))
    active = was_active(context, span, _pages_of_issues(before))
    verification = verify(before, after, active=active, performance="performance" in session.include)
    context.saved.sessions.change(session.session_id, evolve(session, status="compared"))
    fit = fitting_changes(verification, max_bytes, context.form)
    verdict, steps = message_of(verification)
    rest = (
        _watched(span) + describe_differing_conditions(before, after) + did_not_fit(fit.left_out, "change", max_bytes)
    )
    return VerifyAnswer(
        session_id=session.session_id,
        status="compared",
        message=f"{verdict} To retry: {steps}.{rest}" if steps else f"{verdict}{rest}",
        label=session.label or None,
        watched_since=iso(span.change.ts) if span.change else None,
        sentences=f"{verdict}{rest}",
        steps=steps,
        result=VerifyResult(
            verdict=verification.verdict,
            resolved=count_of(verification, "resolved"),
            still_there=count_of(verification, "unchanged", "changed"),
            not_retried=count_of(verification, "not_retried"),
            before=summary_of(before),
            after=summary_of(after),
            changes=fit.changes,
            new_issues=fit.new_issues,
            performance_diff=fit.loads,
            left_out=fit.left_out,
        ),
    )


def _watched(span: TimeSpan) -> str:
    if span.change is None:
        return ""
    return f" Nobody called watch: since the code changed at {iso(span.change.ts)} (told by {span.change.told_by})."


def _span_of(session: VerifySession, context: Context) -> TimeSpan:
    """What counts as after the fix: from `watch` on, or without it from the last code change."""
    where = TimeSpan(tab_id=session.tab_id, url_filter=session.url_filter)
    if session.watched_from is not None and session.watched_at is not None:
        return evolve(where, from_seq=session.watched_from, from_ts=session.watched_at)
    change = context.telemetry.code_changes.last(session.tab_id)
    if change is None or change.seq <= session.started_from:
        raise GasolineError(
            Code.NOT_WATCHING,
            "Nothing has been watched since the baseline, and no change of the code was seen. Call "
            "verify_fix(action='watch') after the change, try the scenario again, then compare.",
        )
    return evolve(where, from_seq=change.from_seq, from_ts=change.ts, change=change)


def _status(session: VerifySession, max_bytes: int | None, context: Context) -> VerifyAnswer:
    nexts = {
        "baseline_captured": "Change the code, then call watch, unless a development server updates the page.",
        "watching": "Try the scenario again, then call compare.",
        "compared": "Compared once; compare again at any time, or cancel.",
    }
    shown, cut = show_baseline(session.baseline, max_bytes, context.form)
    left = session.created_at + limits.VERIFY_SECONDS - time.time()
    return VerifyAnswer(
        session_id=session.session_id,
        status=session.status,
        message=nexts[session.status] + did_not_fit(cut, "issue", max_bytes),
        label=session.label or None,
        baseline=shown,
        expires_in_seconds=max(0, int(left)),
    )


def _pages_of_issues(snapshot: SessionSnapshot) -> tuple[str, ...]:
    """The pages with errors. Failed requests can be retried from any page that makes them, so then all pages count."""
    if snapshot.failing or not snapshot.errors:
        return snapshot.pages
    return tuple(dict.fromkeys(issue.page for issue in snapshot.errors))


TOOLS = (
    Tool(
        name="verify_fix",
        title="Verify a fix",
        description=(
            "Did a change fix the page? start; change code; watch (a dev server does that); repeat it and compare, or "
            "replay (pilot)."
        ),
        args=VerifyArgs,
        answer=VerifyAnswer,
        run=verify_fix,
        needs=needs_of_call,
        # A replay acts on the page.
        read_only=False,
    ),
)
