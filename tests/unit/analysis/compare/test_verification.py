"""The verdict on a fix, condition by condition."""

import pytest
from attrs import evolve

from gasoline_cdp.analysis.compare.snapshots import BY_USE, Endpoint, Performance, SessionIssue, SessionSnapshot, Socket
from gasoline_cdp.analysis.compare.triggers import Try, load_of
from gasoline_cdp.analysis.compare.verification import VerifyChange, tried_again, verify
from gasoline_cdp.analysis.performance.regressions import Metrics

A = SessionIssue(key="a", message="a is undefined", page="/")
B = SessionIssue(key="b", message="b is undefined", page="/")
C = SessionIssue(key="c", message="c is undefined", page="/")
ELSEWHERE = SessionIssue(key="e", message="e is undefined", page="/other")
LOADED = Try(cause=load_of("/"), ts=1.0, loaded=2.0)
BROKEN = Endpoint(method="POST", url="/api/login", status=500, calls=1, failed=1, failed_status=500)
MENDED = Endpoint(method="POST", url="/api/login", status=200, calls=3)


def moment(*errors: SessionIssue, network: tuple[Endpoint, ...] = (), **more: object) -> SessionSnapshot:
    given: dict[str, object] = {"pages": ("/",), "page_url": "http://a.test/", "tried": (LOADED,), **more}
    return SessionSnapshot(captured_at=100.0, errors=errors, network=network, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        (moment(A, B), moment(), "fixed"),
        (moment(A, B), moment(B), "improved"),
        (moment(A), moment(A), "unchanged"),
        (moment(A), moment(B), "different_issue"),
        (moment(A), moment(B, C), "different_issue"),
        (moment(A, B), moment(B, C), "different_issue"),
        (moment(A, B), moment(B, C, ELSEWHERE), "regressed"),
        (moment(A), moment(A, B), "regressed"),
        (moment(), moment(A), "regressed"),
        (moment(), moment(), "no_issues_detected"),
        (moment(network=(BROKEN,)), moment(network=(MENDED,)), "fixed"),
        (moment(network=(BROKEN,)), moment(network=(BROKEN,)), "unchanged"),
        (moment(A, network=(BROKEN,)), moment(), "improved"),
        (moment(network=(BROKEN,)), moment(), "nothing_observed"),
        (moment(ELSEWHERE), moment(), "nothing_observed"),
    ],
)
def test_verdicts(before: SessionSnapshot, after: SessionSnapshot, verdict: str) -> None:
    assert verify(before, after, active=True).verdict == verdict


@pytest.mark.parametrize("before", [moment(A), moment(), moment(network=(BROKEN,))])
def test_without_activity_nothing_is_said_of_the_fix(before: SessionSnapshot) -> None:
    assert verify(before, moment(pages=()), active=False).verdict == "nothing_observed"


def only(before: SessionSnapshot, after: SessionSnapshot) -> VerifyChange:
    found = verify(before, after, active=True)
    (change,) = (*found.changes, *found.new_issues)
    return change


def test_a_resolved_endpoint_comes_with_its_evidence() -> None:
    change = only(moment(network=(BROKEN,)), moment(network=(MENDED,)))
    assert (change.type, change.before, change.after) == ("resolved", "POST /api/login → 500", "POST /api/login → 200")
    assert change.evidence == "the endpoint was called 3 times and answered 200"


def test_nothing_is_resolved_or_worse_under_other_conditions_or_by_a_mock() -> None:
    offline = moment(A, network=(MENDED,), conditions=("network offline",))
    assert {change.type for change in verify(offline, moment(), active=True).changes} == {"not_retried"}
    assert verify(moment(), offline, active=True).verdict == "nothing_observed"
    assert verify(moment(network=(BROKEN,)), offline, active=True).changes[0].type == "not_retried"
    # The same conditions before and after are part of the scenario.
    assert (
        verify(offline, evolve(moment(network=(MENDED,)), conditions=offline.conditions), active=True).verdict
        == "fixed"
    )
    mocked = only(moment(network=(BROKEN,)), moment(mocked=(BROKEN.name,)))
    assert (mocked.type, mocked.retry) == ("not_retried", "call POST /api/login without the mock that answered it")


def test_an_endpoint_that_was_not_called_is_not_resolved() -> None:
    assert only(moment(network=(BROKEN,)), moment()).type == "not_retried"


def test_another_status_is_a_change_and_no_repair() -> None:
    other = Endpoint(method="POST", url="/api/login", status=403, calls=1, failed=1, failed_status=403)
    change = only(moment(network=(BROKEN,)), moment(network=(other,)))
    assert (change.type, change.after) == ("changed", "POST /api/login → 403")


def test_a_different_count_is_told() -> None:
    twice = SessionIssue(key="a", message="a is undefined", page="/", count=2)
    change = only(moment(twice), moment(A))
    assert (change.type, change.before, change.after) == ("changed", "a is undefined (x2)", "a is undefined")


def test_a_request_without_an_answer_says_what_the_browser_said() -> None:
    refused = Endpoint(method="GET", url="/x", status=None, calls=1, failed=1, failure="net::ERR_CONNECTION_REFUSED")
    assert only(moment(), moment(network=(refused,))).after == "GET /x → net::ERR_CONNECTION_REFUSED"


@pytest.mark.parametrize(
    ("after", "kind"),
    [
        ((Socket(url="ws://a.test/", state="open"),), "resolved"),
        ((Socket(url="ws://a.test/", state="refused", failed=1),), "unchanged"),
        ((), "not_retried"),
    ],
)
def test_sockets_that_failed(after: tuple[Socket, ...], kind: str) -> None:
    before = moment(websockets=(Socket(url="ws://a.test/", state="refused", failed=1),))
    assert only(before, moment(websockets=after)).type == kind


def test_findings_are_compared_where_both_have_them() -> None:
    contrast = SessionIssue(key="color-contrast", message="Contrast must be sufficient", type="accessibility")
    before = moment(findings={"accessibility": (contrast,)})
    assert verify(before, moment(findings={"accessibility": ()}), active=True).verdict == "fixed"
    assert verify(before, moment(), active=True).changes == ()


def test_a_slower_page_is_no_clean_fix_when_performance_is_asked_for() -> None:
    fast = Performance(path="/", metrics=Metrics(load=500))
    slow = Performance(path="/", metrics=Metrics(load=5000))
    before, after = moment(A, performance=(fast,)), moment(performance=(slow,))
    assert verify(before, after, active=True).verdict == "fixed"
    found = verify(before, after, active=True, performance=True)
    assert found.verdict == "different_issue"
    assert [change.metric for change in found.performance[0].regressions] == ["load"]


def test_what_nobody_tried_is_left_out_of_a_comparison() -> None:
    before = moment(A, B, ELSEWHERE, network=(BROKEN, Endpoint(method="GET", url="/gone", status=200, calls=1)))
    after = moment(B, network=(MENDED,))
    loaded = tried_again(before, after, loaded=True)
    assert (loaded.errors, loaded.network) == ((A, B), (BROKEN,))
    # The page went on, but what it does while it loads was not tried.
    assert tried_again(before, evolve(after, tried=()), loaded=False).errors == (B,)


@pytest.mark.parametrize(
    ("shown_by", "page", "expected"),
    [
        ("", "/", "resolved"),
        ("", "/other", "not_retried"),
        ("POST /api/login", "/", "resolved"),
        ("GET /api/config", "/", "not_retried"),
        (BY_USE, "/", "resolved"),
        (BY_USE, "/other", "not_retried"),
    ],
)
def test_what_traffic_shows_is_mended_only_if_that_traffic_came_again(shown_by: str, page: str, expected: str) -> None:
    leak = SessionIssue(key="leak", message="a key in a response", type="security", page=page, shown_by=shown_by)
    before = moment(findings={"security": (leak,)})
    after = moment(network=(MENDED,), findings={"security": ()})
    assert only(before, after).type == expected
    kept = tried_again(before, after, loaded=True).findings["security"]
    assert kept == ((leak,) if expected == "resolved" else ())
