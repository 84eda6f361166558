"""HAR files of requests that no recording of a browser would have all at once."""

from typing import Any

import pytest

from gasoline_cdp.artifacts.har import HarRecords, make_har
from gasoline_cdp.measures import Timing, WireSizes
from gasoline_cdp.records import NetworkRecord, SocketRecord
from tests.fakes import PAGE, body_record, network_record

pytestmark = pytest.mark.requirement("F11-HAR")


def entry(record: NetworkRecord, **more: Any) -> dict[str, Any]:
    made: dict[str, Any] = make_har(HarRecords(requests=[record], **more))["log"]["entries"][0]
    return made


def test_a_failed_request_is_there_with_its_reason() -> None:
    made = entry(network_record(1, outcome="failed", status=None, failure="net::ERR_CONNECTION_REFUSED"))
    assert made["response"]["status"] == 0
    assert made["response"]["_error"] == "net::ERR_CONNECTION_REFUSED"
    assert made["response"]["content"] == {"size": 0, "mimeType": "x-unknown"}


def test_what_a_mock_answered_is_marked() -> None:
    made = entry(network_record(1, mocked=True))
    assert (made["_mocked"], made["comment"]) == (True, "Answered by a mock (set_conditions), not by a server.")
    assert "_mocked" not in entry(network_record(1))


def test_data_is_left_out_and_what_memory_lost_is_said() -> None:
    log = make_har(HarRecords(requests=[network_record(1, "data:text/plain,x"), network_record(2)], dropped=3))["log"]
    assert [one["request"]["url"] for one in log["entries"]] == ["http://app.test/api"]
    assert log["comment"].startswith("3 older requests")


def test_a_body_that_was_cut_keeps_its_true_size_and_says_so() -> None:
    record = network_record(1, decoded_bytes=50_000, sizes=WireSizes(1, 2, 3, 9_000))
    kept = body_record(1, response_body="x" * 100, response_truncated=True)
    content = entry(record, bodies={"r1": kept}, body_mode="all")["response"]["content"]
    assert content["size"] == 50_000
    assert content["compression"] == 41_000
    assert content["comment"] == "The first 100 of 50000 bytes."
    assert "text" not in entry(record)["response"]["content"]
    assert "--bodies errors" in entry(record)["response"]["content"]["comment"]
    picture = body_record(1, response_body="[Binary: 7 bytes, image/png]")
    assert "text" not in entry(record, bodies={"r1": picture})["response"]["content"]


def test_headers_with_several_lines_are_several_headers_and_cookies_have_their_attributes() -> None:
    headers = {"set-cookie": "a=[REDACTED]; Path=/x; Secure; HttpOnly; SameSite=Lax\nb=[REDACTED]"}
    made = entry(network_record(1, request_headers={"cookie": "a=[REDACTED]; b=1"}, response_headers=headers))
    assert len(made["response"]["headers"]) == 2
    assert made["response"]["cookies"] == [
        {"name": "a", "value": "[REDACTED]", "path": "/x", "secure": True, "httpOnly": True, "sameSite": "Lax"},
        {"name": "b", "value": "[REDACTED]"},
    ]
    assert [one["name"] for one in made["request"]["cookies"]] == ["a", "b"]


def test_the_time_is_the_sum_of_its_phases_without_those_that_did_not_happen() -> None:
    timing = Timing(queued=3, dns=-1, connect=10, tls=6, send=1, wait=20, receive=5)
    made = entry(network_record(1, timing=timing, duration_ms=40.0))
    assert made["time"] == 40.0
    assert made["timings"]["blocked"] == 4.0
    assert made["timings"]["ssl"] == 6


def test_a_redirect_and_what_the_page_loads_belong_to_its_page() -> None:
    def document(seq: int, url: str, **more: Any) -> NetworkRecord:
        return network_record(seq, url, type="Document", **more)

    requests = [
        document(1, "http://app.test/old", outcome="redirect", status=302, redirect_to="http://app.test/cart"),
        document(2, "http://app.test/cart"),
        network_record(3, "http://app.test/app.js"),
        document(4, "http://app.test/next"),
        # Of the page before, which was still there.
        network_record(5, "http://app.test/late"),
    ]
    log = make_har(HarRecords(requests=requests))["log"]
    assert [page["title"] for page in log["pages"]] == ["http://app.test/cart", "http://app.test/next"]
    assert [one["pageref"] for one in log["entries"]] == ["page_1", "page_1", "page_1", "page_2", "page_1"]
    assert log["entries"][0]["response"]["redirectURL"] == "http://app.test/cart"


def test_a_websocket_has_its_messages() -> None:
    def event(seq: int, kind: Any, **more: Any) -> SocketRecord:
        return SocketRecord(
            seq=seq, ts=10.0 + seq, source=PAGE, connection_id="c1", url="ws://app.test/live", event=kind, **more
        )

    events = [
        event(1, "open", details={"status": 101, "headers": {"upgrade": "websocket"}}),
        event(2, "message", direction="outgoing", data="hi", bytes=2),
        event(3, "message", direction="incoming", data="[Binary: 4 bytes]", bytes=4),
    ]
    (made,) = make_har(HarRecords(sockets=events))["log"]["entries"]
    assert made["response"]["status"] == 101
    assert [(one["type"], one["opcode"]) for one in made["_webSocketMessages"]] == [("send", 1), ("receive", 2)]
