"""Two browsers may use the same request ids: their requests do not mix, and ours have ids of their own."""

from typing import Any

import pytest

from gasoline_cdp.capture.network_trackers import NetworkTrackers
from gasoline_cdp.capture.pending_request import PendingRequest
from gasoline_cdp.records import Source

pytestmark = pytest.mark.requirement("F11-BROWSERS")


def _asks(trackers: NetworkTrackers, browser: str, url: str, wall: float) -> None:
    params: dict[str, Any] = {"requestId": "1.1", "timestamp": 5.0, "wallTime": wall, "request": {"url": url}}
    trackers.of(browser).request(params, Source(1, "page", "", 1, browser_id=browser), browser)


def test_equal_ids_of_two_browsers_are_two_requests() -> None:
    finished: list[PendingRequest] = []
    trackers = NetworkTrackers(finished.append)
    _asks(trackers, "b1", "http://one.test/", 100.0)
    _asks(trackers, "b2", "http://two.test/", 200.0)
    assert [(one.id, one.url) for one in trackers.in_flight()] == [
        ("r2", "http://two.test/"),
        ("r1", "http://one.test/"),
    ]
    trackers.of("b2").loaded({"requestId": "1.1", "timestamp": 6.0})
    assert [one.url for one in finished] == ["http://two.test/"]
    trackers.browser_gone("b1", "the browser went away")
    assert (finished[1].url, finished[1].failure) == ("http://one.test/", "the browser went away")
    assert list(trackers.in_flight()) == []
    trackers.browser_gone("b9", "never was")
