"""Names of snapshots, and a snapshot in numbers."""

import pytest

from gasoline_cdp import limits
from gasoline_cdp.analysis.compare.snapshots import Endpoint, Performance, SessionIssue, SessionSnapshot, Socket
from gasoline_cdp.analysis.performance.regressions import Metrics
from gasoline_cdp.comparisons.snapshot_entries import new_name, not_kept, show_snapshot
from gasoline_cdp.errors import GasolineError
from tests.reading import HOSTILE, assert_ours


@pytest.mark.parametrize("name", ["before", " before ", "v1.2 a/b@c+d-e", "ü"])
def test_a_name_that_can_be_typed_again(name: str) -> None:
    assert new_name(name) == name.strip()


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        (None, "is needed"),
        ("  ", "is needed"),
        ("current", "the state now"),
        ("x" * (limits.SNAPSHOT_NAME_CHARS + 1), "at most"),
        ("-x", "begins with"),
        ("a\nb", "may have letters"),
    ],
)
def test_other_names_are_refused_with_the_reason(name: str | None, problem: str) -> None:
    with pytest.raises(GasolineError, match=problem):
        new_name(name)


def test_a_snapshot_in_numbers() -> None:
    snapshot = SessionSnapshot(
        captured_at=1_790_000_000.0,
        page_url="http://app.test/",
        errors=(SessionIssue(key="a", message="a", count=3),),
        warnings=(SessionIssue(key="b", message="b", count=2),),
        network=(
            Endpoint(method="GET", url="/a", status=200, calls=4),
            Endpoint(method="GET", url="/b", status=500, calls=3, failed=2, failed_status=500),
        ),
        websockets=(Socket(url="ws://app.test/", state="open", connections=2),),
        performance=(Performance(path="/", metrics=Metrics(load=900, request_count=7, transfer_size=1000)),),
        findings={"security": (SessionIssue(key="c", message="c"),)},
        left_out={"errors": 5},
    )
    shown = show_snapshot(snapshot)
    assert (shown.console_errors, shown.console_warnings) == (3, 2)
    assert (shown.network_requests, shown.network_errors, shown.unique_endpoints) == (7, 2, 2)
    assert (shown.websocket_connections, shown.findings, shown.left_out) == (2, {"security": 1}, {"errors": 5})
    assert shown.performance == {"load_time": 900, "request_count": 7, "transfer_size": 1000}
    assert show_snapshot(SessionSnapshot(captured_at=1.0)).performance is None
    page, *rest = map(str, shown.lines())
    assert page.endswith(" page http://app.test/")
    assert rest == [
        "3 console errors, 2 warnings, 7 requests (2 failed) to 2 endpoints, 2 WebSockets, 1 security",
        "load 900ms, 7 requests, 1000B",
        "5 errors did not fit",
    ]


def test_the_address_of_a_page_stays_the_page_s() -> None:
    assert_ours([str(line) for line in show_snapshot(SessionSnapshot(captured_at=1.0, page_url=HOSTILE)).lines()])


def test_what_did_not_fit_is_told_with_the_way_to_see_it() -> None:
    assert not_kept(SessionSnapshot(captured_at=1.0)) == ""
    told = not_kept(SessionSnapshot(captured_at=1.0, left_out={"errors": 1, "endpoints": 3}))
    assert told.startswith(" 1 more error, 3 more endpoints did not fit")
    assert "url_filter" in told
