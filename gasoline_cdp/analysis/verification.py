"""Judges whether a fix worked: what was wrong before, against what was seen while it was tried again."""

from collections.abc import Callable, Iterable
from typing import Literal

from attrs import evolve, field, frozen

from gasoline_cdp.analysis.sessions import PerformanceDiff, compare_performance
from gasoline_cdp.analysis.snapshots import BY_USE, Endpoint, Issue, Snapshot

Verdict = Literal[
    "fixed", "improved", "unchanged", "different_issue", "regressed", "no_issues_detected", "nothing_observed"
]
ChangeType = Literal["resolved", "new", "changed", "unchanged", "not_exercised"]

NOT_SEEN = "(not seen)"
_NOT_CALLED = "(not called)"


@frozen(kw_only=True)
class VerifyChange:
    """One issue before and after. `evidence` says why we believe it, in our own words."""

    type: ChangeType
    category: str
    before: str
    after: str
    evidence: str = ""


@frozen(kw_only=True)
class Verification:
    """The verdict and what it rests on."""

    verdict: Verdict
    changes: tuple[VerifyChange, ...] = ()
    new_issues: tuple[VerifyChange, ...] = ()
    performance: tuple[PerformanceDiff, ...] = field(factory=tuple)


def verify(before: Snapshot, after: Snapshot, *, active: bool, performance: bool = False) -> Verification:
    """Compare the broken state with what came since; `active` says whether its pages did anything at all."""
    changes = [
        *_of_errors(before, after),
        *_of_network(before, after),
        *_of_sockets(before, after),
        *_of_findings(before, after),
    ]
    known = tuple(change for change in changes if change.type != "new")
    new = tuple(change for change in changes if change.type == "new")
    loads = compare_performance(before.performance, after.performance) if performance else ()
    return Verification(
        verdict=_verdict(known, new, loads, active=active), changes=known, new_issues=new, performance=loads
    )


def tried_again(before: Snapshot, after: Snapshot, *, loaded: bool) -> Snapshot:
    """The part of a state that can be compared: what nobody tried since is neither mended nor still there.

    `loaded` says whether its pages were loaded anew. If not, what they do while they load was not tried.
    """
    visited = set(after.pages) if loaded else set()
    again = {issue.key for issue in (*after.errors, *after.warnings)}
    called, opened = {endpoint.name for endpoint in after.network}, {socket.url for socket in after.websockets}

    def issues(found: Iterable[Issue]) -> tuple[Issue, ...]:
        return tuple(issue for issue in found if issue.key in again or issue.page in visited)

    return evolve(
        before,
        errors=issues(before.errors),
        warnings=issues(before.warnings),
        findings={
            category: tuple(issue for issue in found if _is_tried(issue, called, visited))
            for category, found in before.findings.items()
        },
        network=tuple(endpoint for endpoint in before.network if endpoint.name in called),
        websockets=tuple(socket for socket in before.websockets if socket.url in opened),
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
    # What was not tried again is neither mended nor still there.
    tried = sum(change.type != "not_exercised" for change in known)
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


def _of_errors(before: Snapshot, after: Snapshot) -> Iterable[VerifyChange]:
    visited = set(after.pages)

    def evidence(issue: Issue) -> str:
        if issue.page in visited:
            return "its page was used again, and it did not come back"
        return "other pages were used, but not its own"

    yield from _of_issues(
        "console", before.errors, after.errors, evidence=evidence, tried=lambda issue: issue.page in visited
    )


def _of_findings(before: Snapshot, after: Snapshot) -> Iterable[VerifyChange]:
    called, visited = {endpoint.name for endpoint in after.network}, set(after.pages)

    def tried(issue: Issue) -> bool:
        return _is_tried(issue, called, visited)

    def evidence(issue: Issue) -> str:
        return "checked again, and not found" if tried(issue) else "what shows it was not done again"

    for category, issues in before.findings.items():
        if category in after.findings:
            yield from _of_issues(category, issues, after.findings[category], evidence=evidence, tried=tried)


def _is_tried(issue: Issue, called: set[str], visited: set[str]) -> bool:
    """Whether a finding could have come back: what the traffic shows needs that traffic."""
    if issue.shown_by == BY_USE:
        return issue.page in visited
    return not issue.shown_by or issue.shown_by in called


def _of_issues(
    category: str,
    before: Iterable[Issue],
    after: Iterable[Issue],
    *,
    evidence: Callable[[Issue], str],
    tried: Callable[[Issue], bool],
) -> Iterable[VerifyChange]:
    old, new = {issue.key: issue for issue in before}, {issue.key: issue for issue in after}
    for key, issue in old.items():
        now = new.get(key)
        if now is None and not tried(issue):
            yield VerifyChange(
                type="not_exercised", category=category, before=_told(issue), after=NOT_SEEN, evidence=evidence(issue)
            )
        elif now is None:
            yield VerifyChange(
                type="resolved", category=category, before=_told(issue), after=NOT_SEEN, evidence=evidence(issue)
            )
        else:
            same: ChangeType = "unchanged" if now.count == issue.count else "changed"
            yield VerifyChange(type=same, category=category, before=_told(issue), after=_told(now))
    for key, issue in new.items():
        if key not in old:
            yield VerifyChange(type="new", category=category, before=NOT_SEEN, after=_told(issue))


def _of_network(before: Snapshot, after: Snapshot) -> Iterable[VerifyChange]:
    now = {endpoint.name: endpoint for endpoint in after.network}
    failing = {endpoint.name: endpoint for endpoint in before.failing}
    for name, endpoint in failing.items():
        called = now.get(name)
        if called is None:
            yield VerifyChange(
                type="not_exercised",
                category="network",
                before=_failed(endpoint),
                after=_NOT_CALLED,
                evidence="the endpoint was not called again",
            )
        elif not called.failed:
            times = "once" if called.calls == 1 else f"{called.calls} times"
            yield VerifyChange(
                type="resolved",
                category="network",
                before=_failed(endpoint),
                after=f"{called.name} → {called.status}",
                evidence=f"the endpoint was called {times} and answered {called.status}",
            )
        else:
            same: ChangeType = "unchanged" if called.failed_status == endpoint.failed_status else "changed"
            yield VerifyChange(type=same, category="network", before=_failed(endpoint), after=_failed(called))
    for name, endpoint in now.items():
        if endpoint.failed and name not in failing:
            yield VerifyChange(type="new", category="network", before=NOT_SEEN, after=_failed(endpoint))


def _of_sockets(before: Snapshot, after: Snapshot) -> Iterable[VerifyChange]:
    now = {socket.url: socket for socket in after.websockets}
    old = {socket.url: socket for socket in before.websockets if socket.failed}
    for url, socket in old.items():
        again = now.get(url)
        told = f"{url} {socket.state}"
        if again is None:
            yield VerifyChange(
                type="not_exercised",
                category="websocket",
                before=told,
                after="(not opened)",
                evidence="no connection to it was opened again",
            )
        elif again.failed:
            yield VerifyChange(type="unchanged", category="websocket", before=told, after=f"{url} {again.state}")
        else:
            yield VerifyChange(
                type="resolved",
                category="websocket",
                before=told,
                after=f"{url} {again.state}",
                evidence=f"it was opened again and is {again.state}",
            )
    for url, socket in now.items():
        if socket.failed and url not in old:
            yield VerifyChange(type="new", category="websocket", before=NOT_SEEN, after=f"{url} {socket.state}")


def _told(issue: Issue) -> str:
    return issue.message if issue.count == 1 else f"{issue.message} (x{issue.count})"


def _failed(endpoint: Endpoint) -> str:
    return f"{endpoint.name} → {endpoint.failed_status or endpoint.failure or 'failed'}"
