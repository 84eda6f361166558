"""Judges whether a fix worked: compares what was wrong before with what was seen when it was tried again."""

from collections.abc import Iterable
from typing import Literal

from attrs import evolve, field, frozen

from gasoline_cdp.analysis.compare.evidence import Evidence, IssueEvidence
from gasoline_cdp.analysis.compare.sessions import PerformanceDiff, compare_performance
from gasoline_cdp.analysis.compare.snapshots import Endpoint, SessionIssue, SessionSnapshot
from gasoline_cdp.analysis.compare.triggers import Trigger, merged

Verdict = Literal[
    "fixed", "improved", "unchanged", "different_issue", "regressed", "no_issues_detected", "nothing_observed"
]
ChangeType = Literal["resolved", "new", "changed", "unchanged", "not_retried"]

NOT_SEEN = "(not seen)"


@frozen(kw_only=True)
class VerifyChange:
    """One issue before and after. `evidence` says why it counts as resolved, `retry` what would show it again."""

    type: ChangeType
    category: str
    before: str
    after: str
    evidence: str = ""
    retry: str = ""


@frozen(kw_only=True)
class Verification:
    """The verdict and its reasons."""

    verdict: Verdict
    changes: tuple[VerifyChange, ...] = ()
    new_issues: tuple[VerifyChange, ...] = ()
    performance: tuple[PerformanceDiff, ...] = field(factory=tuple)
    # What has to be repeated for the issues that were not retried.
    missed: tuple[Trigger, ...] = ()


def verify(before: SessionSnapshot, after: SessionSnapshot, *, active: bool, performance: bool = False) -> Verification:
    """Compare the broken state with what came later. `active` says whether its pages did anything at all."""
    evidence = Evidence(before, after)
    changes = [
        *_of_issues("console", before.errors, after.errors, evidence),
        *_of_network(before, after, evidence),
        *_of_sockets(before, after, evidence),
        *(
            change
            for category, issues in before.findings.items()
            if category in after.findings
            for change in _of_issues(category, issues, after.findings[category], evidence)
        ),
    ]
    known = tuple(change for change in changes if change.type != "new")
    new = tuple(change for change in changes if change.type == "new")
    loads = compare_performance(before.performance, after.performance) if performance else ()
    verdict = _verdict(known, new, loads, active=active)
    if evidence.differs and verdict in {"different_issue", "regressed"}:
        # The conditions may have done that.
        verdict = "nothing_observed"
    return Verification(
        verdict=verdict,
        changes=known,
        new_issues=new,
        performance=loads,
        missed=merged(evidence.missed),
    )


def seconds_short(before: SessionSnapshot, after: SessionSnapshot) -> float | None:
    """Seconds until a repeated trigger can show more; None if nothing will."""
    retries, seen = after.retries, {issue.key for issue in after.errors}
    errors = (issue.triggers for issue in before.errors if issue.key not in seen)
    waits = [retries.seconds_short(triggers) for triggers in (*errors, *(one.triggers for one in before.failing))]
    return min((wait for wait in waits if wait is not None), default=None)


def tried_again(before: SessionSnapshot, after: SessionSnapshot, *, loaded: bool) -> SessionSnapshot:
    """The comparable part of a state. What nobody tried since is neither resolved nor still there.

    `loaded` says whether its pages were loaded again. If not, what they do during a load was not tried.
    """
    evidence = Evidence(before, after)
    again = {issue.key for issue in (*after.errors, *after.warnings)}
    called = {endpoint.name for endpoint in after.network if endpoint.calls}
    opened = {socket.name for socket in after.websockets}

    def is_tried(issue: SessionIssue) -> bool:
        return issue.key in again or ((bool(issue.triggers) or loaded) and evidence.of_issue(issue).holds)

    return evolve(
        before,
        errors=tuple(filter(is_tried, before.errors)),
        warnings=tuple(filter(is_tried, before.warnings)),
        findings={
            category: tuple(issue for issue in issues if evidence.of_issue(issue).holds)
            for category, issues in before.findings.items()
        },
        network=tuple(endpoint for endpoint in before.network if endpoint.name in called),
        websockets=tuple(socket for socket in before.websockets if socket.name in opened),
    )


def _verdict(
    known: tuple[VerifyChange, ...],
    new: tuple[VerifyChange, ...],
    loads: tuple[PerformanceDiff, ...],
    *,
    active: bool,
) -> Verdict:
    slower = any(load.regressions for load in loads)
    resolved = sum(change.type == "resolved" for change in known)
    # What was not tried again is neither resolved nor still there.
    tried = sum(change.type != "not_retried" for change in known)
    if not new and not slower:
        if not active or (known and not tried):
            return "nothing_observed"
        if not known:
            return "no_issues_detected"
        if resolved == len(known):
            return "fixed"
        return "improved" if resolved else "unchanged"
    if resolved and (resolved == len(known) or len(new) + len(known) - resolved <= len(known)):
        return "different_issue"
    return "regressed"


def _gone(category: str, before: str, after: str, evidence: IssueEvidence) -> VerifyChange:
    if evidence.holds:
        return VerifyChange(type="resolved", category=category, before=before, after=after, evidence=evidence.words)
    return VerifyChange(type="not_retried", category=category, before=before, after=after, retry=evidence.words)


def _of_issues(
    category: str, before: Iterable[SessionIssue], after: Iterable[SessionIssue], evidence: Evidence
) -> Iterable[VerifyChange]:
    old, new = {issue.key: issue for issue in before}, {issue.key: issue for issue in after}
    for key, issue in old.items():
        now = new.get(key)
        if now is None:
            yield _gone(category, _described(issue), NOT_SEEN, evidence.of_issue(issue))
        else:
            same: ChangeType = "unchanged" if now.count == issue.count else "changed"
            yield VerifyChange(type=same, category=category, before=_described(issue), after=_described(now))
    for key, issue in new.items():
        if key not in old:
            yield VerifyChange(type="new", category=category, before=NOT_SEEN, after=_described(issue))


def _of_network(before: SessionSnapshot, after: SessionSnapshot, evidence: Evidence) -> Iterable[VerifyChange]:
    now = {endpoint.name: endpoint for endpoint in after.network}
    failing = {endpoint.name: endpoint for endpoint in before.failing}
    for name, endpoint in failing.items():
        called = now.get(name)
        if called is not None and called.failed:
            same: ChangeType = "unchanged" if called.failed_status == endpoint.failed_status else "changed"
            yield VerifyChange(type=same, category="network", before=_failed(endpoint), after=_failed(called))
        else:
            outcome = f"{name} → {called.status}" if called is not None and called.calls else "(not called)"
            yield _gone("network", _failed(endpoint), outcome, evidence.of_endpoint(endpoint))
    for name, endpoint in now.items():
        if endpoint.failed and name not in failing:
            yield VerifyChange(type="new", category="network", before=NOT_SEEN, after=_failed(endpoint))


def _of_sockets(before: SessionSnapshot, after: SessionSnapshot, evidence: Evidence) -> Iterable[VerifyChange]:
    now = {socket.name: socket for socket in after.websockets}
    old = {socket.name: socket for socket in before.websockets if socket.failed}
    for name, socket in old.items():
        again = now.get(name)
        failure = f"{socket.url} {socket.state}"
        if again is not None and again.failed:
            yield VerifyChange(
                type="unchanged", category="websocket", before=failure, after=f"{again.url} {again.state}"
            )
        else:
            state = f"{again.url} {again.state}" if again is not None else "(not opened)"
            yield _gone("websocket", failure, state, evidence.of_socket(socket))
    for name, socket in now.items():
        if socket.failed and name not in old:
            yield VerifyChange(type="new", category="websocket", before=NOT_SEEN, after=f"{socket.url} {socket.state}")


def _described(issue: SessionIssue) -> str:
    return issue.message if issue.count == 1 else f"{issue.message} (x{issue.count})"


def _failed(endpoint: Endpoint) -> str:
    return f"{endpoint.name} → {endpoint.failed_status or endpoint.failure or 'failed'}"
