"""How a request looks in an answer, and how it reads as a line."""

from typing import Any

from attrs import evolve

from gasoline_cdp import wire
from gasoline_cdp.answers.network_entries import short_tag, show_network, show_network_detail
from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.answers.text import write_lines
from gasoline_cdp.measures import Timing
from gasoline_cdp.records import StackFrame
from tests.fakes import network_record

FRAMES = tuple(StackFrame(f"f{number}", "http://app.test/app.js", number, 1) for number in range(1, 9))
HERE = SharedFacts(origin="http://app.test", tab_id=1)


def lines_of(*, body: str | None = None, **changes: Any) -> list[str]:
    """The lines of a request, without the time."""
    entry = show_network(network_record(1, **{"duration_ms": 120.4, "encoded_bytes": 1280, **changes}), body=body)
    first, *rest = entry.lines(HERE, 300)
    return [str(evolve(first, time="")), *map(str, rest)]


def test_a_request_carries_its_preflight_and_the_beginning_of_what_came_back() -> None:
    record = network_record(2, outcome="http_error", status=422)
    preflight = network_record(1, method="OPTIONS", status=204, duration_ms=7.0)
    entry = show_network(record, preflight, body="  no \n such  " + "x" * 2000)
    assert entry.preflight == {"status": 204, "duration_ms": 7.0, "id": "r1"}
    assert entry.body is not None
    assert entry.body.startswith("no such xxx")
    assert len(entry.body) == len("…") + 300


def test_fields_that_say_nothing_are_none() -> None:
    entry = show_network(network_record(1))
    assert (entry.failure, entry.mime, entry.redirect_to, entry.initiator, entry.at) == (None,) * 5
    assert wire.dump(entry).keys() >= {"id", "method", "url", "status"}
    assert "failure" not in wire.dump(entry)


def test_the_detail_of_a_request_leaves_out_phases_that_were_not_measured() -> None:
    timing = Timing(queued=1.0, dns=-1.0, connect=-1.0, tls=-1.0, send=0.5, wait=20.0, receive=2.0)
    detail = show_network_detail(network_record(1, timing=timing, initiator_frames=FRAMES[:1]))
    assert detail.timing_ms == {"queued": 1.0, "send": 0.5, "wait": 20.0, "receive": 2.0}
    assert detail.initiator_stack is not None
    assert len(detail.initiator_stack) == 1
    assert show_network_detail(network_record(1)).timing_ms is None


def test_an_ordinary_request_is_its_address_and_what_it_cost() -> None:
    assert lines_of() == ["r1 /api 120ms 1.25KB"]
    assert lines_of(method="POST") == ["r1 POST /api 120ms 1.25KB"]
    assert lines_of(status=304) == ["r1 304 /api 120ms 1.25KB"]
    assert short_tag("GETS", None, "pending") == "GETS pending"


def test_a_failed_request_says_who_made_it_and_what_came_back() -> None:
    failed: dict[str, Any] = {"status": 500, "outcome": "http_error", "method": "POST", "initiator_frames": FRAMES[:1]}
    assert lines_of(body='{"error": "no\n stock"}', **failed) == [
        "r1 POST 500 /api 120ms 1.25KB app.js:1:1 f1",
        '  | {"error": "no stock"}',
    ]
    # A body that says the status in words says nothing.
    assert len(lines_of(body="Internal Server Error", **failed)) == 1


def test_what_became_of_a_request_stands_where_its_status_would() -> None:
    lost: dict[str, Any] = {
        "status": None,
        "outcome": "failed",
        "failure": "net::ERR_CONNECTION_REFUSED",
        "encoded_bytes": 0,
    }
    assert lines_of(**lost) == ["r1 failed /api net::ERR_CONNECTION_REFUSED 120ms"]
    assert lines_of(status=302, outcome="redirect", redirect_to="http://app.test/b")[0].startswith("r1 302 /api → /b ")
    assert " aborted " in lines_of(outcome="aborted", failure="net::ERR_ABORTED")[0]


def test_the_lines_of_a_detail_hold_every_header() -> None:
    sent, got = {"accept": "*/*", "x-a": "b\nSet-Cookie: c"}, {"content-type": "text/html"}
    detail = show_network_detail(network_record(1, request_headers=sent, response_headers=got, protocol="h2"))
    lines = write_lines(detail.render()).split("\n")
    assert " r1 http://app.test/api" in lines[0]
    assert lines[-5:] == [
        "request headers:",
        "  | accept: */*",
        "  | x-a: b Set-Cookie: c",
        "response headers:",
        "  | content-type: text/html",
    ]
