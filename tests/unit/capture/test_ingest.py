"""Records from what a page's script has posted."""

import time

import pytest

from gasoline_cdp import limits, redact
from gasoline_cdp.capture.bodies import BodyMode
from gasoline_cdp.capture.ingest import Kind
from gasoline_cdp.detect.allowance import Allowances
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.records import SocketRecord
from gasoline_cdp.tools.registry import TOOLS
from tests.fakes import make_context

ORIGIN = "https://app.test"


@pytest.mark.requirement("F3-INGEST")
@pytest.mark.parametrize(
    ("mode", "kept"), [("off", set()), ("errors", {"/bad", "/down"}), ("all", {"/good", "/bad", "/down"})]
)
def test_a_page_cannot_widen_which_bodies_are_kept(mode: BodyMode, kept: set[str]) -> None:
    context = make_context(bodies=mode)
    entries = [
        {"url": url, "status": status, "responseBody": "b"}
        for url, status in (("/good", 200), ("/bad", 500), ("/down", 0))
    ]
    assert context.capture.ingest.take("network-bodies", entries, ORIGIN) == (3, [])
    assert {record.url for record in context.telemetry.bodies.newest()} == kept
    assert len(context.telemetry.network) == 3


def test_sockets_that_are_not_followed_are_not_followed_here_either() -> None:
    context = make_context()
    context.capture.sockets.enabled = False
    context.capture.ingest.take("websocket-events", {"event": "open", "id": "c", "url": "ws://a/"}, ORIGIN)
    assert len(context.telemetry.sockets) == 0


def test_what_is_long_is_cut_and_marked() -> None:
    context = make_context()
    context.capture.ingest.take("network-bodies", {"url": "/x", "status": 500, "responseBody": "é" * 20_000}, ORIGIN)
    context.capture.ingest.take("websocket-events", {"event": "message", "id": "c", "data": "y" * 10_000}, ORIGIN)
    (body,) = context.telemetry.bodies.newest()
    assert len((body.response_body or "").encode()) <= limits.RESPONSE_BODY_BYTES
    assert body.response_truncated
    (message,) = context.telemetry.sockets.newest()
    assert (len(message.data), message.bytes, message.truncated) == (limits.SOCKET_MESSAGE_BYTES, 10_000, True)


@pytest.mark.parametrize("ts", ["1999-01-01T00:00:00Z", 0, 4_000_000_000_000, "2999-01-01"])
def test_an_absurd_clock_gives_way_to_the_time_of_arrival(ts: object) -> None:
    context = make_context()
    assert context.capture.ingest.take("logs", {"message": "m", "ts": ts}, ORIGIN) == (1, [])
    (record,) = context.telemetry.logs.newest()
    assert abs(record.ts - time.time()) < 60


@pytest.mark.parametrize(
    ("kind", "entry", "problem"),
    [
        ("logs", {}, "entries[0].message is missing"),
        ("logs", {"level": "error"}, "entries[0].message is missing"),
        ("network-bodies", {"status": 500}, "entries[0].url is missing"),
        ("network-bodies", {"url": "/", "status": "500"}, "entries[0].status must be a number from 0 on"),
        (
            "websocket-events",
            {"event": "msg", "id": "c"},
            "entries[0].event must be one of open, message, close, error",
        ),
        ("websocket-events", {"event": "open"}, "entries[0].id is missing"),
        ("performance-snapshot", {"url": "/", "timing": []}, "entries[0].timing must be an object"),
        (
            "performance-snapshot",
            {"url": "/", "timing": {"load": -1}},
            "entries[0].timing.load must be a number from 0 on",
        ),
    ],
)
def test_problems_name_the_field_and_not_its_value(kind: Kind, entry: dict[str, object], problem: str) -> None:
    context = make_context()
    accepted, problems = context.capture.ingest.take(kind, entry, ORIGIN)
    assert accepted == 0
    assert problem in problems
    assert all(len(ring) == 0 for ring in context.telemetry.rings().values())


def test_a_socket_s_address_is_remembered_from_its_opening() -> None:
    context = make_context()
    for number in range(500):
        context.capture.ingest.take(
            "websocket-events", {"event": "open", "id": f"c{number}", "url": f"ws://a/{number}"}, ORIGIN
        )
    context.capture.ingest.take("websocket-events", {"event": "close", "id": "c499"}, ORIGIN)
    newest = next(iter(context.telemetry.sockets.newest()))
    assert isinstance(newest, SocketRecord)
    assert newest.url == "ws://a/499"
    assert len(context.capture.ingest._addresses) == 10 * limits.SOCKETS_TRACKED


async def test_snapshots_of_a_page_are_compared_and_filed_under_its_path() -> None:
    context = make_context()
    for load in (300, 310, 320, 1900):
        entry = {"url": "/p?x=1", "timing": {"load": load}}
        assert context.capture.ingest.take("performance-snapshot", entry, ORIGIN) == (1, [])
    answer = (await call_tool(TOOLS, context, "check_performance", {"url": "/p"})).data
    assert (answer["snapshot"]["path"], answer["baseline_samples"]) == ("/p", 3)
    assert [change["metric"] for change in answer["regressions"]] == ["load"]


@pytest.mark.requirement("F5-LINEAR")
def test_a_flood_uses_up_what_its_own_origin_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redact, "_allowances", Allowances())
    # Nothing comes back meanwhile, however slow the machine.
    monkeypatch.setattr(limits, "SEARCH_STEPS_PER_SECOND", 0)
    monkeypatch.setattr(limits, "SEARCH_STEPS_AT_ONCE", 2_000)
    # Nothing comes back in between, however slow the machine is.
    monkeypatch.setattr("gasoline_cdp.detect.allowance.time.monotonic", lambda: 100.0)
    context = make_context()
    text = "a line of a log " * 100
    for origin in (*["https://loud.test"] * 30, ORIGIN):
        context.capture.ingest.take("logs", [{"message": text}], origin)
    newest, flood = [record.text for record in context.telemetry.logs.newest()][:2]
    assert "not searched" in flood
    assert newest == text
