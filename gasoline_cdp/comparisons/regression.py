"""`analyze(action="regression")`: compares the current page with its baseline in every category."""

import time
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from attrs import evolve, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.compare.sessions import IssueDiff, PerformanceDiff, SessionDiff, compare_sessions
from gasoline_cdp.analysis.compare.snapshots import Endpoint, SessionIssue, SessionSnapshot
from gasoline_cdp.analysis.compare.verification import tried_again
from gasoline_cdp.analysis.performance.loads import path_of
from gasoline_cdp.analysis.performance.regressions import varies, written
from gasoline_cdp.answers.lines import AnswerForm, Line, Tone, note
from gasoline_cdp.answers.marked_lines import line_bytes
from gasoline_cdp.answers.paging import iso
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.audits.axe_runs import when_loaded
from gasoline_cdp.comparisons.diff_answers import bytes_as_json, fitting_differences
from gasoline_cdp.comparisons.regression_lines import baseline_lines, comparison_lines
from gasoline_cdp.comparisons.session_snapshot import Category, TimeSpan, capture_snapshot
from gasoline_cdp.comparisons.settling import settled_snapshot
from gasoline_cdp.comparisons.snapshot_checks import SNAPSHOT_CHECKS
from gasoline_cdp.comparisons.snapshot_entries import new_name, show_snapshot
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.saved_items import PageBaseline
from gasoline_cdp.redact import safe_text

DEFAULT_NAME = "default"
# Room for the name of the comparison and the count of what is left out.
_REST_BYTES = 120
# Checks of a baseline besides errors, requests and loads.
_CHECKS: tuple[Category, ...] = ("accessibility", "security")
_NOT_LOADED = " The page was not loaded since its baseline: reload it, then compare again."

Verdict = Literal["regression_detected", "improved", "no_regression"]


@frozen(kw_only=True)
class RegressionAnswer:
    """The new baseline, or the comparison of the current page with it."""

    status: str
    action: str
    scope: str
    tab_id: int
    duration_ms: int
    # Always false: the page is always checked again.
    cached: bool
    # name, url, captured_at, and with scope `baseline` its counts.
    baseline: dict[str, Any]
    summary: str
    verdict: str | None = None
    comparison: dict[str, Any] | None = None
    # Differences that did not fit.
    left_out: int = 0

    def render(self) -> Iterator[Line]:
        """The verdict and its sentence, the baseline, and the differences."""
        tones: dict[str | None, Tone] = {"regression_detected": "error", "improved": "good"}
        verdict = f"{self.verdict.replace('_', ' ').capitalize()}:" if self.verdict else ""
        yield Line(self.summary, tag=verdict, tone=tones.get(self.verdict, "heading"))
        yield from baseline_lines(self.baseline)
        if self.comparison is not None:
            yield from comparison_lines(self.comparison, self.baseline["url"])
        if self.left_out:
            yield note(f"{number_of(self.left_out, 'more difference')}: a larger max_bytes shows them")


async def analyze_regression(
    name: str | None, tab_id: int | None, scope: str, max_bytes: int | None, context: Context
) -> RegressionAnswer:
    """Save the page as its baseline, or compare it with the saved one."""
    begun = time.monotonic()
    name = new_name(name or DEFAULT_NAME)
    tab = context.tabs.pick(tab_id)
    await when_loaded(tab)
    path = path_of(tab.source.url)
    if scope == "baseline":
        snapshot = await capture_snapshot(context, TimeSpan(tab_id=tab.tab_id), SNAPSHOT_CHECKS, _CHECKS)
        kept = PageBaseline(snapshot=snapshot, last_seq=context.telemetry.last_seq)
        context.saved.baselines.put(_key(name, path), kept, time.monotonic())
        return RegressionAnswer(
            status="success",
            action="regression",
            scope=scope,
            tab_id=tab.tab_id,
            duration_ms=_since(begun),
            cached=False,
            baseline={**_heading(name, snapshot), **wire.dump(show_snapshot(snapshot))},
            summary="The page is kept as it is. Change it, load it again, then compare.",
        )
    kept, after = await _baseline_and_now(name, path, tab.tab_id, context)
    loaded = _loaded_since(kept.last_seq, tab.tab_id, context)
    before = kept.snapshot
    diff = compare_sessions(tried_again(before, after, loaded=loaded), after)
    answer = RegressionAnswer(
        status="success",
        action="regression",
        scope=scope,
        tab_id=tab.tab_id,
        duration_ms=_since(begun),
        cached=False,
        baseline=_heading(name, before),
        verdict=_verdict(diff),
        summary=f"{_sentence(diff)}{'' if loaded else _NOT_LOADED}",
    )
    return with_comparison(answer, _compared(before, after, diff), max_bytes, context.form)


def with_comparison(
    answer: RegressionAnswer, compared: dict[str, Any], max_bytes: int | None, form: AnswerForm
) -> RegressionAnswer:
    """The answer with as many of the differences as fit in the form that the client reads."""

    def measure(shown: dict[str, Any]) -> int:
        return bytes_as_json(shown) if form == "json" else line_bytes(comparison_lines(shown, answer.baseline["url"]))

    around = _REST_BYTES + (line_bytes(answer.render()) if form == "lines" else bytes_as_json(wire.dump(answer)))
    shown, left_out = fitting_differences(compared, max_bytes, measure, around)
    return evolve(answer, comparison=shown, left_out=left_out)


def _loaded_since(seq: int, tab_id: int, context: Context) -> bool:
    return any(
        record.seq > seq and record.type == "Document" and record.source.tab_id == tab_id
        for record in context.telemetry.network.newest()
    )


async def _baseline_and_now(
    name: str, path: str, tab_id: int, context: Context
) -> tuple[PageBaseline, SessionSnapshot]:
    """The baseline of this page by name, or a snapshot that was loaded under that name, and the current state."""
    now = time.monotonic()
    kept = context.saved.baselines.get(_key(name, path), now)
    if kept is None and (loaded := context.saved.snapshots.get(name, now)) is not None:
        kept = PageBaseline(snapshot=loaded, last_seq=0)
    if kept is None:
        raise _no_baseline("This page has no baseline", name, context)
    seen_since = kept.snapshot.captured_at if kept.last_seq else 0.0
    span = TimeSpan(tab_id=tab_id, from_seq=kept.last_seq, seen_since=seen_since)
    return kept, await settled_snapshot(context, span, kept.snapshot, _CHECKS)


def _key(name: str, path: str) -> str:
    return f"{path} {name}"


def baselines_named(name: str, context: Context) -> list[tuple[str, SessionSnapshot]]:
    """The baselines with this name, by page path. Raises `no_such_snapshot` if there is none."""
    pages = [
        (path, kept.snapshot)
        for key, kept in context.saved.baselines.items(time.monotonic())
        for path, _, its_name in (key.partition(" "),)
        if its_name == name
    ]
    if not pages:
        raise _no_baseline("There is no baseline", name, context)
    return sorted(pages, key=lambda page: page[0])


def keep_baseline(name: str, path: str, snapshot: SessionSnapshot, context: Context) -> None:
    """Save a baseline of another run. Everything captured here counts as after it."""
    kept = PageBaseline(snapshot=snapshot, last_seq=0)
    # In a key, a blank ends the path. Paths of URLs contain none.
    path = safe_text(path, limits.URL_CHARS).replace(" ", "%20")
    context.saved.baselines.put(_key(new_name(name), path), kept, time.monotonic())


def _no_baseline(problem: str, name: str, context: Context) -> GasolineError:
    known = [key.partition(" ")[::2] for key, _ in context.saved.baselines.items(time.monotonic())]
    return GasolineError(
        Code.NO_SUCH_SNAPSHOT,
        f"{problem} {name[:60]!r}. Before the change, analyze(action='regression', scope='baseline', "
        f"name={name[:60]!r}) takes one; one of another run is loaded from a shell: gasoline-cdp snapshot FILE --load "
        "NAME",
        baselines=[{"path": path, "name": name} for path, name in known],
    )


def _since(begun: float) -> int:
    return round((time.monotonic() - begun) * 1000)


def _heading(name: str, snapshot: SessionSnapshot) -> dict[str, Any]:
    return {"name": name, "url": snapshot.page_url, "captured_at": iso(snapshot.captured_at)}


def _verdict(diff: SessionDiff) -> Verdict:
    if diff.worse:
        return "regression_detected"
    # One load that was faster than another one proves nothing.
    lucky = sum(varies(change.metric) for load in diff.performance for change in load.improvements)
    return "improved" if diff.better > lucky else "no_regression"


def _compared(before: SessionSnapshot, after: SessionSnapshot, diff: SessionDiff) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "errors": {
            "baseline_issues": len(before.errors) + len(before.failing),
            "current_issues": len(after.errors) + len(after.failing),
            "new_issues": _errors(diff.errors.new, diff.network.new_errors),
            "resolved_issues": _errors(diff.errors.resolved, diff.network.resolved_errors),
        }
    }
    if "accessibility" in diff.findings:
        issues = diff.findings["accessibility"]
        shown["accessibility"] = {
            # Count elements, not rules: each element has to be fixed on its own.
            "baseline_issues": _elements(before.findings["accessibility"]),
            "current_issues": _elements(after.findings["accessibility"]),
            "new_issues": _ids(issues.new, issues.grown),
            "resolved_issues": _ids(issues.resolved, issues.shrunk),
        }
    if "security" in diff.findings:
        issues = diff.findings["security"]
        shown["security"] = {
            "baseline_findings": len(before.findings["security"]),
            "current_findings": len(after.findings["security"]),
            "changes": [
                *({"change": "new", "finding": issue.message} for issue in issues.new),
                *({"change": "resolved", "finding": issue.message} for issue in issues.resolved),
            ],
        }
    shown["performance"] = _performance(diff.performance)
    return shown


def _errors(issues: tuple[SessionIssue, ...], endpoints: tuple[Endpoint, ...]) -> list[dict[str, Any]]:
    shown = [{"type": issue.type, "message": issue.message, "count": issue.count} for issue in issues]
    shown += [
        {"type": "network", "message": f"{one.name} → {one.failed_status or one.failure}", "count": one.failed}
        for one in endpoints
    ]
    return shown


def _ids(whole: tuple[SessionIssue, ...], partly: tuple[SessionIssue, ...]) -> list[dict[str, Any]]:
    return [{"id": issue.key, "count": issue.count} for issue in (*whole, *partly)]


def _elements(issues: Iterable[SessionIssue]) -> int:
    return sum(issue.count for issue in issues)


def _performance(loads: tuple[PerformanceDiff, ...]) -> dict[str, Any]:
    if not loads:
        return {"measured": False, "note": "no load was measured since the baseline: one is summed up 2 s after it"}
    load = loads[0]
    paint = next((change for change in load.metrics if change.metric == "largest_contentful_paint"), None)
    shown: dict[str, Any] = {"measured": True, "path": load.path}
    if paint is not None:
        shown |= {
            "lcp_baseline_ms": paint.baseline,
            "lcp_current_ms": paint.current,
            "lcp_delta_ms": paint.absolute_change,
            "lcp_regression": paint in load.regressions,
        }
    shown["regressions"] = [wire.dump(change) for change in load.regressions]
    if load.cause is not None:
        shown["probable_cause"] = wire.dump(load.cause)
    if load.causes[1:]:
        shown["further_causes"] = [wire.dump(cause) for cause in load.causes[1:]]
    return shown


def _sentence(diff: SessionDiff) -> str:
    """The differences in sentences, without any text of pages."""
    none = IssueDiff()
    rules, findings = diff.findings.get("accessibility", none), diff.findings.get("security", none)
    worse = [
        _counted(len(diff.errors.new) + len(diff.network.new_errors), "new error"),
        _counted(_elements((*rules.new, *rules.grown)), "new accessibility issue"),
        _counted(len(findings.new), "new security finding"),
        _counted(sum(change.new_failure for change in diff.websockets), "new WebSocket failure"),
        *(
            f"{change.metric} worse by {written(change.metric, change.absolute_change)}"
            for load in diff.performance
            for change in load.regressions
        ),
    ]
    better = [
        _counted(len(diff.errors.resolved) + len(diff.network.resolved_errors), "error"),
        _counted(_elements((*rules.resolved, *rules.shrunk)), "accessibility issue"),
        _counted(len(findings.resolved), "security finding"),
        _counted(sum(change.resolved for change in diff.websockets), "WebSocket failure"),
    ]
    changed = [change for load in diff.performance for change in load.improvements]
    lighter, quicker = (
        [
            f"{change.metric} by {written(change.metric, -change.absolute_change)}"
            for change in changed
            if varies(change.metric) is by_chance
        ]
        for by_chance in (False, True)
    )
    gone = ", ".join(part for part in better if part)
    gained = ", ".join([f"{gone} gone"] * bool(gone) + [f"{part} less" for part in lighter])
    lost = ", ".join(part for part in worse if part)
    sentences = [
        f"{lost}." if lost else "Nothing got worse.",
        f"Better: {gained}." if gained else "",
        f"Quicker, in one load each: {', '.join(quicker)}." if quicker else "",
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _counted(count: int, noun: str) -> str:
    return number_of(count, noun) if count else ""
