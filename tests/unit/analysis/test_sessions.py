"""What differs between two snapshots."""

from gasoline_cdp.analysis.regressions import Metrics
from gasoline_cdp.analysis.sessions import compare_sessions, verdict_of
from gasoline_cdp.analysis.snapshots import Endpoint, Issue, Performance, Snapshot, Socket, take_snapshot
from gasoline_cdp.records import NetworkRecord, Resource
from tests.fakes import network_record

ERROR = Issue(key="k", message="hydration mismatch", count=3)
FINE = Endpoint(method="GET", url="/api/dashboard", status=200, calls=1, duration_ms=100)
FAILING = Endpoint(method="GET", url="/api/notifications", status=502, calls=1, failed=1, failed_status=502)


def test_new_and_resolved_errors() -> None:
    before, after = Snapshot(captured_at=1), Snapshot(captured_at=2, errors=(ERROR,))
    assert compare_sessions(before, after).errors.new == (ERROR,)
    assert compare_sessions(before, after).verdict == "regressed"
    assert compare_sessions(after, before).errors.resolved == (ERROR,)
    assert compare_sessions(after, before).verdict == "improved"
    assert compare_sessions(after, after).errors.unchanged == (ERROR,)


def test_endpoints_that_came_went_and_answer_differently() -> None:
    slow = Endpoint(method="GET", url="/api/dashboard", status=200, calls=1, duration_ms=440)
    gone = Endpoint(method="GET", url="/api/old", status=200, calls=1)
    diff = compare_sessions(
        Snapshot(captured_at=1, network=(FINE, gone)), Snapshot(captured_at=2, network=(slow, FAILING))
    ).network
    assert diff.new_errors == (FAILING,)
    assert diff.new_endpoints == (FAILING,)
    assert diff.missing_endpoints == (gone,)
    (pair,) = diff.status_changes
    assert (pair.before, pair.after, pair.duration_change) == (FINE, slow, 340)


def test_a_warm_cache_changes_nothing() -> None:
    def taken(record: NetworkRecord) -> Snapshot:
        return take_snapshot(now=1, page_url="", logs=[], network=[record], sockets=[], performance=[])

    cached = network_record(2, status=304, cached_status=200)
    assert compare_sessions(taken(network_record(1)), taken(cached)).network.status_changes == ()


def test_a_little_slower_is_the_weather() -> None:
    little = Endpoint(method="GET", url="/api/dashboard", status=200, calls=1, duration_ms=190)
    diff = compare_sessions(Snapshot(captured_at=1, network=(FINE,)), Snapshot(captured_at=2, network=(little,)))
    assert diff.network.status_changes == ()
    assert diff.verdict == "unchanged"


def test_a_slower_load_is_a_regression_with_its_cause() -> None:
    extra = Resource(url="http://a.test/extra.js", type="script", size=900_000, duration_ms=90)
    before = Performance(path="/", metrics=Metrics(load=1100, transfer_size=340_000))
    after = Performance(path="/", metrics=Metrics(load=3200, transfer_size=2_400_000), resources=(extra,))
    diff = compare_sessions(
        Snapshot(captured_at=1, performance=(before,)), Snapshot(captured_at=2, performance=(after,))
    )
    (load,) = diff.performance
    assert [change.metric for change in load.regressions] == ["load", "transfer_size"]
    assert load.cause is not None
    assert load.cause.resources[0].url == extra.url
    assert diff.verdict == "regressed"


def test_sockets() -> None:
    well = Socket(url="ws://a.test/", state="open")
    ill = Socket(url="ws://a.test/", state="refused", failed=1)
    before, after = Snapshot(captured_at=1, websockets=(well,)), Snapshot(captured_at=2, websockets=(ill,))
    (change,) = compare_sessions(before, after).websockets
    assert (change.before, change.after, change.new_failure) == ("open", "refused", True)
    assert compare_sessions(after, before).verdict == "improved"


def test_the_words_for_the_whole() -> None:
    assert verdict_of(worse=1, better=1) == "mixed"
    assert verdict_of(worse=1, better=0) == "regressed"
    assert verdict_of(worse=0, better=1) == "improved"
    assert verdict_of(worse=0, better=0) == "unchanged"
