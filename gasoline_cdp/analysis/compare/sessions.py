"""Compares two session snapshots: what is new, what is gone, what answers differently, what got slower."""

from collections.abc import Iterable, Sequence
from typing import Literal

from attrs import evolve, field, frozen

from gasoline_cdp.analysis.compare.evidence import Evidence
from gasoline_cdp.analysis.compare.snapshots import Endpoint, Performance, SessionIssue, SessionSnapshot, Socket
from gasoline_cdp.analysis.performance.regressions import Change, changes, improvements, regressions
from gasoline_cdp.analysis.performance.resources import Cause, ResourceChanges, compare_resources, probable_causes
from gasoline_cdp.measures import LongTasks

Verdict = Literal["improved", "regressed", "unchanged", "mixed"]

# Smaller differences in an endpoint's duration are noise.
_DURATION_MS = 100.0
_DURATION_SHARE = 0.5
# Categories whose counts are numbers of elements in the page, not of occurrences.
_OF_ELEMENTS = {"accessibility"}
_NO_TASKS = LongTasks(count=0, total_blocking_time=0.0, longest=0.0)


@frozen(kw_only=True)
class IssueDiff:
    """Issues of one category: only in the second, only in the first, in both (as the second has them).

    Where elements are counted, issues in both with more or fewer elements are listed apart; `count` is the difference.
    `not_retried` are issues of the first snapshot that the second did not try: neither resolved nor still there.
    """

    new: tuple[SessionIssue, ...] = ()
    resolved: tuple[SessionIssue, ...] = ()
    unchanged: tuple[SessionIssue, ...] = ()
    grown: tuple[SessionIssue, ...] = ()
    shrunk: tuple[SessionIssue, ...] = ()
    not_retried: tuple[SessionIssue, ...] = ()


@frozen(kw_only=True)
class EndpointPair:
    """An endpoint that both sessions called."""

    before: Endpoint
    after: Endpoint

    @property
    def duration_change(self) -> float | None:
        """Difference in milliseconds, if both durations are known."""
        if self.before.duration_ms is None or self.after.duration_ms is None:
            return None
        return round(self.after.duration_ms - self.before.duration_ms, 1)


@frozen(kw_only=True)
class NetworkDiff:
    """Endpoints: failing only in the second, failing only in the first, different status, new, no longer called."""

    new_errors: tuple[Endpoint, ...] = ()
    resolved_errors: tuple[Endpoint, ...] = ()
    # They failed in the first and were not called in the second.
    not_retried: tuple[Endpoint, ...] = ()
    status_changes: tuple[EndpointPair, ...] = ()
    new_endpoints: tuple[Endpoint, ...] = ()
    missing_endpoints: tuple[Endpoint, ...] = ()


@frozen(kw_only=True)
class PerformanceDiff:
    """One path that both sessions loaded."""

    path: str
    metrics: tuple[Change, ...]
    regressions: tuple[Change, ...] = ()
    improvements: tuple[Change, ...] = ()
    resources: ResourceChanges = field(factory=ResourceChanges)
    # At most three, the likeliest first.
    causes: tuple[Cause, ...] = ()
    # Only one of the two came from the browser's cache, so a difference means nothing.
    cache_differs: bool = False

    @property
    def cause(self) -> Cause | None:
        """The likeliest reason for the regression."""
        return self.causes[0] if self.causes else None


@frozen(kw_only=True)
class SocketChange:
    """A WebSocket address whose connections differ. None where a session had none."""

    url: str
    before: str | None
    after: str | None
    # It failed in one session only: in the second, or in the first.
    new_failure: bool = False
    resolved: bool = False
    # It failed in the first, and was not opened in the second.
    not_retried: bool = False


@frozen(kw_only=True)
class SessionDiff:
    """Everything that differs between two snapshots."""

    errors: IssueDiff
    network: NetworkDiff
    performance: tuple[PerformanceDiff, ...]
    websockets: tuple[SocketChange, ...]
    findings: dict[str, IssueDiff]
    verdict: Verdict

    @property
    def worse(self) -> int:
        """How many problems the second session has that the first did not have."""
        return (
            len(self.errors.new)
            + len(self.network.new_errors)
            + sum(change.new_failure for change in self.websockets)
            + sum(len(diff.new) + len(diff.grown) for diff in self.findings.values())
            + sum(len(diff.regressions) for diff in self.performance)
        )

    @property
    def not_retried(self) -> int:
        """How many issues of the first session were not tried in the second."""
        return (
            len(self.errors.not_retried)
            + len(self.network.not_retried)
            + sum(change.not_retried for change in self.websockets)
            + sum(len(diff.not_retried) for diff in self.findings.values())
        )

    @property
    def resolved(self) -> int:
        """How many issues of the first session are resolved."""
        return (
            len(self.errors.resolved)
            + len(self.network.resolved_errors)
            + sum(change.resolved for change in self.websockets)
            + sum(len(diff.resolved) + len(diff.shrunk) for diff in self.findings.values())
        )

    @property
    def better(self) -> int:
        """How many issues of the first session are resolved, slow loads included."""
        return self.resolved + sum(len(diff.improvements) for diff in self.performance)


def compare_sessions(before: SessionSnapshot, after: SessionSnapshot) -> SessionDiff:
    """All differences. `compare_sessions(a, a)` has none. What is resolved in one direction is new in the other."""
    evidence = Evidence(before, after)
    diff = SessionDiff(
        errors=compare_issues(before.errors, after.errors, evidence),
        network=compare_network(before.network, after.network, evidence),
        performance=compare_performance(before.performance, after.performance),
        websockets=compare_sockets(before.websockets, after.websockets, evidence),
        findings={
            # A category that only one of the two has cannot be compared.
            category: compare_issues(
                before.findings[category], after.findings[category], evidence, by_element=category in _OF_ELEMENTS
            )
            for category in before.findings
            if category in after.findings
        },
        verdict="unchanged",
    )
    return evolve(diff, verdict=verdict_of(worse=diff.worse, better=diff.better))


def verdict_of(*, worse: int, better: int) -> Verdict:
    """The verdict over all categories."""
    if worse and better:
        return "mixed"
    if worse:
        return "regressed"
    return "improved" if better else "unchanged"


def compare_issues(
    before: Sequence[SessionIssue], after: Sequence[SessionIssue], evidence: Evidence, *, by_element: bool = False
) -> IssueDiff:
    """Matches issues by key. Counts matter only for elements: elsewhere they say how often a page was used."""
    old, new = {issue.key: issue.count for issue in before}, {issue.key for issue in after}
    more = {issue.key: issue.count - old[issue.key] for issue in after if by_element and issue.key in old}
    gone = [issue for issue in before if issue.key not in new]
    tried = {issue.key for issue in gone if evidence.of_issue(issue).holds}
    return IssueDiff(
        new=tuple(issue for issue in after if issue.key not in old),
        resolved=tuple(issue for issue in gone if issue.key in tried),
        unchanged=tuple(issue for issue in after if issue.key in old and not more.get(issue.key)),
        grown=tuple(evolve(issue, count=more[issue.key]) for issue in after if more.get(issue.key, 0) > 0),
        shrunk=tuple(evolve(issue, count=-more[issue.key]) for issue in after if more.get(issue.key, 0) < 0),
        not_retried=tuple(issue for issue in gone if issue.key not in tried),
    )


def compare_network(before: Sequence[Endpoint], after: Sequence[Endpoint], evidence: Evidence) -> NetworkDiff:
    """Matches endpoints by method and path. A failing endpoint that is no longer called is missing, not resolved."""
    old, new = _by_name(before), _by_name(after)
    pairs = [EndpointPair(before=old[name], after=new[name]) for name in new if name in old]
    gone = _failing_only_in(old, new)
    tried = {endpoint.name for endpoint in gone if evidence.of_endpoint(endpoint).holds}
    return NetworkDiff(
        new_errors=_failing_only_in(new, old),
        resolved_errors=tuple(endpoint for endpoint in gone if endpoint.name in tried),
        not_retried=tuple(endpoint for endpoint in gone if endpoint.name not in tried),
        status_changes=tuple(pair for pair in pairs if _differs(pair)),
        new_endpoints=tuple(endpoint for name, endpoint in new.items() if name not in old),
        missing_endpoints=tuple(endpoint for name, endpoint in old.items() if name not in new),
    )


def compare_performance(before: Sequence[Performance], after: Sequence[Performance]) -> tuple[PerformanceDiff, ...]:
    """Path by path. If one got worse, with the resources that differ."""
    old = {load.path: load for load in before}
    diffs = []
    for load in after:
        was = old.get(load.path)
        if was is None:
            continue
        comparable = was.cached == load.cached
        worse = regressions(was.metrics, load.metrics) if comparable else []
        resources = compare_resources(was.resources, load.resources)
        diffs.append(
            PerformanceDiff(
                path=load.path,
                metrics=tuple(changes(was.metrics, load.metrics)),
                regressions=tuple(worse),
                improvements=tuple(improvements(was.metrics, load.metrics)) if comparable else (),
                resources=resources,
                causes=probable_causes(worse, resources, _NO_TASKS),
                cache_differs=not comparable,
            )
        )
    return tuple(diffs)


def compare_sockets(before: Sequence[Socket], after: Sequence[Socket], evidence: Evidence) -> tuple[SocketChange, ...]:
    """Matches sockets by address: new, gone, failed, or in another state."""
    old, new = {socket.name: socket for socket in before}, {socket.name: socket for socket in after}
    changes = []
    for name in dict.fromkeys((*old, *new)):
        was, now = old.get(name), new.get(name)
        shown = now or was
        failed_before, fails_now = bool(was and was.failed), bool(now and now.failed)
        state_before, state_now = was.state if was else None, now.state if now else None
        gone = was is not None and failed_before and not fails_now
        tried = gone and was is not None and evidence.of_socket(was).holds
        if shown is not None and (state_before != state_now or failed_before != fails_now):
            changes.append(
                SocketChange(
                    url=shown.url,
                    before=state_before,
                    after=state_now,
                    new_failure=fails_now and not failed_before,
                    resolved=tried,
                    not_retried=gone and not tried,
                )
            )
    return tuple(changes)


def _by_name(endpoints: Iterable[Endpoint]) -> dict[str, Endpoint]:
    return {endpoint.name: endpoint for endpoint in endpoints}


def _failing_only_in(these: dict[str, Endpoint], others: dict[str, Endpoint]) -> tuple[Endpoint, ...]:
    return tuple(
        endpoint for name, endpoint in these.items() if endpoint.failed and not (name in others and others[name].failed)
    )


def _differs(pair: EndpointPair) -> bool:
    if pair.before.status != pair.after.status:
        return True
    change = pair.duration_change
    if pair.before.cached != pair.after.cached:
        return False
    longer = max(pair.before.duration_ms or 0.0, pair.after.duration_ms or 0.0)
    return change is not None and abs(change) > _DURATION_MS and abs(change) > _DURATION_SHARE * longer
