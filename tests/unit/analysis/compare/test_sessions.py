"""What differs between two snapshots."""

from attrs import evolve

from gasoline_cdp.analysis.compare.sessions import compare_sessions, verdict_of
from gasoline_cdp.analysis.compare.snapshots import (
    Endpoint,
    Performance,
    SessionIssue,
    SessionSnapshot,
    Socket,
    take_snapshot,
)
from gasoline_cdp.analysis.compare.triggers import Try, load_of
from gasoline_cdp.analysis.performance.regressions import Metrics
from gasoline_cdp.measures import Resource
from gasoline_cdp.records import NetworkRecord
from tests.fakes import network_record

ERROR = SessionIssue(key="k", message="hydration mismatch", count=3, page="/")
LOADED = Try(cause=load_of("/"), ts=1.0, loaded=1.5)
FINE = Endpoint(method="GET", url="/api/dashboard", status=200, calls=1, duration_ms=100)
FAILING = Endpoint(method="GET", url="/api/notifications", status=502, calls=1, failed=1, failed_status=502)


def test_new_and_resolved_errors() -> None:
    before = SessionSnapshot(captured_at=2, tried=(LOADED,))
    after = SessionSnapshot(captured_at=2, tried=(LOADED,), errors=(ERROR,))
    assert compare_sessions(before, after).errors.new == (ERROR,)
    assert compare_sessions(before, after).verdict == "regressed"
    assert compare_sessions(after, before).errors.resolved == (ERROR,)
    assert compare_sessions(after, before).verdict == "improved"
    assert compare_sessions(after, after).errors.unchanged == (ERROR,)


def test_what_was_not_tried_is_not_resolved() -> None:
    before = SessionSnapshot(captured_at=1, errors=(ERROR,), network=(FAILING,))
    diff = compare_sessions(before, SessionSnapshot(captured_at=2))
    assert (diff.errors.not_retried, diff.network.not_retried) == ((ERROR,), (FAILING,))
    assert (diff.errors.resolved, diff.network.resolved_errors) == ((), ())
    assert diff.network.missing_endpoints == (FAILING,)
    assert (diff.verdict, diff.not_retried) == ("unchanged", 2)


def test_a_warm_cache_is_no_improvement() -> None:
    cold = Performance(path="/", metrics=Metrics(load=3000, transfer_size=900_000))
    warm = Performance(path="/", metrics=Metrics(load=300, transfer_size=2_000), cached=True)
    slow = Endpoint(method="GET", url="/app.js", status=200, calls=1, duration_ms=900)
    kept = Endpoint(method="GET", url="/app.js", status=200, calls=1, duration_ms=2, cached=True)
    before = SessionSnapshot(captured_at=1, performance=(cold,), network=(slow,))
    after = SessionSnapshot(captured_at=2, performance=(warm,), network=(kept,))
    for diff in (compare_sessions(before, after), compare_sessions(after, before)):
        assert (diff.verdict, diff.network.status_changes) == ("unchanged", ())
        assert diff.performance[0].cache_differs


def test_endpoints_that_came_went_and_answer_differently() -> None:
    slow = Endpoint(method="GET", url="/api/dashboard", status=200, calls=1, duration_ms=440)
    gone = Endpoint(method="GET", url="/api/old", status=200, calls=1)
    diff = compare_sessions(
        SessionSnapshot(captured_at=1, network=(FINE, gone)), SessionSnapshot(captured_at=2, network=(slow, FAILING))
    ).network
    assert diff.new_errors == (FAILING,)
    assert diff.new_endpoints == (FAILING,)
    assert diff.missing_endpoints == (gone,)
    (pair,) = diff.status_changes
    assert (pair.before, pair.after, pair.duration_change) == (FINE, slow, 340)


def test_a_warm_cache_changes_nothing() -> None:
    def taken(record: NetworkRecord) -> SessionSnapshot:
        return take_snapshot(now=1, page_url="", logs=[], network=[record], sockets=[], performance=[])

    cached = network_record(2, status=304, cached_status=200)
    assert compare_sessions(taken(network_record(1)), taken(cached)).network.status_changes == ()


def test_a_little_slower_is_the_weather() -> None:
    little = Endpoint(method="GET", url="/api/dashboard", status=200, calls=1, duration_ms=190)
    diff = compare_sessions(
        SessionSnapshot(captured_at=1, network=(FINE,)), SessionSnapshot(captured_at=2, network=(little,))
    )
    assert diff.network.status_changes == ()
    assert diff.verdict == "unchanged"


def test_a_slower_load_is_a_regression_with_its_cause() -> None:
    extra = Resource(url="http://a.test/extra.js", type="script", size=900_000, duration_ms=90)
    before = Performance(path="/", metrics=Metrics(load=1100, transfer_size=340_000))
    after = Performance(path="/", metrics=Metrics(load=3200, transfer_size=2_400_000), resources=(extra,))
    diff = compare_sessions(
        SessionSnapshot(captured_at=1, performance=(before,)), SessionSnapshot(captured_at=2, performance=(after,))
    )
    (load,) = diff.performance
    assert [change.metric for change in load.regressions] == ["load", "transfer_size"]
    assert load.cause is not None
    assert load.cause.resources[0].url == extra.url
    assert diff.verdict == "regressed"


def test_sockets() -> None:
    well = Socket(url="ws://a.test/", state="open")
    ill = Socket(url="ws://a.test/", state="refused", failed=1)
    before, after = (
        SessionSnapshot(captured_at=1, websockets=(well,)),
        SessionSnapshot(captured_at=2, websockets=(ill,)),
    )
    (change,) = compare_sessions(before, after).websockets
    assert (change.before, change.after, change.new_failure) == ("open", "refused", True)
    assert compare_sessions(after, before).verdict == "improved"


def test_the_words_for_the_whole() -> None:
    assert verdict_of(worse=1, better=1) == "mixed"
    assert verdict_of(worse=1, better=0) == "regressed"
    assert verdict_of(worse=0, better=1) == "improved"
    assert verdict_of(worse=0, better=0) == "unchanged"


def test_elements_are_counted_where_a_page_is_judged_as_it_is() -> None:
    """One picture without a text and four of them are one rule, but not the same page."""
    one, four = (
        SessionIssue(key="image-alt", message="no text", count=count, type="accessibility") for count in (1, 4)
    )
    before = SessionSnapshot(captured_at=1, findings={"accessibility": (one,), "security": (ERROR,)})
    after = SessionSnapshot(captured_at=2, findings={"accessibility": (four,), "security": (evolve(ERROR, count=9),)})
    diff = compare_sessions(before, after)
    assert [(issue.key, issue.count) for issue in diff.findings["accessibility"].grown] == [("image-alt", 3)]
    assert diff.findings["accessibility"].unchanged == ()
    # What traffic shows is counted by how often it was tried.
    assert diff.findings["security"].grown == ()
    assert diff.verdict == "regressed"
    back = compare_sessions(after, before)
    assert [(issue.key, issue.count) for issue in back.findings["accessibility"].shrunk] == [("image-alt", 3)]
    assert back.verdict == "improved"
