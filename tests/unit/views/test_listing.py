"""What all views share: the time that was asked for, what is new since a change or the last answer, the summary."""

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from attrs import evolve

from gasoline_cdp import wire
from gasoline_cdp.answers.paging import Page
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.operations.client import Client
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.running import call_tool, run_operation
from gasoline_cdp.records import ActionRecord, DomSnapshotRecord, LogRecord, Record, SocketRecord, Source
from gasoline_cdp.store.boundaries import Run
from gasoline_cdp.store.code_changes import CodeChange
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.unlisted.captured import CAPTURED
from gasoline_cdp.views.listing import LISTINGS, TimeWindow, make_listing, since_of
from gasoline_cdp.views.summaries import Summary
from tests.fakes import PAGE, body_record, log_record, make_context, network_record

pytestmark = pytest.mark.requirement("F1-TOOLS", "F9-CHANGE")


@pytest.mark.parametrize(
    ("text", "ago"), [("30s", 30), ("5m", 300), ("2h", 7200), ("1 h", 3600), (" 10s ", 10), ("0s", 0)]
)
def test_an_age_is_a_moment(text: str, ago: int) -> None:
    assert since_of(text) == pytest.approx(time.time() - ago, abs=5)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-09-21T14:13:20Z", 1_790_000_000.0),
        ("2026-09-21T14:13:20.500Z", 1_790_000_000.5),
        ("2026-09-21T16:13:20+02:00", 1_790_000_000.0),
        ("20260921T141320Z", 1_790_000_000.0),
    ],
)
def test_an_iso_time_is_a_moment(text: str, moment: float) -> None:
    assert since_of(text) == moment


def test_a_time_without_a_zone_is_local() -> None:
    local = datetime.fromtimestamp(1_790_000_000, UTC).astimezone().replace(tzinfo=None)
    assert since_of(local.isoformat()) == 1_790_000_000.0
    assert since_of(None) == 0.0


@pytest.mark.parametrize(
    "text", ["", "yesterday", "5 minutes", "-5m", "5d", "1e3s", "2026-13-01", "99999-01-01", "x" * 10_000]
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(GasolineError, match="30s, 5m or 1h") as refusal:
        since_of(text)
    assert len(refusal.value.message) < 150


def test_a_window_is_since_a_moment_and_while_a_test_ran() -> None:
    assert log_record(1, ts=5.0) in TimeWindow(5.0)
    assert log_record(1, ts=4.9) not in TimeWindow(5.0)
    runs = [Run(1.0, 6.0), Run(8.0)]
    window = TimeWindow(5.0, lambda record: any(record.ts in run for run in runs))
    assert [ts for ts in (4.0, 5.5, 7.0, 9.0) if log_record(1, ts=ts) in window] == [5.5, 9.0]
    assert log_record(1, ts=9.0) not in TimeWindow(0.0, lambda _: False)


def test_a_page_of_entries_becomes_an_answer() -> None:
    listing = make_listing(
        Page([wire.Encoded({"seq": 1})], total=3, left_out=2, cursor="1"),
        Summary("3 events"),
        7,
        static={"Image": 4},
    )
    assert (listing.entries, listing.total, listing.left_out, listing.cursor) == ([{"seq": 1}], 3, 2, "1")
    assert (listing.dropped, listing.static) == (7, {"Image": 4})


# What is new

OTHER = Source(2, "page", "http://shop.test/pay", 1, "T2")


@pytest.fixture
def context() -> Context:
    return make_context()


async def observe(context: Context, what: str, **arguments: Any) -> dict[str, Any]:
    answer = await call_tool(TOOLS, context, "observe", {"what": what, **arguments})
    assert not answer.is_error, answer.data
    return answer.data


def fail(context: Context, text: str, **changes: Any) -> None:
    context.telemetry.add(log_record(context.telemetry.next_seq(), text, **{"ts": time.time(), **changes}))


def request(context: Context, path: str, **changes: Any) -> None:
    url = f"http://app.test{path}"
    context.telemetry.add(network_record(context.telemetry.next_seq(), url, **{"ts": time.time(), **changes}))


def change(context: Context, source: Source = PAGE, navigation: int | None = None) -> None:
    """A development server has updated the page."""
    telemetry, now = context.telemetry, time.time()
    seq = telemetry.next_seq()
    telemetry.code_changes.add(
        CodeChange(
            seq=seq,
            tab_id=source.tab_id,
            from_seq=seq,
            ts=now,
            navigation=source.navigation if navigation is None else navigation,
            told_by="Vite",
        )
    )
    text = "Code changed: Vite updated the page"
    telemetry.add(LogRecord(seq=seq, ts=now, source=source, kind="change", level="info", text=text))


def messages(answer: dict[str, Any]) -> list[str]:
    return [entry["message"] for entry in answer["entries"]]


# Since the code changed


async def test_only_what_came_after_the_change(context: Context) -> None:
    fail(context, "old")
    request(context, "/old", outcome="http_error", status=500)
    change(context)
    fail(context, "new")
    answer = await observe(context, "errors", since="change")
    assert messages(answer) == ["new"]
    assert answer["summary"].endswith(" Since the code changed 0 s ago.")
    logs = await observe(context, "logs", since="change")
    assert messages(logs) == ["new", "Code changed: Vite updated the page"]
    assert (await observe(context, "network", since="change"))["entries"] == []


async def test_each_error_says_if_it_is_older_than_the_change(context: Context) -> None:
    fail(context, "old")
    fail(context, "elsewhere", source=OTHER)
    fail(context, "careful", level="warning")
    request(context, "/fine")
    request(context, "/old", outcome="http_error", status=500)
    change(context)
    fail(context, "new")
    errors = (await observe(context, "errors"))["entries"]
    assert {entry.get("message", entry.get("url")): entry.get("before_change", False) for entry in errors} == {
        "new": False, "http://app.test/old": True, "elsewhere": False, "old": True,
    }  # fmt: skip
    marked = {
        what: [
            entry.get("message") or entry["url"]
            for entry in (await observe(context, what))["entries"]
            if "before_change" in entry
        ]
        for what in ("logs", "network", "timeline")
    }
    failed = "http://app.test/old"
    assert marked == {"logs": ["old"], "network": [failed], "timeline": [failed, "old"]}


async def test_a_folded_error_is_as_new_as_its_newest(context: Context) -> None:
    fail(context, "again")
    change(context)
    fail(context, "again")
    (entry,) = (await observe(context, "errors"))["entries"]
    assert entry["count"] == 2
    assert "before_change" not in entry


async def test_the_timeline_shows_the_change_whatever_is_asked_for(context: Context) -> None:
    fail(context, "old")
    change(context)
    request(context, "/fine")
    answer = await observe(context, "timeline", include=["network"])
    assert [entry["event"] for entry in answer["entries"]] == ["request", "change"]
    assert "1 change" in answer["summary"]


async def test_a_tab_has_changes_of_its_own(context: Context) -> None:
    fail(context, "here")
    change(context, OTHER)
    fail(context, "there", source=OTHER)
    assert messages(await observe(context, "errors", since="change", tab_id=2)) == ["there"]
    assert messages(await observe(context, "errors", since="change")) == ["there"]
    here = await observe(context, "errors", since="change", tab_id=1)
    assert messages(here) == ["here"]
    assert here["summary"].endswith("not seen without ETag or date.")


async def test_a_snapshot_over_http_takes_it_too(context: Context) -> None:
    fail(context, "old")
    change(context)
    fail(context, "new")
    answer = await run_operation(CAPTURED, context, {"since": "change"})
    assert [entry["message"] for entry in json.loads(answer.json)["logs"]] == [
        "new",
        "Code changed: Vite updated the page",
    ]
    refused = await run_operation(CAPTURED, context, {"since": "last"})
    assert refused.data["error"] == "invalid_params"


# What was not shown yet


async def test_what_was_shown_is_not_shown_again(context: Context) -> None:
    fail(context, "first")
    assert messages(await observe(context, "errors", since="last")) == ["first"]
    assert messages(await observe(context, "errors", since="last")) == []
    fail(context, "second")
    answer = await observe(context, "errors", since="last")
    assert (messages(answer), answer["total"]) == (["second"], 1)
    assert messages(await observe(context, "errors")) == ["second", "first"], "all is there for who asks for all"


async def test_it_does_not_matter_how_it_was_asked_for(context: Context) -> None:
    fail(context, "here")
    fail(context, "there", source=OTHER)
    assert messages(await observe(context, "errors", tab_id=2)) == ["there"]
    assert messages(await observe(context, "errors", since="last")) == ["here"]


async def test_what_did_not_fit_is_not_lost(context: Context) -> None:
    for number in range(10):
        fail(context, f"error {number}")
    answer = await observe(context, "errors", since="last", limit=3)
    assert messages(answer) == ["error 9", "error 8", "error 7"]
    assert answer["left_out"] == 7
    fail(context, "error 10")
    rest = await observe(context, "errors", since="last", limit=5)
    assert messages(rest) == ["error 10", "error 6", "error 5", "error 4", "error 3"]
    further = await observe(context, "errors", since="last", cursor=rest["cursor"])
    assert messages(further) == ["error 2", "error 1", "error 0"]
    assert messages(await observe(context, "errors", since="last")) == []


async def test_repeats_are_shown_once_and_new_ones_again(context: Context) -> None:
    for _ in range(3):
        fail(context, "again")
    (first,) = (await observe(context, "errors", since="last"))["entries"]
    assert first["count"] == 3
    fail(context, "again")
    (second,) = (await observe(context, "errors", since="last"))["entries"]
    assert "count" not in second


async def test_assets_that_are_only_counted_are_counted_once(context: Context) -> None:
    request(context, "/app.js", type="Script")
    request(context, "/api")
    first = await observe(context, "network", since="last")
    assert (first["static"], len(first["entries"])) == ({"Script": 1}, 1)
    again = await observe(context, "network", since="last")
    assert (again.get("static"), again["entries"]) == (None, [])


async def test_clients_and_views_are_told_apart(context: Context) -> None:
    fail(context, "first")
    assert messages(await observe(context, "errors", since="last")) == ["first"]
    assert messages(await observe(context, "logs", since="last")) == ["first"]
    other = evolve(context, client=Client("mcp"))
    assert messages(await observe(other, "errors", since="last")) == ["first"]


def _socket(context: Context) -> None:
    seq = context.telemetry.next_seq()
    context.telemetry.add(
        SocketRecord(
            seq=seq, ts=time.time(), source=PAGE, connection_id="ws1", url="ws://a.test/", event="message", data="x"
        )
    )


def _action(context: Context) -> None:
    seq = context.telemetry.next_seq()
    context.telemetry.add(ActionRecord(seq=seq, ts=time.time(), source=PAGE, type="click", selectors={}, fields={}))


def _dom_snapshot(context: Context) -> None:
    seq = context.telemetry.next_seq()
    context.telemetry.add(DomSnapshotRecord(seq=seq, ts=time.time(), source=PAGE, trigger="load", elements=()))


MAKE: dict[str, Callable[[Context], None]] = {
    "errors": lambda context: fail(context, "x"),
    "logs": lambda context: fail(context, "x"),
    "network": lambda context: request(context, "/api"),
    "network_bodies": lambda context: context.telemetry.add(body_record(context.telemetry.next_seq(), ts=time.time())),
    "websockets": _socket,
    "actions": _action,
    "dom_snapshots": _dom_snapshot,
    "timeline": _action,
}


@pytest.mark.parametrize("what", LISTINGS)
async def test_every_view_knows_both(context: Context, what: str) -> None:
    MAKE[what](context)
    for since, left in (("last", 1), ("last", 0), ("change", 1)):
        assert len((await observe(context, what, since=since))["entries"]) == left, since
    change(context)
    answer = await observe(context, what, since="change")
    assert [entry for entry in answer["entries"] if "Code changed" not in entry.get("message", "")] == []
    MAKE[what](context)
    answer = await observe(context, what, since="change")
    assert len([entry for entry in answer["entries"] if "Code changed" not in entry.get("message", "")]) == 1
    assert "Since the code changed" in answer["summary"]


def _opened(seq: int) -> SocketRecord:
    ts = 1_790_000_000.0 + seq
    return SocketRecord(seq=seq, ts=ts, source=PAGE, connection_id="ws1", url="ws://app.test/live", event="open")


@pytest.mark.parametrize(
    ("tool", "view", "record"),
    [("get_network_bodies", "network_bodies", body_record), ("get_websocket_events", "websockets", _opened)],
)
async def test_tools_with_a_view_of_their_own_know_what_was_shown_and_when_the_code_changed(
    context: Context, tool: str, view: str, record: Callable[[int], Record]
) -> None:
    async def numbers(name: str, **arguments: str) -> list[str]:
        answer = await call_tool(TOOLS, context, name, arguments)
        return [entry["ts"] for entry in answer.data["entries"]]

    context.telemetry.add(record(1))
    assert len(await numbers(tool, since="last")) == 1
    assert await numbers(tool, since="last") == await numbers("observe", what=view, since="last") == []
    context.telemetry.add(record(2))
    assert len(await numbers("observe", what=view, since="last")) == 1
    assert await numbers(tool, since="last") == []
    assert len(await numbers(tool)) == len(await numbers(tool, since="2020-01-01")) == 2
    assert await numbers(tool, since="1s") == []
    answer = await call_tool(TOOLS, context, tool, {"since": "change"})
    assert "No change of the code was seen yet" in answer.data["summary"]
    refused = await call_tool(TOOLS, context, tool, {"since": "soon"})
    assert refused.data["error"] == "invalid_params"
