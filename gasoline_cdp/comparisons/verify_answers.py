"""Answers of verify_fix: what was broken, what to retry, and the verdict."""

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import field, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.compare.sessions import PerformanceDiff
from gasoline_cdp.analysis.compare.snapshots import SessionSnapshot
from gasoline_cdp.analysis.compare.triggers import Trigger, merged, to_retry
from gasoline_cdp.analysis.compare.verification import Verification, VerifyChange
from gasoline_cdp.answers.amounts import clock
from gasoline_cdp.answers.lines import AnswerForm, Line, Tone, note
from gasoline_cdp.answers.log_entries import repeated
from gasoline_cdp.answers.marked_lines import line_bytes
from gasoline_cdp.answers.paging import fitting, iso, json_bytes
from gasoline_cdp.answers.quoting import quoted, word
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.comparisons.change_lines import (
    change_lines,
    end_of,
    endpoint_words,
    from_to,
    issue_words,
    joined,
    metric_words,
    percent,
    steps_after,
    without_repeated_steps,
)

# Room for the counts and sentences around the lists.
_AROUND = 1500
LABEL_CHARS = 80
# How many steps to retry a message names.
_STEPS = 8
_TONES: dict[str, Tone] = {
    "fixed": "good",
    "no_issues_detected": "good",
    "improved": "good",
    "nothing_observed": "warning",
    "unchanged": "error",
    "different_issue": "error",
    "regressed": "error",
}


@frozen(kw_only=True)
class IssueSummary:
    """Counts of issues. Repeated errors count each time."""

    console_errors: int
    network_errors: int
    total_issues: int


@frozen(kw_only=True)
class ErrorDetail:
    """One issue at the start of the session."""

    type: str
    message: str | None = None
    count: int | None = None
    method: str | None = None
    url: str | None = None
    status: int | None = None
    # The steps that led to it and have to be repeated.
    retry: str | None = None

    def line(self) -> Line:
        """`network POST /api/order 500 retry | load /cart`."""
        if self.method and self.url:
            end = end_of(self.status, self.message or "")
            words = joined(endpoint_words(self.method, self.url, end), repeated(self.count or 1, None))
        elif self.url:
            words = joined(word(self.url), word(self.message or ""))
        else:
            words = issue_words(self.message or "", self.count or 1)
        return Line(joined(words, steps_after("retry", self.retry or "")), tag=self.type, tone="error")


@frozen(kw_only=True)
class BaselineEntry:
    """What was broken at `start`."""

    captured_at: str
    console_errors: int
    network_errors: int
    error_details: list[ErrorDetail]
    left_out: int = 0

    def lines(self) -> Iterator[Line]:
        """The counts with their time, and one line per issue."""
        counts = (
            number_of(self.console_errors, "console error") if self.console_errors else "",
            number_of(self.network_errors, "failed request") if self.network_errors else "",
        )
        summary = ", ".join(filter(None, counts)) or "no console error, no failed request"
        yield Line(f"Before the change, at {clock(self.captured_at)}: {summary}.", tone="heading")
        for detail in self.error_details:
            yield detail.line()
        if self.left_out:
            yield note(f"{number_of(self.left_out, 'more issue')} not shown")


@frozen(kw_only=True)
class LoadChange:
    """A page load compared with the one before the change."""

    path: str
    load_time_before: str | None
    load_time_after: str | None
    change: str | None
    regressions: list[dict[str, Any]] = field(factory=list)
    probable_cause: str | None = None

    def lines(self) -> Iterator[Line]:
        """The load before and after, and below it the regressions."""
        times = from_to(self.load_time_before, self.load_time_after or "") if self.load_time_before else "not measured"
        yield Line(joined(word(self.path), times, self.change or ""), tag="load")
        for one in self.regressions:
            change = percent(one["change_percent"])
            words = metric_words(one["metric"], one["baseline"], one["current"], change)
            yield Line(words, tag="worse", tone="error", depth=1)
        if self.probable_cause:
            yield Line(self.probable_cause, tag="probable cause:", depth=1)


@frozen(kw_only=True)
class VerifyResult:
    """The verdict, and each issue before and after. `left_out` counts changes that did not fit."""

    verdict: str
    # Issues of the baseline: gone although retried, still there, and not retried, so nothing is known about them.
    resolved: int
    still_there: int
    not_retried: int
    before: IssueSummary
    after: IssueSummary
    changes: list[VerifyChange]
    new_issues: list[VerifyChange]
    performance_diff: list[LoadChange] = field(factory=list)
    left_out: int = 0

    def lines(self) -> Iterator[Line]:
        """The counts, then unresolved issues, resolved issues, and the loads."""
        kinds = {
            "issues": (self.before.total_issues, self.after.total_issues),
            "console errors": (self.before.console_errors, self.after.console_errors),
            "failed requests": (self.before.network_errors, self.after.network_errors),
        }
        counts = (
            f"{name} {from_to(str(before), str(after))}" for name, (before, after) in kinds.items() if before or after
        )
        ends = {"still there": self.still_there, "not retried": self.not_retried, "resolved": self.resolved}
        became = (f"{count} {name}" for name, count in ends.items() if count)
        # Issues seen less often may only not have been retried, so those counts come first.
        seen = ", ".join(counts)
        if sides := "; ".join(filter(None, (", ".join(became), f"seen before → after: {seen}" if seen else ""))):
            yield Line(f"{sides}.")
        yield from change_lines([*self.new_issues, *self.changes])
        for load in self.performance_diff:
            yield from load.lines()


@frozen(kw_only=True)
class VerifyAnswer:
    """The state of a session, and after `compare` its result."""

    session_id: str
    status: str
    message: str
    label: str | None = None
    baseline: BaselineEntry | None = None
    result: VerifyResult | None = None
    expires_in_seconds: int | None = None
    # What `replay` did, step by step.
    replayed: list[str] = field(factory=list)
    # Without a call of `watch`: the code change that counts as the fix.
    watched_since: str | None = None
    # The message in two parts: our sentences, and the steps, which contain names from the page.
    sentences: str = wire.internal("")
    steps: str = wire.internal("")

    def render(self) -> Iterator[Line]:
        """The verdict or the state with the session_id, then the details."""
        words = (
            self.sentences or self.message,
            f"session_id={word(self.session_id)}",
            quoted(self.label, LABEL_CHARS) if self.label else "",
            f"({self.expires_in_seconds // 60} min left)" if self.expires_in_seconds is not None else "",
        )
        verdict = self.result.verdict if self.result else self.status
        yield Line(joined(*words), tag=f"{verdict.replace('_', ' ')}:", tone=_TONES.get(verdict, "heading"))
        yield from without_repeated_steps(self._details())

    def _details(self) -> Iterator[Line]:
        yield from (Line(step, tag="replayed") for step in self.replayed)
        if self.steps:
            yield Line(steps_after("To retry", self.steps))
        if self.baseline:
            yield from self.baseline.lines()
        if self.result:
            yield from self.result.lines()


def summary_of(snapshot: SessionSnapshot) -> IssueSummary:
    """Counts of the issues in a snapshot."""
    network = sum(endpoint.failed for endpoint in snapshot.failing)
    others = sum(issue.count for issues in snapshot.findings.values() for issue in issues)
    sockets = sum(socket.failed for socket in snapshot.websockets)
    errors = snapshot.error_count
    return IssueSummary(console_errors=errors, network_errors=network, total_issues=errors + network + others + sockets)


def show_baseline(snapshot: SessionSnapshot, max_bytes: int | None, form: AnswerForm) -> tuple[BaselineEntry, int]:
    """The issues of a baseline that fit in the form that the client reads, and how many do not."""
    details = [
        *(
            ErrorDetail(
                type="console", message=issue.message, count=issue.count, retry=to_retry(issue.triggers) or None
            )
            for issue in snapshot.errors
        ),
        *(
            ErrorDetail(
                type="network",
                method=endpoint.method,
                url=endpoint.url,
                status=endpoint.failed_status,
                message=endpoint.failure or None,
                count=endpoint.failed,
                retry=to_retry(endpoint.triggers) or None,
            )
            for endpoint in snapshot.failing
        ),
        *(
            ErrorDetail(type="websocket", url=socket.url, message=socket.state, retry=to_retry(socket.triggers) or None)
            for socket in snapshot.websockets
            if socket.failed
        ),
        *(
            ErrorDetail(type=category, message=issue.message, count=issue.count)
            for category, issues in snapshot.findings.items()
            for issue in issues
        ),
    ]
    measure = (lambda detail: line_bytes([detail.line()])) if form == "lines" else json_bytes
    shown = fitting(details, (max_bytes or limits.ANSWER_BYTES) - _AROUND, measure)
    # Warnings do not count as issues.
    beyond = sum(count for name, count in snapshot.left_out.items() if name != "warnings")
    summary = summary_of(snapshot)
    entry = BaselineEntry(
        captured_at=iso(snapshot.captured_at),
        console_errors=summary.console_errors,
        network_errors=summary.network_errors,
        error_details=shown,
        left_out=len(details) - len(shown) + beyond,
    )
    return entry, len(details) - len(shown)


@frozen(kw_only=True)
class FittingChanges:
    """What of a verification fits into an answer, and how many entries do not."""

    changes: list[VerifyChange]
    new_issues: list[VerifyChange]
    loads: list[LoadChange]
    left_out: int


def fitting_changes(verification: Verification, max_bytes: int | None, form: AnswerForm) -> FittingChanges:
    """As much as fits in the form that the client reads. Loads get a quarter of the room, new issues half the rest."""

    def measure(entry: VerifyChange | LoadChange) -> int:
        if form == "json":
            return json_bytes(entry)
        return line_bytes(entry.lines() if isinstance(entry, LoadChange) else change_lines([entry]))

    budget = (max_bytes or limits.ANSWER_BYTES) - _AROUND
    loads = fitting([show_load(load) for load in verification.performance], budget // 4, measure)
    budget -= sum(map(measure, loads))
    new = fitting(verification.new_issues, budget // 2, measure)
    changes = fitting(verification.changes, budget - sum(map(measure, new)), measure)
    total = len(verification.performance) + len(verification.new_issues) + len(verification.changes)
    return FittingChanges(
        changes=changes, new_issues=new, loads=loads, left_out=total - len(loads) - len(new) - len(changes)
    )


def show_load(load: PerformanceDiff) -> LoadChange:
    """A load before and after."""
    times = next((change for change in load.metrics if change.metric == "load"), None)
    return LoadChange(
        path=load.path,
        load_time_before=f"{times.baseline:.0f}ms" if times else None,
        load_time_after=f"{times.current:.0f}ms" if times else None,
        change=f"{times.change_percent:+.0f}%" if times and times.change_percent is not None else None,
        regressions=[wire.dump(change) for change in load.regressions],
        probable_cause=load.cause.sentence if load.cause else None,
    )


def steps_of(baseline: SessionSnapshot) -> str:
    """The steps to repeat so that every issue can show up again."""
    return _listed(merged(triggers_of(baseline)))


def triggers_of(baseline: SessionSnapshot) -> Iterator[Trigger]:
    """What led to each issue."""
    for error in baseline.errors:
        yield from error.triggers
    for endpoint in baseline.failing:
        yield from endpoint.triggers
    for socket in baseline.websockets:
        yield from socket.triggers if socket.failed else ()


def _listed(steps: Sequence[Trigger]) -> str:
    more = f", and {len(steps) - _STEPS} more" if len(steps) > _STEPS else ""
    return to_retry(steps[:_STEPS]) + more


def count_of(verification: Verification, *types: str) -> int:
    """How many issues changed in one of these ways."""
    return sum(change.type in types for change in verification.changes)


def message_of(verification: Verification) -> tuple[str, str]:
    """The verdict as a sentence, with the number of issues not retried, and the steps to retry them."""
    sentence, missing = _SENTENCES[verification.verdict], count_of(verification, "not_retried")
    if not missing:
        return sentence, ""
    total = len(verification.changes)
    of = "" if missing == total else f" {missing} of {number_of(total, 'issue')} not retried."
    return f"{sentence}{of}", _listed(verification.missed)


_SENTENCES = {
    "fixed": "Everything that was wrong before was tried again and is gone; nothing new is wrong.",
    "improved": "Some of what was wrong is gone, and nothing new is wrong.",
    "unchanged": "What was wrong before and was tried again is still wrong.",
    "different_issue": "What was wrong before is gone or less, but something else is wrong now.",
    "regressed": "More is wrong than before.",
    "no_issues_detected": "Nothing was wrong before, and nothing is now.",
    "nothing_observed": "Nothing that was wrong was tried again since the change, so this says nothing about the fix.",
}
