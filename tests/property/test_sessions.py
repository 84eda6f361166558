"""Whatever two sessions held: comparing one with itself finds nothing, and swapping them swaps the answer."""

from hypothesis import given
from hypothesis import strategies as st

from gasoline_cdp.analysis.regressions import METRICS, Metrics
from gasoline_cdp.analysis.sessions import SessionDiff, compare_sessions
from gasoline_cdp.analysis.snapshots import Endpoint, Issue, Performance, Snapshot, Socket
from gasoline_cdp.analysis.verification import verify
from gasoline_cdp.records import Resource

_NAMES = st.sampled_from(["/a", "/b", "/c"])
_SIZES = st.integers(min_value=0, max_value=10**7)
_ISSUES = st.builds(
    Issue,
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
_SOCKETS = st.builds(Socket, url=_NAMES, state=st.sampled_from(["open", "closed", "refused"]), failed=st.integers(0, 1))
_RESOURCES = st.builds(
    Resource, url=_NAMES, type=st.just("script"), size=_SIZES, duration_ms=st.floats(min_value=0, max_value=5000)
)
_METRICS = st.builds(Metrics, **{name: st.none() | _SIZES for name in METRICS})
_LOADS = st.builds(Performance, path=_NAMES, metrics=_METRICS, resources=st.lists(_RESOURCES, max_size=3).map(tuple))


def _distinct(strategy: st.SearchStrategy, key: str) -> st.SearchStrategy:
    return st.lists(strategy, max_size=4, unique_by=lambda item: getattr(item, key)).map(tuple)


_FINDINGS = st.dictionaries(st.sampled_from(["accessibility", "contracts"]), _distinct(_ISSUES, "key"))
SNAPSHOTS = st.builds(
    Snapshot,
    captured_at=st.just(1.0),
    errors=_distinct(_ISSUES, "key"),
    network=_distinct(_ENDPOINTS, "name"),
    websockets=_distinct(_SOCKETS, "url"),
    performance=_distinct(_LOADS, "path"),
    findings=_FINDINGS,
    pages=st.lists(_NAMES, unique=True).map(tuple),
)
_MIRRORED = {"improved": "regressed", "regressed": "improved", "mixed": "mixed", "unchanged": "unchanged"}


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
def test_a_session_does_not_differ_from_itself(session: Snapshot) -> None:
    diff = compare_sessions(session, session)
    assert diff.verdict == "unchanged"
    assert (diff.worse, diff.better) == (0, 0)
    assert diff.network.status_changes == ()
    assert diff.websockets == ()


@given(SNAPSHOTS, SNAPSHOTS)
def test_swapping_the_sessions_mirrors_the_answer(a: Snapshot, b: Snapshot) -> None:
    there, back = compare_sessions(a, b), compare_sessions(b, a)
    assert _keys(there, "new") == _keys(back, "resolved")
    assert _keys(there, "resolved") == _keys(back, "new")
    assert _MIRRORED[there.verdict] == back.verdict


@given(SNAPSHOTS, SNAPSHOTS)
def test_a_fix_is_never_claimed_without_evidence(before: Snapshot, after: Snapshot) -> None:
    found = verify(before, after, active=True)
    if found.verdict == "fixed":
        assert found.changes
        assert {change.type for change in found.changes} == {"resolved"}
        assert not found.new_issues
        assert not after.failing
    assert verify(before, after, active=False).verdict != "fixed"
