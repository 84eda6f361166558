"""Whatever two sessions held: comparing one with itself finds nothing, and swapping them swaps the answer."""

from hypothesis import given
from hypothesis import strategies as st

from gasoline_cdp.analysis.compare.sessions import SessionDiff, compare_sessions
from gasoline_cdp.analysis.compare.snapshots import Endpoint, Performance, SessionIssue, SessionSnapshot, Socket
from gasoline_cdp.analysis.compare.triggers import Try, load_of
from gasoline_cdp.analysis.compare.verification import verify
from gasoline_cdp.analysis.performance.regressions import METRICS, Metrics
from gasoline_cdp.measures import Resource

_NAMES = st.sampled_from(["/a", "/b", "/c"])
_SIZES = st.integers(min_value=0, max_value=10**7)
_ISSUES = st.builds(
    SessionIssue,
    key=st.sampled_from(["k1", "k2", "k3", "k4"]),
    message=st.text(max_size=5),
    count=st.integers(min_value=1, max_value=5),
    page=_NAMES,
)
_ENDPOINTS = st.builds(
    Endpoint,
    method=st.sampled_from(["GET", "POST"]),
    url=_NAMES,
    status=st.sampled_from([None, 200, 404, 500]),
    calls=st.integers(min_value=1, max_value=3),
    failed=st.integers(min_value=0, max_value=1),
    failed_status=st.sampled_from([None, 404, 500]),
    duration_ms=st.none() | st.floats(min_value=0, max_value=5000),
)
_SOCKETS = st.builds(
    Socket,
    url=_NAMES.map("ws://a.test{}".format),
    state=st.sampled_from(["open", "closed", "refused"]),
    failed=st.integers(0, 1),
)
_RESOURCES = st.builds(
    Resource, url=_NAMES, type=st.just("script"), size=_SIZES, duration_ms=st.floats(min_value=0, max_value=5000)
)
_METRICS = st.builds(Metrics, **{name: st.none() | _SIZES for name in METRICS})
_LOADS = st.builds(Performance, path=_NAMES, metrics=_METRICS, resources=st.lists(_RESOURCES, max_size=3).map(tuple))


def _distinct(strategy: st.SearchStrategy, key: str) -> st.SearchStrategy:
    return st.lists(strategy, max_size=4, unique_by=lambda item: getattr(item, key)).map(tuple)


_FINDINGS = st.dictionaries(st.sampled_from(["accessibility", "contracts"]), _distinct(_ISSUES, "key"))
SNAPSHOTS = st.builds(
    SessionSnapshot,
    captured_at=st.just(1.0),
    errors=_distinct(_ISSUES, "key"),
    network=_distinct(_ENDPOINTS, "name"),
    websockets=_distinct(_SOCKETS, "url"),
    performance=_distinct(_LOADS, "path"),
    findings=_FINDINGS,
    pages=st.lists(_NAMES, unique=True).map(tuple),
    tried=st.lists(_NAMES.map(lambda path: Try(cause=load_of(path), ts=0.0, loaded=0.5)), max_size=3).map(tuple),
)


def _keys(diff: SessionDiff, side: str) -> dict[str, object]:
    endpoints = diff.network.new_errors if side == "new" else diff.network.resolved_errors
    called = diff.network.new_endpoints if side == "new" else diff.network.missing_endpoints
    return {
        "errors": {issue.key for issue in getattr(diff.errors, side)},
        "failing": {endpoint.name for endpoint in endpoints},
        "called": {endpoint.name for endpoint in called},
        "sockets": {c.url for c in diff.websockets if (c.new_failure if side == "new" else c.resolved)},
        "findings": {name: {i.key for i in getattr(found, side)} for name, found in diff.findings.items()},
        "performance": {
            (load.path, change.metric)
            for load in diff.performance
            for change in (load.regressions if side == "new" else load.improvements)
        },
    }


@given(SNAPSHOTS)
def test_a_session_does_not_differ_from_itself(session: SessionSnapshot) -> None:
    diff = compare_sessions(session, session)
    assert diff.verdict == "unchanged"
    assert (diff.worse, diff.better) == (0, 0)
    assert diff.network.status_changes == ()
    assert diff.websockets == ()


@given(SNAPSHOTS, SNAPSHOTS)
def test_swapping_the_sessions_mirrors_the_answer(a: SessionSnapshot, b: SessionSnapshot) -> None:
    there, back = compare_sessions(a, b), compare_sessions(b, a)
    for one, other in ((there, back), (back, there)):
        new, gone = _keys(one, "new"), _keys(other, "resolved")
        # What is resolved one way is new the other way; what is new there may not have been tried here.
        assert all(gone[name] <= new[name] for name in ("errors", "failing", "sockets"))  # type: ignore[operator]
        assert all(gone["findings"][name] <= new["findings"][name] for name in gone["findings"])  # type: ignore[index,attr-defined]
        assert (new["called"], new["performance"]) == (gone["called"], gone["performance"])


@given(SNAPSHOTS, SNAPSHOTS)
def test_nothing_is_resolved_that_was_not_tried(before: SessionSnapshot, after: SessionSnapshot) -> None:
    diff = compare_sessions(before, after)
    loaded = {one.cause.path for one in after.tried}
    called = {endpoint.name for endpoint in after.network}
    assert all(issue.page in loaded for issue in diff.errors.resolved)
    assert all(endpoint.name in called for endpoint in diff.network.resolved_errors)
    assert {c.before for c in verify(before, after, active=True).changes if c.type == "resolved"} <= {
        *(issue.message if issue.count == 1 else f"{issue.message} (x{issue.count})" for issue in diff.errors.resolved),
        *(f"{one.name} → {one.failed_status or one.failure or 'failed'}" for one in diff.network.resolved_errors),
        *(f"{c.url} {c.before}" for c in diff.websockets if c.resolved),
        *(
            issue.message if issue.count == 1 else f"{issue.message} (x{issue.count})"
            for found in diff.findings.values()
            for issue in found.resolved
        ),
    }


@given(SNAPSHOTS, SNAPSHOTS)
def test_a_fix_is_never_claimed_without_evidence(before: SessionSnapshot, after: SessionSnapshot) -> None:
    found = verify(before, after, active=True)
    if found.verdict == "fixed":
        assert found.changes
        assert {change.type for change in found.changes} == {"resolved"}
        assert not found.new_issues
        assert not after.failing
    assert verify(before, after, active=False).verdict != "fixed"
