"""Events of a request in every order in which they can come, joined into one record for each hop."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from gasoline_cdp import limits
from gasoline_cdp.capture.network import SETTLE_SECONDS, NetworkTracker
from gasoline_cdp.capture.pending_request import Body, PendingRequest
from gasoline_cdp.measures import Timing
from gasoline_cdp.records import NetworkRecord, Source
from tests.fakes import PAGE

START = 3395.0
WALL = 1_794_804_357.0
OWNER = object()
WIRE_REQUEST = {"Host": "app.test", "Cookie": "sid=verysecret", "User-Agent": "HeadlessChrome/156.0.0.0"}
WIRE_RESPONSE = {"content-type": "application/json", "set-cookie": "sid=verysecret; HttpOnly; Path=/"}
# As Chromium sends it for a connection that had to be opened.
TIMING = {
    "requestTime": START + 0.002,
    "proxyStart": -1,
    "proxyEnd": -1,
    "dnsStart": 0.1,
    "dnsEnd": 1.3,
    "connectStart": 1.3,
    "connectEnd": 5.8,
    "sslStart": 2.5,
    "sslEnd": 5.7,
    "workerStart": -1,
    "sendStart": 6.0,
    "sendEnd": 6.2,
    "receiveHeadersStart": 20.0,
    "receiveHeadersEnd": 20.4,
}


class Browser:
    """Says what Chromium says, in Chromium's words; keeps the records that come of it."""

    def __init__(self) -> None:
        self.records: list[NetworkRecord] = []
        self.pending_requests: list[PendingRequest] = []
        self.tracker = NetworkTracker(self._finished)

    def _finished(self, pending_request: PendingRequest) -> None:
        self.pending_requests.append(pending_request)
        self.records.append(pending_request.record(len(self.records) + 1))

    @property
    def record(self) -> NetworkRecord:
        """The only record there is."""
        (record,) = self.records
        return record

    def pending(self) -> list[NetworkRecord]:
        return [pending_request.record(0) for pending_request in self.tracker.in_flight()]

    def sends(
        self,
        url: str = "http://app.test/api",
        request_id: str = "17867.4",
        *,
        at: float = 0.0,
        redirect: dict[str, Any] | None = None,
        extra: bool = False,
        method: str = "GET",
        source: Source = PAGE,
        owner: object = OWNER,
        **more: Any,
    ) -> None:
        request = {"url": url, "method": method, "headers": {"User-Agent": "short"}, **more.pop("request", {})}
        params: dict[str, Any] = {
            "requestId": request_id,
            "loaderId": "DBD1F7CFD5D3488C2E70A2273A8512E2",
            "documentURL": "http://app.test/cart",
            "request": request,
            "timestamp": START + at,
            "wallTime": WALL + at,
            "initiator": {"type": "other"},
            "redirectHasExtraInfo": extra,
            "type": "Fetch",
            "frameId": "F1",
        }
        if redirect is not None:
            params["redirectResponse"] = redirect
        self.tracker.request({**params, **more}, source, owner)

    def receives(
        self, request_id: str = "17867.4", *, extra: bool = False, owner: object = OWNER, **fields: Any
    ) -> None:
        params = {
            "requestId": request_id,
            "timestamp": START + 0.03,
            "type": "Fetch",
            "response": response(**fields),
            "hasExtraInfo": extra,
            "frameId": "F1",
        }
        self.tracker.response(params, owner)

    def gets_data(self, length: int, encoded: int, request_id: str = "17867.4") -> None:
        params = {"requestId": request_id, "timestamp": START, "dataLength": length, "encodedDataLength": encoded}
        self.tracker.data(params)

    def ends(self, request_id: str = "17867.4", *, at: float = 0.05, size: int = 0) -> None:
        self.tracker.loaded({"requestId": request_id, "timestamp": START + at, "encodedDataLength": size})

    def fails(self, text: str, request_id: str = "17867.4", *, at: float = 0.05, **more: Any) -> None:
        params = {
            "requestId": request_id,
            "timestamp": START + at,
            "type": "Fetch",
            "errorText": text,
            "canceled": False,
        }
        self.tracker.failed({**params, **more})

    def request_extra(self, request_id: str = "17867.4", **headers: str) -> None:
        params = {"requestId": request_id, "associatedCookies": [], "headers": {**WIRE_REQUEST, **headers}}
        self.tracker.request_extra(params)

    def response_extra(self, request_id: str = "17867.4", *, status: int = 200, **headers: str) -> None:
        params = {"requestId": request_id, "headers": {**WIRE_RESPONSE, **headers}, "statusCode": status}
        self.tracker.response_extra(params)


def response(**fields: Any) -> dict[str, Any]:
    return {
        "url": "http://app.test/api",
        "status": 200,
        "statusText": "OK",
        "headers": {"content-type": "application/json"},
        "mimeType": "application/json",
        "remoteIPAddress": "127.0.0.1",
        "remotePort": 443,
        "fromDiskCache": False,
        "fromServiceWorker": False,
        "encodedDataLength": 129,
        "timing": TIMING,
        "protocol": "h2",
        **fields,
    }


@pytest.fixture
def browser() -> Browser:
    return Browser()


def test_the_usual_case(browser: Browser) -> None:
    browser.sends(
        "http://app.test/api?q=1", initiator={"type": "parser", "url": "http://app.test/cart", "lineNumber": 4}
    )
    browser.receives()
    browser.gets_data(1000, 0)
    browser.gets_data(0, 400)
    assert browser.records == []
    browser.ends(size=529)
    record = browser.record
    assert (record.method, record.url, record.type) == ("GET", "http://app.test/api?q=1", "Fetch")
    assert (record.status, record.status_text, record.outcome, record.failure) == (200, "OK", "ok", "")
    assert (record.mime, record.protocol, record.remote_address) == ("application/json", "h2", "127.0.0.1:443")
    assert (record.decoded_bytes, record.encoded_bytes) == (1000, 529)
    assert (record.ts, record.duration_ms) == (WALL, 50.0)
    assert (record.source, record.id) == (PAGE, "r1")
    assert record.initiator == "parser http://app.test/cart:5"
    assert browser.pending() == []


def test_phases_are_milliseconds_and_absent_ones_are_left_out(browser: Browser) -> None:
    browser.sends()
    browser.receives()
    browser.ends()
    assert browser.record.timing == Timing(queued=2.0, dns=1.2, connect=4.5, tls=3.2, send=0.2, wait=14.2, receive=27.6)


def test_a_reused_connection_has_no_dns_and_no_connect(browser: Browser) -> None:
    reused = dict.fromkeys(("dnsStart", "dnsEnd", "connectStart", "connectEnd", "sslStart", "sslEnd"), -1)
    browser.sends()
    browser.receives(timing={**TIMING, **reused})
    browser.ends()
    timing = browser.record.timing
    assert timing is not None
    assert (timing.dns, timing.connect, timing.tls, timing.wait) == (-1, -1, -1, 14.2)


def test_without_timing_there_are_no_phases(browser: Browser) -> None:
    browser.sends("data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP")
    browser.receives(timing=None, remoteIPAddress="")
    browser.ends()
    assert browser.record.timing is None
    assert browser.record.remote_address == ""


@pytest.mark.parametrize(
    ("status", "outcome"),
    [(200, "ok"), (204, "ok"), (304, "ok"), (399, "ok"), (400, "http_error"), (503, "http_error")],
)
def test_a_status_of_four_hundred_is_an_error(browser: Browser, status: int, outcome: str) -> None:
    browser.sends()
    browser.receives(status=status)
    browser.ends()
    assert (browser.record.status, browser.record.outcome) == (status, outcome)


@pytest.mark.parametrize(
    ("failure", "outcome", "words"),
    [
        ({"text": "net::ERR_CONNECTION_REFUSED"}, "failed", "net::ERR_CONNECTION_REFUSED"),
        ({"text": "net::ERR_NAME_NOT_RESOLVED"}, "failed", "net::ERR_NAME_NOT_RESOLVED"),
        ({"text": "net::ERR_INTERNET_DISCONNECTED"}, "failed", "net::ERR_INTERNET_DISCONNECTED"),
        ({"text": "net::ERR_ABORTED", "canceled": True}, "aborted", "net::ERR_ABORTED"),
        ({"text": "net::ERR_ABORTED"}, "aborted", "net::ERR_ABORTED"),
        ({"text": "", "blockedReason": "csp"}, "blocked", "blocked: csp"),
        ({"text": "net::ERR_BLOCKED_BY_CLIENT", "blockedReason": "inspector"}, "blocked", "blocked: inspector"),
        (
            {
                "text": "net::ERR_FAILED",
                "corsErrorStatus": {"corsError": "MissingAllowOriginHeader", "failedParameter": ""},
            },
            "cors_blocked",
            "CORS: MissingAllowOriginHeader",
        ),
        (
            {
                "text": "net::ERR_FAILED",
                "corsErrorStatus": {"corsError": "HeaderDisallowedByPreflightResponse", "failedParameter": "x-a"},
            },
            "cors_blocked",
            "CORS: HeaderDisallowedByPreflightResponse x-a",
        ),
    ],
)
def test_failures_are_told_apart(browser: Browser, failure: dict[str, Any], outcome: str, words: str) -> None:
    browser.sends()
    browser.fails(**failure)
    browser.tracker.settle(math.inf)
    assert (browser.record.outcome, browser.record.failure) == (outcome, words)
    assert (browser.record.status, browser.record.duration_ms) == (None, 50.0)


def test_a_cors_failure_knows_the_status_from_the_wire(browser: Browser) -> None:
    browser.sends()
    browser.request_extra(Origin="http://app.test")
    browser.response_extra(status=200)
    browser.fails("net::ERR_FAILED", corsErrorStatus={"corsError": "MissingAllowOriginHeader"})
    assert (browser.record.status, browser.record.outcome) == (200, "cors_blocked")
    assert browser.record.request_headers["origin"] == "http://app.test"


def test_aborted_half_way_keeps_what_had_come(browser: Browser) -> None:
    browser.sends()
    browser.receives()
    browser.gets_data(300, 300)
    browser.fails("net::ERR_ABORTED", canceled=True)
    record = browser.record
    assert (record.outcome, record.status, record.decoded_bytes, record.mime) == (
        "aborted",
        200,
        300,
        "application/json",
    )


def test_from_the_memory_cache(browser: Browser) -> None:
    browser.sends("http://app.test/logo.png", type="Image")
    browser.tracker.served_from_cache({"requestId": "17867.4"})
    # Chrome announces headers of the wire, and sends none.
    browser.receives(extra=True)
    browser.gets_data(70, 0)
    browser.ends()
    assert (browser.record.from_cache, browser.record.encoded_bytes, browser.record.decoded_bytes) == (True, 0, 70)


def test_from_the_disk_cache_and_from_a_service_worker(browser: Browser) -> None:
    browser.sends(request_id="1.1")
    browser.receives("1.1", fromDiskCache=True)
    browser.ends("1.1")
    browser.sends(request_id="1.2")
    browser.receives("1.2", fromServiceWorker=True)
    browser.ends("1.2")
    cached, served = browser.records
    assert (cached.from_cache, cached.from_service_worker) == (True, False)
    assert (served.from_cache, served.from_service_worker) == (False, True)


ORDERS = {
    "before everything": ["request_extra", "response_extra", "sends", "receives", "ends"],
    "around the request": ["request_extra", "sends", "response_extra", "receives", "ends"],
    "after the request": ["sends", "request_extra", "response_extra", "receives", "ends"],
    "after the response": ["sends", "request_extra", "receives", "response_extra", "ends"],
    "after the end": ["sends", "receives", "ends", "request_extra", "response_extra"],
    "around the end": ["sends", "receives", "request_extra", "ends", "response_extra"],
}


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS.keys())
def test_the_headers_of_the_wire_may_come_at_any_time(browser: Browser, order: list[str]) -> None:
    steps: dict[str, Callable[[], None]] = {
        "sends": browser.sends,
        "request_extra": browser.request_extra,
        "receives": lambda: browser.receives(extra=True),
        "response_extra": browser.response_extra,
        "ends": browser.ends,
    }
    for place, step in enumerate(order):
        assert browser.records == [], f"too early, before {order[place:]}"
        steps[step]()
    record = browser.record
    assert record.request_headers["cookie"] == "sid=[REDACTED]"
    assert record.request_headers["user-agent"] == "HeadlessChrome/156.0.0.0"
    assert record.response_headers["set-cookie"] == "sid=[REDACTED]; HttpOnly; Path=/"
    # A cookie is no such header.
    assert not record.has_auth_header
    assert browser.pending() == []


def test_a_finished_request_waits_for_the_wire_but_not_for_long(browser: Browser) -> None:
    browser.sends()
    browser.receives(extra=True)
    browser.ends(at=0.05)
    browser.sends(request_id="other", at=0.05 + SETTLE_SECONDS / 2)
    assert browser.records == []
    browser.sends(request_id="another", at=0.05 + SETTLE_SECONDS)
    assert browser.record.outcome == "ok"
    assert browser.record.response_headers == {"content-type": "application/json"}
    # What comes now is too late for it, and does no harm to others.
    browser.response_extra()
    browser.request_extra()
    assert len(browser.records) == 1


def test_settling_goes_by_when_requests_ended(browser: Browser) -> None:
    for number, ended in (("1", 0.1), ("2", 0.5), ("3", 0.9)):
        browser.sends(f"http://app.test/{number}", number)
        browser.receives(number, extra=True)
        browser.ends(number, at=ended)
    browser.tracker.settle(START + 0.5 + SETTLE_SECONDS)
    assert [record.url[-1] for record in browser.records] == ["1", "2"]


def test_the_status_of_the_wire_is_the_true_one(browser: Browser) -> None:
    """A revalidated answer: the page sees 200, the server said 304."""
    for number, early in (("1", True), ("2", False)):
        browser.sends(f"http://app.test/{number}", number)
        if early:
            browser.response_extra(number, status=304)
        browser.receives(number, extra=True)
        browser.ends(number)
        if not early:
            browser.response_extra(number, status=304)
    assert [(record.status, record.outcome) for record in browser.records] == [(304, "ok"), (304, "ok")]


HOP = {"status": 302, "statusText": "Found", "headers": {"location": "/b"}, "mimeType": "", "encodedDataLength": 119}


def test_each_hop_of_a_redirect_is_a_record(browser: Browser) -> None:
    browser.sends("http://app.test/a")
    browser.sends("http://app.test/b", at=0.01, redirect=HOP)
    browser.sends("http://app.test/c", at=0.02, redirect={**HOP, "status": 307})
    browser.receives()
    browser.ends(at=0.05)
    assert [(record.url, record.status, record.outcome, record.duration_ms) for record in browser.records] == [
        ("http://app.test/a", 302, "redirect", 10.0),
        ("http://app.test/b", 307, "redirect", 10.0),
        ("http://app.test/c", 200, "ok", 30.0),
    ]
    first, second, last = browser.records
    assert (first.redirected_from, first.redirect_to) == ("", "http://app.test/b")
    assert (second.redirected_from, second.redirect_to) == ("http://app.test/a", "http://app.test/c")
    assert (last.redirected_from, last.redirect_to) == ("http://app.test/b", "")
    assert first.encoded_bytes == 119
    assert first.response_headers["location"] == "/b"
    assert len({record.id for record in browser.records}) == 3


REDIRECT_ORDERS = {
    "as Chromium does": ["q1", "p1", "send1", "send2", "q2", "p2", "receive", "end"],
    "all before": ["q1", "p1", "q2", "p2", "send1", "send2", "receive", "end"],
    "all after": ["send1", "send2", "receive", "end", "q1", "p1", "q2", "p2"],
    "second hop too early": ["send1", "q1", "p1", "q2", "p2", "send2", "receive", "end"],
    "first hop late": ["send1", "send2", "q1", "receive", "p1", "q2", "end", "p2"],
}


@pytest.mark.parametrize("order", REDIRECT_ORDERS.values(), ids=REDIRECT_ORDERS.keys())
def test_each_hop_gets_its_own_headers_of_the_wire(browser: Browser, order: list[str]) -> None:
    steps: dict[str, Callable[[], None]] = {
        "send1": lambda: browser.sends("http://app.test/a"),
        "send2": lambda: browser.sends("http://app.test/b", at=0.01, redirect=HOP, extra=True),
        "receive": lambda: browser.receives(extra=True),
        "end": browser.ends,
        "q1": lambda: browser.request_extra(Hop="one"),
        "p1": lambda: browser.response_extra(status=302, hop="one"),
        "q2": lambda: browser.request_extra(Hop="two"),
        "p2": lambda: browser.response_extra(status=200, hop="two"),
    }
    for step in order:
        steps[step]()
    assert [
        (record.url, record.status, record.request_headers["hop"], record.response_headers["hop"])
        for record in browser.records
    ] == [("http://app.test/a", 302, "one", "one"), ("http://app.test/b", 200, "two", "two")]
    assert browser.pending() == []


def test_a_hop_without_headers_of_the_wire_leaves_them_to_the_next(browser: Browser) -> None:
    """An internal redirect (HSTS) never reaches the wire."""
    browser.sends("http://app.test/a")
    browser.sends("https://app.test/a", at=0.01, redirect={**HOP, "status": 307}, extra=False)
    browser.request_extra(Hop="two")
    browser.response_extra(hop="two")
    browser.receives(extra=True)
    browser.ends()
    first, second = browser.records
    assert "hop" not in first.request_headers
    assert (second.request_headers["hop"], second.response_headers["hop"]) == ("two", "two")


def test_a_request_sent_again_under_its_id_ends_the_first(browser: Browser) -> None:
    browser.sends("http://app.test/a")
    browser.sends("http://app.test/a", at=0.2)
    assert (browser.record.outcome, browser.record.failure) == ("aborted", "sent again under the same id")
    browser.receives()
    browser.ends(at=0.3)
    assert [record.outcome for record in browser.records] == ["aborted", "ok"]


def test_what_comes_twice_counts_once(browser: Browser) -> None:
    browser.sends()
    browser.receives()
    browser.receives()
    browser.ends()
    browser.ends()
    browser.fails("net::ERR_FAILED")
    browser.gets_data(5, 5)
    assert (browser.record.outcome, browser.record.decoded_bytes) == ("ok", 0)


def test_events_of_requests_never_seen_are_ignored(browser: Browser) -> None:
    browser.receives("unknown")
    browser.gets_data(1, 1, "unknown")
    browser.ends("unknown")
    browser.fails("net::ERR_FAILED", "unknown")
    browser.tracker.served_from_cache({"requestId": "unknown"})
    assert (browser.records, browser.pending()) == ([], [])


def test_headers_of_the_wire_without_a_request_are_not_kept_for_ever(browser: Browser) -> None:
    for number in range(5000):
        browser.request_extra(f"orphan {number}")
    for _ in range(5000):
        browser.response_extra("told of again and again")
    kept = sum(len(extras) for extras in browser.tracker._orphans.values())
    assert kept <= 1000
    browser.sends(request_id="orphan 4999")
    browser.ends("orphan 4999")
    assert browser.record.request_headers["host"] == "app.test"


@pytest.mark.parametrize(
    "url",
    [
        "chrome://settings/",
        "chrome-untrusted://new-tab-page/",
        "chrome-search://local-ntp/",
        "chrome-extension://abcdefgh/script.js",
        "devtools://devtools/bundled/devtools_app.html",
        "about:blank",
    ],
)
def test_chromes_own_traffic_is_not_the_users(browser: Browser, url: str) -> None:
    browser.sends(url)
    browser.receives()
    browser.ends()
    assert (browser.records, browser.pending()) == ([], [])


def test_what_chromes_own_pages_load_is_not_the_users_either(browser: Browser) -> None:
    browser.sends("https://ogs.google.com/widget", documentURL="chrome://new-tab-page/")
    browser.ends()
    assert browser.records == []


def test_a_request_redirected_into_an_extension_still_ends(browser: Browser) -> None:
    browser.sends("http://app.test/blocked.js")
    browser.sends("chrome-extension://abcdefgh/stub.js", at=0.01, redirect={**HOP, "status": 307})
    browser.receives(status=200)
    browser.ends()
    assert [(record.status, record.outcome) for record in browser.records] == [(307, "redirect"), (200, "ok")]


def test_a_page_that_goes_takes_its_requests_with_it(browser: Browser) -> None:
    gone, stays = object(), object()
    browser.sends("http://app.test/1", "1", owner=gone)
    browser.sends("http://app.test/2", "2", owner=stays)
    browser.sends("http://app.test/3", "3", owner=gone)
    browser.receives("3", extra=True, owner=gone)
    browser.ends("3")
    browser.tracker.owner_gone(gone, "the tab was closed")
    ended = {record.url[-1]: (record.outcome, record.failure) for record in browser.records}
    # What had ended and only waited for the wire ended well.
    assert ended == {"1": ("aborted", "the tab was closed"), "3": ("ok", "")}
    assert [record.url[-1] for record in browser.pending()] == ["2"]


def test_a_browser_that_goes_leaves_nothing_under_way(browser: Browser) -> None:
    for number in range(5):
        browser.sends(request_id=str(number), owner=object())
    browser.tracker.all_gone("the browser went away")
    assert browser.pending() == []
    assert {record.failure for record in browser.records} == {"the browser went away"}


def test_a_request_without_end_is_shown_as_it_stands(browser: Browser) -> None:
    browser.sends("http://app.test/1", "1")
    browser.sends("http://app.test/2", "2")
    browser.receives("2")
    newest, oldest = browser.pending()
    assert (newest.url[-1], newest.outcome, newest.status, newest.duration_ms) == ("2", "pending", 200, None)
    assert (oldest.url[-1], oldest.outcome, oldest.status) == ("1", "pending", None)
    assert browser.tracker.url_of("1") == "http://app.test/1"
    assert browser.tracker.url_of("unknown") == ""


def test_a_page_cannot_make_us_forget_a_request_by_never_ending_it(browser: Browser) -> None:
    beyond = 25
    for number in range(limits.REQUESTS_IN_FLIGHT + beyond):
        browser.sends(f"http://app.test/{number}", str(number))
    assert len(browser.pending()) == limits.REQUESTS_IN_FLIGHT
    assert browser.tracker.evicted == beyond
    assert [(record.url, record.outcome) for record in browser.records] == [
        (f"http://app.test/{number}", "pending") for number in range(beyond)
    ]
    browser.ends("0")
    browser.tracker.settle(START + 60)
    assert len(browser.records) == beyond


def test_the_session_that_answers_has_the_body(browser: Browser) -> None:
    """A worker's script is asked for by its page, and answered to the worker."""
    page, worker = object(), object()
    browser.sends("http://app.test/worker.js", owner=page)
    browser.receives(owner=worker)
    browser.ends()
    assert [pending_request.owner for pending_request in browser.pending_requests] == [worker]


def test_what_was_sent_is_noted_for_the_bodies(browser: Browser) -> None:
    browser.sends(method="POST", request={"postData": '{"a":1}', "hasPostData": True})
    browser.ends()
    browser.sends(method="POST", request_id="2", request={"hasPostData": True})
    browser.ends("2")
    assert [
        (pending_request.post_data, pending_request.has_post_data) for pending_request in browser.pending_requests
    ] == [
        (Body('{"a":1}'), True),
        (None, True),
    ]


@pytest.mark.parametrize(
    ("initiator", "shown"),
    [
        ({"type": "other"}, "other"),
        ({"type": "parser", "url": "http://app.test/cart", "lineNumber": 11}, "parser http://app.test/cart:12"),
        (
            {
                "type": "script",
                "stack": {"callFrames": [{"functionName": "load", "url": "http://app.test/a.js", "lineNumber": 4}]},
            },
            "script http://app.test/a.js:5",
        ),
        ({"type": "script", "stack": {"callFrames": []}}, "script"),
        (None, ""),
    ],
)
def test_the_initiator_is_one_short_phrase(browser: Browser, initiator: Any, shown: str) -> None:
    browser.sends(initiator=initiator)
    browser.ends()
    assert browser.record.initiator == shown


def test_secrets_of_a_request_are_masked(browser: Browser) -> None:
    browser.sends(
        "http://app.test/api?api_key=abcdefgh1234",
        request={"headers": {"Authorization": "Bearer abcdefghijkl"}, "urlFragment": "#access_token=abcdefgh1234"},
    )
    browser.receives(headers={"X-Api-Key": "abcdefgh1234", "Location": "/x?token=abcdefgh1234"})
    browser.ends()
    record = browser.record
    assert record.url == "http://app.test/api?api_key=[REDACTED]#access_token=[REDACTED]"
    assert record.has_auth_header
    assert "abcdefgh" not in repr(record)


def test_a_clock_that_goes_backwards_gives_no_negative_duration(browser: Browser) -> None:
    browser.sends(at=1.0)
    browser.ends(at=0.5)
    assert browser.record.duration_ms == 0.0


def test_the_wire_tells_of_an_answer_that_cors_kept_from_the_page_even_late(browser: Browser) -> None:
    browser.sends()
    browser.fails(text="net::ERR_FAILED", corsErrorStatus={"corsError": "MissingAllowOriginHeader"})
    assert browser.records == []
    browser.tracker.response_extra({"requestId": "17867.4", "headers": {"x-from": "wire"}, "statusCode": 503})
    assert (browser.record.outcome, browser.record.status) == ("cors_blocked", 503)
    assert browser.record.response_headers == {"x-from": "wire"}


@pytest.mark.parametrize(
    ("method", "status", "headers", "outcome"),
    [
        ("POST", 204, {}, "ok"),
        ("GET", 205, {}, "ok"),
        ("HEAD", 200, {}, "ok"),
        ("POST", 201, {"Content-Length": "0"}, "ok"),
        ("GET", 304, {}, "ok"),
        ("GET", 200, {}, "aborted"),
        ("GET", 500, {}, "http_error"),
        ("HEAD", 404, {}, "http_error"),
    ],
)
def test_an_answer_that_nobody_reads_is_judged_by_its_status(
    browser: Browser, method: str, status: int, headers: dict[str, str], outcome: str
) -> None:
    """Chrome says `aborted` of what has no body to read, and of a module whose server failed."""
    browser.sends(method=method)
    browser.receives(status=status, headers=headers)
    browser.fails("net::ERR_ABORTED", canceled=True)
    assert browser.record.outcome == outcome
    assert bool(browser.record.failure) == (outcome == "aborted")


def test_a_304_gives_the_page_the_cached_answer(browser: Browser) -> None:
    browser.sends()
    browser.response_extra(status=304)
    browser.receives(extra=True)
    browser.ends()
    assert (browser.record.status, browser.record.page_status) == (304, 200)


def test_a_304_that_the_page_asked_for_is_one(browser: Browser) -> None:
    browser.sends()
    browser.response_extra(status=304)
    browser.receives(extra=True, status=304)
    browser.ends()
    assert (browser.record.status, browser.record.page_status) == (304, 304)


def test_a_304_has_the_headers_that_the_browser_kept_unless_it_changed_them(browser: Browser) -> None:
    browser.sends()
    browser.response_extra(status=304, etag="new")
    browser.receives(extra=True, headers={"x-frame-options": "DENY", "etag": "old"})
    browser.ends()
    headers = browser.record.response_headers
    assert (headers["x-frame-options"], headers["etag"]) == ("DENY", "new")


def test_another_answer_has_the_headers_of_the_wire_only(browser: Browser) -> None:
    browser.sends()
    browser.response_extra(status=200)
    browser.receives(extra=True, headers={"x-frame-options": "DENY"})
    browser.ends()
    assert "x-frame-options" not in browser.record.response_headers
