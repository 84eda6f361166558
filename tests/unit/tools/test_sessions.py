"""`diff_sessions`: named snapshots and what differs between them."""

import time
from typing import Any

import pytest
from attrs import evolve

from gasoline_cdp import limits
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.tools.sessions import NamedEntry, SessionsAnswer
from tests.fakes import NO_TIMING, make_context
from tests.fakes import performance_record as snapshot
from tests.reading import HOSTILE, assert_ours, lines_of
from tests.unit.tools.test_verify import Clock, broken, fail, request, visit


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def context(clock: Clock) -> Context:
    assert clock.now
    return make_context()


async def call(context: Context, action: str, **arguments: Any) -> dict[str, Any]:
    answer = await call_tool(TOOLS, context, "diff_sessions", {"action": action, **arguments})
    return answer.data


async def compared(context: Context, b: str = "current", **arguments: Any) -> dict[str, Any]:
    return await call(context, "compare", compare_a="before", compare_b=b, **arguments)


def load(context: Context, milliseconds: float) -> None:
    seq = context.telemetry.next_seq()
    context.telemetry.add(snapshot(seq, "/", ts=time.time(), timing=evolve(NO_TIMING, load=milliseconds)))


async def test_capture_all_buffer_types(context: Context) -> None:
    fail(context)
    request(context)
    broken(context)
    load(context, 1100)
    answer = await call(context, "capture", name="before")
    assert answer["action"] == "captured"
    shown = answer["snapshot"]
    assert (shown["console_errors"], shown["network_requests"], shown["network_errors"]) == (1, 2, 1)
    assert shown["performance"]["load_time"] == 1100
    assert shown["websocket_connections"] == 0


def _words(number: int) -> str:
    """A text that stays apart from others when its numbers are left out."""
    return f"error in part {chr(97 + number // 26)}{chr(97 + number % 26)}x"


async def test_capture_counts_what_it_does_not_keep(context: Context) -> None:
    for number in range(60):
        fail(context, _words(number))
    for number in range(120):
        request(context, f"http://app.test/{_words(number)[14:]}")
    answer = await call(context, "capture", name="before")
    assert answer["snapshot"]["left_out"] == {"errors": 10, "endpoints": 20}
    assert "10 more errors, 20 more endpoints did not fit" in answer["message"]
    assert "observe(what='errors')" in answer["message"]
    assert "left_out" not in (await call(make_context(), "capture", name="empty"))["snapshot"]


async def test_capture_url_filter(context: Context) -> None:
    request(context, "http://app.test/api/a")
    request(context, "http://other.test/b", source=evolve(snapshot(1, "/").source, url="http://other.test/"))
    answer = await call(context, "capture", name="before", url_filter="/api/")
    assert answer["snapshot"]["network_requests"] == 1


async def test_compare_error_diff_and_verdict_regressed(context: Context) -> None:
    await call(context, "capture", name="before")
    fail(context)
    answer = await compared(context)
    assert answer["summary"]["verdict"] == "regressed"
    assert answer["diff"]["errors"]["new"] == [{"type": "console", "message": "x is undefined", "count": 1}]


async def test_compare_network_diff(context: Context) -> None:
    request(context, "http://app.test/api/a")
    await call(context, "capture", name="before")
    broken(context, "http://app.test/api/a", status=502)
    request(context, "http://app.test/api/b")
    network = (await compared(context))["diff"]["network"]
    assert network["new_errors"] == [{"method": "GET", "url": "/api/a", "status": 502}]
    assert network["new_endpoints"] == [{"method": "GET", "url": "/api/b", "status": 200}]


async def test_compare_performance_diff(context: Context) -> None:
    load(context, 1100)
    await call(context, "capture", name="before")
    load(context, 3200)
    answer = await compared(context)
    (page,) = answer["diff"]["performance"]
    assert page["metrics"]["load"] == {"before": 1100, "after": 3200, "change": "+191%", "regression": True}
    assert answer["summary"]["performance_regressions"] == 1


async def test_verdict_improved(context: Context) -> None:
    fail(context)
    await call(context, "capture", name="before")
    context.telemetry.clear()
    answer = await compared(context)
    assert (answer["summary"]["verdict"], answer["summary"]["not_retried"]) == ("unchanged", 1)
    assert "not known: 1 issue" in answer["message"]
    visit(context)
    assert (await compared(context))["summary"]["verdict"] == "improved"


async def test_verdict_unchanged_comparing_the_same_snapshot(context: Context) -> None:
    fail(context)
    await call(context, "capture", name="before")
    assert (await compared(context, "before"))["summary"]["verdict"] == "unchanged"


async def test_verdict_mixed(context: Context) -> None:
    fail(context, "one")
    await call(context, "capture", name="before")
    context.telemetry.clear()
    visit(context)
    fail(context, "two")
    assert (await compared(context))["summary"]["verdict"] == "mixed"


async def test_special_name_current_is_live_and_cannot_be_taken(context: Context) -> None:
    await call(context, "capture", name="before")
    assert (await compared(context))["b"] == "current"
    answer = await call(context, "capture", name="current")
    assert answer["error"] == "invalid_params"
    assert "the state now" in answer["message"]


@pytest.mark.parametrize("name", [None, "", "   ", "x" * 51, "../up", "a\nb", "<b>"])
async def test_names_that_cannot_be_used(context: Context, name: str | None) -> None:
    assert (await call(context, "capture", name=name))["error"] == "invalid_params"


async def test_storage_ten_snapshots_least_recently_used_goes(context: Context) -> None:
    for number in range(limits.SNAPSHOTS):
        await call(context, "capture", name=f"s{number}")
    await call(context, "compare", compare_a="s0")
    answer = await call(context, "capture", name="one more")
    assert "1 snapshot had to make room" in answer["message"]
    names = {entry["name"] for entry in (await call(context, "list"))["snapshots"]}
    assert "s0" in names
    assert "s1" not in names


async def test_storage_two_hours(context: Context, clock: Clock) -> None:
    await call(context, "capture", name="before")
    clock.now += limits.SNAPSHOT_SECONDS + 1
    answer = await compared(context)
    assert answer["error"] == "no_such_snapshot"
    assert (await call(context, "list"))["snapshots"] == []


async def test_list_and_delete(context: Context) -> None:
    fail(context)
    await call(context, "capture", name="before")
    (entry,) = (await call(context, "list"))["snapshots"]
    assert (entry["name"], entry["error_count"]) == ("before", 1)
    assert (await call(context, "delete", name="before"))["action"] == "deleted"
    assert (await call(context, "delete", name="before"))["error"] == "no_such_snapshot"


async def test_edge_missing_snapshot_names_those_there_are(context: Context) -> None:
    await call(context, "capture", name="before")
    answer = await call(context, "compare", compare_a="nope")
    assert answer["details"]["snapshots"] == ["before"]


async def test_edge_empty_snapshots_are_unchanged(context: Context) -> None:
    await call(context, "capture", name="before")
    assert (await compared(context))["summary"]["verdict"] == "unchanged"


async def test_edge_compare_needs_a_name(context: Context) -> None:
    assert (await call(context, "compare"))["error"] == "invalid_params"


@pytest.mark.parametrize(
    ("action", "name", "told"),
    [
        ("delete", None, "delete needs name"),
        ("capture", None, "name is needed."),
        ("capture", "../x", "begins with a letter or a digit"),
    ],
)
async def test_edge_what_is_wrong_with_a_name_is_told(
    context: Context, action: str, name: str | None, told: str
) -> None:
    answer = await call(context, action, name=name)
    assert answer["error"] == "invalid_params"
    assert told in answer["message"]


async def test_compare_counts_what_does_not_fit_and_shows_it_on_request(context: Context) -> None:
    await call(context, "capture", name="before")
    for number in range(50):
        fail(context, f"{_words(number)} {'x' * 200}")
    for number in range(90):
        request(context, f"http://app.test/{_words(number)[14:]}")
    answer = await compared(context)
    shown = answer["diff"]["errors"]["new"], answer["diff"]["network"]["new_endpoints"]
    assert sum(map(len, shown)) + answer["left_out"] == 140
    assert answer["summary"]["new_errors"] == 50
    assert f"{answer['left_out']} more differences did not fit: ask again with max_bytes" in answer["message"]
    everything = await compared(context, max_bytes=limits.ANSWER_BYTES_MAX)
    assert len(everything["diff"]["errors"]["new"]) == 50
    assert len(everything["diff"]["network"]["new_endpoints"]) == 90
    assert "left_out" not in everything
    smallest = await compared(context, max_bytes=limits.ANSWER_BYTES_MIN)
    assert smallest["left_out"] >= answer["left_out"]


# Lines


async def lines(context: Context, action: str, **arguments: Any) -> list[str]:
    answer = await call_tool(TOOLS, evolve(context, form="lines"), "diff_sessions", {"action": action, **arguments})
    return answer.text.split("\n")


async def test_lines_begin_with_the_verdict_and_agree_with_the_json(context: Context) -> None:
    fail(context, "old")
    broken(context, "http://app.test/api/a")
    captured = await lines(context, "capture", name="before")
    assert captured[0] == "captured before: Kept for 2 hours."
    assert captured[2] == "1 console error, 0 warnings, 1 request (1 failed) to 1 endpoint"
    fail(context, "brand new")
    broken(context, "http://app.test/api/b")
    told, answer = await lines(context, "compare", compare_a="before"), await compared(context)
    assert told[0] == f"regressed before → current: {answer['message']}"
    assert told[1] == "1 new error, 1 newly failing endpoint."
    assert told[2:4] == ['new console "brand new"', "new network GET /api/b 500"]
    assert 'still there console "old"' in told
    diff = answer["diff"]
    entries = sum(map(len, (*diff["errors"].values(), *diff["network"].values())))
    assert len(told) == 2 + entries + len(["New endpoints:"])
    assert await lines(context, "delete", name="before") == ["deleted before: The snapshot is forgotten."]
    assert await lines(context, "list") == ["listed: 0 snapshots kept."]


async def test_lines_of_a_list_name_each_snapshot(context: Context) -> None:
    fail(context)
    await call(context, "capture", name="one two")
    heading, entry = await lines(context, "list")
    assert heading == "listed: 1 snapshot kept."
    assert entry.partition(" ")[2].startswith('"one two" 1 error ')


def test_lines_keep_a_page_s_words_the_page_s() -> None:
    entry = NamedEntry(name=HOSTILE, captured_at="2026-11-16T08:00:00Z", page_url=HOSTILE, error_count=1)
    assert_ours(lines_of(SessionsAnswer(action="listed", message="1 snapshot kept.", name=HOSTILE, snapshots=[entry])))
    assert_ours(lines_of(SessionsAnswer(action="compared", message="Nothing.", a=HOSTILE, b=HOSTILE)))
