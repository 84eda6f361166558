"""Compares two snapshots of a session: what is new, what is gone, what answers differently, what got slower."""

from collections.abc import Iterable, Sequence
from typing import Literal

from attrs import evolve, field, frozen

from gasoline_cdp.analysis.regressions import Change, changes, improvements, regressions
from gasoline_cdp.analysis.resources import Cause, ResourceChanges, compare_resources, probable_causes
from gasoline_cdp.analysis.snapshots import Endpoint, Issue, Performance, Snapshot, Socket
from gasoline_cdp.records import LongTasks

Verdict = Literal["improved", "regressed", "unchanged", "mixed"]

# Below this, an endpoint that takes longer or shorter is the weather.
_DURATION_MS = 100.0
_DURATION_SHARE = 0.5
# Their counts are of elements of the page as it is, not of how often it was tried.
_OF_ELEMENTS = {"accessibility"}
_NO_TASKS = LongTasks(count=0, total_blocking_time=0.0, longest=0.0)


@frozen(kw_only=True)
class IssueDiff:
    """Issues of one category: only in the second, only in the first, in both (as the second has them).

    Where elements are counted, those in both with more or fewer of them; `count` is then by how many.
    """

    new: tuple[Issue, ...] = ()
    resolved: tuple[Issue, ...] = ()
    unchanged: tuple[Issue, ...] = ()
    grown: tuple[Issue, ...] = ()
    shrunk: tuple[Issue, ...] = ()


@frozen(kw_only=True)
class EndpointPair:
    """An endpoint that both sessions called."""

    before: Endpoint
    after: Endpoint

    @property
    def duration_change(self) -> float | None:
        """Milliseconds more, where both are known."""
        if self.before.duration_ms is None or self.after.duration_ms is None:
            return None
        return round(self.after.duration_ms - self.before.duration_ms, 1)


@frozen(kw_only=True)
class NetworkDiff:
    """Endpoints: failing only in the second, only in the first, answering differently, new, no longer called."""

    new_errors: tuple[Endpoint, ...] = ()
    resolved_errors: tuple[Endpoint, ...] = ()
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
    # The likeliest first, three at most.
    causes: tuple[Cause, ...] = ()

    @property
    def cause(self) -> Cause | None:
        """The likeliest reason why it got worse."""
        return self.causes[0] if self.causes else None


@frozen(kw_only=True)
class SocketChange:
    """A WebSocket address whose connections differ; None where a session had none."""

    url: str
    before: str | None
    after: str | None
    # Whether it failed in the second session, or in the first, and not in the other.
    new_failure: bool = False
    resolved: bool = False


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
        """How many things the second session has that the first had not, and nobody wants."""
        return (
            len(self.errors.new)
            + len(self.network.new_errors)
            + sum(change.new_failure for change in self.websockets)
            + sum(len(diff.new) + len(diff.grown) for diff in self.findings.values())
            + sum(len(diff.regressions) for diff in self.performance)
        )

    @property
    def better(self) -> int:
        """How many of the first session's are gone."""
        return (
            len(self.errors.resolved)
            + len(self.network.resolved_errors)
            + sum(change.resolved for change in self.websockets)
            + sum(len(diff.resolved) + len(diff.shrunk) for diff in self.findings.values())
            + sum(len(diff.improvements) for diff in self.performance)
        )


def compare_sessions(before: Snapshot, after: Snapshot) -> SessionDiff:
    """All differences. `compare_sessions(a, a)` has none, and swapping the two swaps new and resolved."""
    errors = compare_issues(before.errors, after.errors)
    network = compare_network(before.network, after.network)
    performance = compare_performance(before.performance, after.performance)
    websockets = compare_sockets(before.websockets, after.websockets)
    findings = {
        # What only one of the two was asked for cannot be compared.
        category: compare_issues(
            before.findings[category], after.findings[category], by_element=category in _OF_ELEMENTS
        )
        for category in before.findings
        if category in after.findings
    }
    diff = SessionDiff(
        errors=errors,
        network=network,
        performance=performance,
        websockets=websockets,
        findings=findings,
        verdict="unchanged",
    )
    return SessionDiff(
        errors=errors,
        network=network,
        performance=performance,
        websockets=websockets,
        findings=findings,
        verdict=verdict_of(worse=diff.worse, better=diff.better),
    )


def verdict_of(*, worse: int, better: int) -> Verdict:
    """One word for the whole."""
    if worse and better:
        return "mixed"
    if worse:
        return "regressed"
    return "improved" if better else "unchanged"


def compare_issues(before: Sequence[Issue], after: Sequence[Issue], *, by_element: bool = False) -> IssueDiff:
    """By key: counts say how often a page was tried, not whether it works, unless they are of elements."""
    old, new = {issue.key: issue.count for issue in before}, {issue.key for issue in after}
    more = {issue.key: issue.count - old[issue.key] for issue in after if by_element and issue.key in old}
    return IssueDiff(
        new=tuple(issue for issue in after if issue.key not in old),
        resolved=tuple(issue for issue in before if issue.key not in new),
        unchanged=tuple(issue for issue in after if issue.key in old and not more.get(issue.key)),
        grown=tuple(evolve(issue, count=more[issue.key]) for issue in after if more.get(issue.key, 0) > 0),
        shrunk=tuple(evolve(issue, count=-more[issue.key]) for issue in after if more.get(issue.key, 0) < 0),
    )


def compare_network(before: Sequence[Endpoint], after: Sequence[Endpoint]) -> NetworkDiff:
    """By method and path. A failing endpoint that is no longer called is both resolved and missing."""
    old, new = _by_name(before), _by_name(after)
    pairs = [EndpointPair(before=old[name], after=new[name]) for name in new if name in old]
    return NetworkDiff(
        new_errors=_failing_only_in(new, old),
        resolved_errors=_failing_only_in(old, new),
        status_changes=tuple(pair for pair in pairs if _differs(pair)),
        new_endpoints=tuple(endpoint for name, endpoint in new.items() if name not in old),
        missing_endpoints=tuple(endpoint for name, endpoint in old.items() if name not in new),
    )


def compare_performance(before: Sequence[Performance], after: Sequence[Performance]) -> tuple[PerformanceDiff, ...]:
    """Path by path, with what was fetched differently where one of them is worse."""
    old = {load.path: load for load in before}
    found = []
    for load in after:
        was = old.get(load.path)
        if was is None:
            continue
        worse = regressions(was.metrics, load.metrics)
        resources = compare_resources(was.resources, load.resources)
        found.append(
            PerformanceDiff(
                path=load.path,
                metrics=tuple(changes(was.metrics, load.metrics)),
                regressions=tuple(worse),
                improvements=tuple(improvements(was.metrics, load.metrics)),
                resources=resources,
                causes=probable_causes(worse, resources, _NO_TASKS),
            )
        )
    return tuple(found)


def compare_sockets(before: Sequence[Socket], after: Sequence[Socket]) -> tuple[SocketChange, ...]:
    """By address: those that came, went, failed, or are in another state."""
    old, new = {socket.url: socket for socket in before}, {socket.url: socket for socket in after}
    found = []
    for url in dict.fromkeys((*old, *new)):
        was, now = old.get(url), new.get(url)
        failed_before, fails_now = bool(was and was.failed), bool(now and now.failed)
        state_before, state_now = was.state if was else None, now.state if now else None
        if state_before != state_now or failed_before != fails_now:
            found.append(
                SocketChange(
                    url=url,
                    before=state_before,
                    after=state_now,
                    new_failure=fails_now and not failed_before,
                    resolved=failed_before and not fails_now,
                )
            )
    return tuple(found)


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
    longer = max(pair.before.duration_ms or 0.0, pair.after.duration_ms or 0.0)
    return change is not None and abs(change) > _DURATION_MS and abs(change) > _DURATION_SHARE * longer
