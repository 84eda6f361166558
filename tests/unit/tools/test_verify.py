"""`verify_fix`: the life of a session, what counts as before and after, and the verdicts."""

import time
from typing import Any

import pytest
from attrs import evolve

from gasoline_cdp import limits, wire
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.records import ActionRecord, LogRecord, Source
from gasoline_cdp.store.code_changes import CodeChange
from gasoline_cdp.times import iso
from gasoline_cdp.tools.registry import TOOLS
from tests.fakes import PAGE, log_record, make_context, network_record


class Clock:
    """Time that goes when it is told to; the wall's and our own go together."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = time.time()
        monkeypatch.setattr(time, "time", lambda: self.now)
        monkeypatch.setattr(time, "monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def context(clock: Clock) -> Context:
    assert clock.now
    return make_context()


async def call(context: Context, action: str, **arguments: Any) -> dict[str, Any]:
    answer = await call_tool(TOOLS, context, "verify_fix", {"action": action, **arguments})
    return answer.data


async def started(context: Context, **arguments: Any) -> str:
    return str((await call(context, "start", **arguments))["session_id"])


def fail(context: Context, text: str = "x is undefined", source: Source = PAGE) -> None:
    context.telemetry.add(log_record(context.telemetry.next_seq(), text, ts=time.time(), source=source))


def request(context: Context, url: str = "http://app.test/api/login", **changes: Any) -> None:
    context.telemetry.add(network_record(context.telemetry.next_seq(), url, ts=time.time(), **changes))


def broken(context: Context, url: str = "http://app.test/api/login", status: int = 500, **changes: Any) -> None:
    request(context, url, outcome="http_error", status=status, **changes)


def visit(context: Context, url: str = "http://app.test/cart") -> None:
    """A page is loaded, and complete."""
    seq, now = context.telemetry.next_seq(), time.time()
    source = evolve(PAGE, url=url, navigation=seq)
    fields = {"from_url": "", "to_url": url, "within_document": False}
    context.telemetry.add(ActionRecord(seq=seq, ts=now, source=source, type="navigate", selectors={}, fields=fields))
    context.capture.navigation.loaded[source.tab_id, source.navigation] = now
    request(context, url, type="Document", source=source)


async def verdict(context: Context, session_id: str) -> str:
    return str((await call(context, "compare", session_id=session_id))["result"]["verdict"])


# Session lifecycle


async def test_lifecycle_start_watch_compare(context: Context) -> None:
    fail(context)
    answer = await call(context, "start", label="fix-login")
    assert answer["status"] == "baseline_captured"
    assert answer["baseline"]["console_errors"] == 1
    session_id = answer["session_id"]
    assert (await call(context, "watch", session_id=session_id))["status"] == "watching"
    visit(context)
    answer = await call(context, "compare", session_id=session_id)
    assert (answer["status"], answer["label"], answer["result"]["verdict"]) == ("compared", "fix-login", "fixed")
    assert answer["result"]["changes"] == [
        {
            "type": "resolved",
            "category": "console",
            "before": "x is undefined",
            "after": "(not seen)",
            "evidence": "not seen after: load /cart",
        }
    ]


async def test_lifecycle_start_cancel(context: Context) -> None:
    session_id = await started(context)
    assert (await call(context, "cancel", session_id=session_id))["status"] == "cancelled"
    assert (await call(context, "status", session_id=session_id))["error"] == "no_such_session"


async def test_lifecycle_double_compare(context: Context) -> None:
    fail(context)
    session_id = await started(context)
    await call(context, "watch", session_id=session_id)
    visit(context)
    assert await verdict(context, session_id) == "fixed"
    fail(context)
    assert await verdict(context, session_id) == "unchanged"


async def test_lifecycle_compare_before_watch_says_what_to_do(context: Context) -> None:
    session_id = await started(context)
    answer = await call(context, "compare", session_id=session_id)
    assert answer["error"] == "not_watching"
    assert "action='watch'" in answer["message"]


async def test_lifecycle_status(context: Context) -> None:
    session_id = await started(context)
    assert "watch" in (await call(context, "status", session_id=session_id))["message"]
    await call(context, "watch", session_id=session_id)
    assert (await call(context, "status", session_id=session_id))["status"] == "watching"


@pytest.mark.requirement("S26")
async def test_session_ids_cannot_be_guessed(context: Context) -> None:
    first, second = await started(context), await started(context)
    assert first != second
    assert len(first.removeprefix("verify-")) >= 22


# Baseline capture


async def test_baseline_holds_errors_and_requests(context: Context) -> None:
    fail(context)
    fail(context)
    broken(context)
    baseline = (await call(context, "start"))["baseline"]
    assert (baseline["console_errors"], baseline["network_errors"]) == (2, 1)
    console = {"type": "console", "message": "x is undefined", "count": 2, "retry": "load /cart"}
    assert console in baseline["error_details"]
    (network,) = [detail for detail in baseline["error_details"] if detail["type"] == "network"]
    assert (network["method"], network["url"], network["status"]) == ("GET", "/api/login", 500)


# After capture


async def test_after_counts_only_since_watch(context: Context) -> None:
    fail(context)
    session_id = await started(context)
    fail(context, "between start and watch")
    await call(context, "watch", session_id=session_id)
    visit(context)
    assert await verdict(context, session_id) == "fixed"


async def test_after_leaves_out_requests_that_began_before_watch(context: Context, clock: Clock) -> None:
    session_id = await started(context)
    early = clock.now
    clock.now += 10
    await call(context, "watch", session_id=session_id)
    context.telemetry.add(network_record(context.telemetry.next_seq(), ts=early, outcome="http_error", status=500))
    request(context, "http://app.test/fine")
    assert await verdict(context, session_id) == "no_issues_detected"


async def test_after_respects_the_url_filter(context: Context) -> None:
    session_id = await started(context, url_filter="/api/cart")
    await call(context, "watch", session_id=session_id)
    broken(context, "http://app.test/api/other")
    request(context, "http://app.test/api/cart")
    assert await verdict(context, session_id) == "no_issues_detected"


# Comparison: every verdict through the tool


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (["a", "b"], [], "fixed"),
        (["a", "b"], ["b"], "improved"),
        (["a"], ["a"], "unchanged"),
        (["a"], ["c"], "different_issue"),
        (["a"], ["a", "c"], "regressed"),
        ([], [], "no_issues_detected"),
    ],
)
async def test_every_verdict(context: Context, before: list[str], after: list[str], expected: str) -> None:
    for text in before:
        fail(context, text)
    session_id = await started(context)
    await call(context, "watch", session_id=session_id)
    visit(context)
    for text in after:
        fail(context, text)
    assert await verdict(context, session_id) == expected


async def test_silence_is_not_a_fix(context: Context) -> None:
    fail(context)
    session_id = await started(context)
    await call(context, "watch", session_id=session_id)
    answer = await call(context, "compare", session_id=session_id)
    assert answer["result"]["verdict"] == "nothing_observed"
    assert answer["message"].endswith("To retry: load /cart.")


async def test_activity_elsewhere_is_not_a_fix(context: Context) -> None:
    fail(context)
    session_id = await started(context)
    await call(context, "watch", session_id=session_id)
    elsewhere = Source(1, "page", "http://app.test/elsewhere", 2)
    request(context, "http://app.test/elsewhere/x", source=elsewhere)
    assert await verdict(context, session_id) == "nothing_observed"


# Error matching


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("User 4711 not found", "User 4712 not found"),
        (
            "Order 550e8400-e29b-41d4-a716-446655440000 failed",
            "Order 6fa459ea-ee8a-3ca4-894e-db77e160355e failed",
        ),
        ("failed at http://app.test/app.js:42:7", "failed at http://app.test/app.js:45:9"),
        ("expired 2026-11-16T08:00:00Z", "expired 2026-11-16T08:00:31Z"),
        ("cannot load chunk main.3f9a1c2b.js", "cannot load chunk main.8d01e55a.js"),
    ],
)
async def test_messages_match_without_their_changing_parts(context: Context, before: str, after: str) -> None:
    fail(context, before)
    session_id = await started(context)
    await call(context, "watch", session_id=session_id)
    fail(context, after)
    assert await verdict(context, session_id) == "unchanged"


# Network matching


async def test_network_status_change_is_resolved_by_an_answer(context: Context) -> None:
    broken(context)
    session_id = await started(context)
    await call(context, "watch", session_id=session_id)
    request(context)
    request(context)
    answer = await call(context, "compare", session_id=session_id)
    assert answer["result"]["verdict"] == "fixed"
    (change,) = answer["result"]["changes"]
    assert change["evidence"] == "the endpoint was called 2 times and answered 200"


async def test_network_ids_in_paths_are_the_same_endpoint(context: Context) -> None:
    broken(context, "http://app.test/api/users/123")
    session_id = await started(context)
    await call(context, "watch", session_id=session_id)
    request(context, "http://app.test/api/users/456?x=1")
    assert await verdict(context, session_id) == "fixed"


async def test_network_new_endpoint_that_fails(context: Context) -> None:
    session_id = await started(context)
    await call(context, "watch", session_id=session_id)
    broken(context, "http://app.test/api/new")
    answer = await call(context, "compare", session_id=session_id)
    assert answer["result"]["verdict"] == "regressed"
    assert answer["result"]["new_issues"][0]["after"] == "GET /api/new → 500"


async def test_network_missing_endpoint_is_not_resolved(context: Context) -> None:
    fail(context)
    broken(context)
    session_id = await started(context)
    await call(context, "watch", session_id=session_id)
    visit(context)
    answer = await call(context, "compare", session_id=session_id)
    result = answer["result"]
    assert (result["verdict"], result["resolved"], result["not_retried"]) == ("improved", 1, 1)
    assert {change["type"] for change in result["changes"]} == {"resolved", "not_retried"}
    assert "1 of 2 issues not retried" in answer["message"]


# Session limits


async def test_limit_three_sessions(context: Context) -> None:
    for _ in range(limits.VERIFY_SESSIONS):
        await started(context)
    answer = await call(context, "start")
    assert answer["error"] == "too_many_sessions"
    assert len(answer["details"]["sessions"]) == limits.VERIFY_SESSIONS


async def test_limit_a_compared_session_makes_room(context: Context) -> None:
    done = await started(context)
    await call(context, "watch", session_id=done)
    await call(context, "compare", session_id=done)
    others = [await started(context) for _ in range(limits.VERIFY_SESSIONS)]
    assert (await call(context, "status", session_id=done))["error"] == "no_such_session"
    assert (await call(context, "status", session_id=others[0]))["status"] == "baseline_captured"


async def test_limit_thirty_minutes(context: Context, clock: Clock) -> None:
    session_id = await started(context)
    clock.now += limits.VERIFY_SECONDS - 1
    assert (await call(context, "watch", session_id=session_id))["status"] == "watching"
    clock.now += 2
    answer = await call(context, "compare", session_id=session_id)
    assert answer["error"] == "no_such_session"
    assert "30 minutes" in answer["message"]


# Edge cases


async def test_edge_no_session_id(context: Context) -> None:
    answer = await call(context, "watch")
    assert answer["error"] == "no_such_session"
    assert "a session_id is needed" in answer["message"]


async def test_edge_a_flood_of_issues_stays_within_the_answer(context: Context) -> None:
    for number in range(300):
        fail(context, f"{chr(97 + number % 26)}{chr(97 + number // 26)} is broken " + "x" * 900)
    session_id = await started(context)
    await call(context, "watch", session_id=session_id)
    visit(context)
    answer = await call(context, "compare", session_id=session_id)
    left_out = answer["result"]["left_out"]
    assert left_out > 0
    assert f"{left_out} more changes did not fit: ask again with max_bytes, at most 51200." in answer["message"]
    assert len(wire.encode(answer)) <= limits.ANSWER_BYTES
    everything = await call(context, "compare", session_id=session_id, max_bytes=limits.ANSWER_BYTES_MAX)
    assert len(everything["result"]["changes"]) == len(answer["result"]["changes"]) + left_out
    assert "left_out" not in everything["result"]


async def test_edge_what_was_broken_is_all_told_on_request(context: Context) -> None:
    for number in range(50):
        fail(context, f"{chr(97 + number % 26)}{chr(97 + number // 26)} is broken " + "x" * 250)
    answer = await call(context, "start")
    left_out = answer["baseline"]["left_out"]
    assert f"{left_out} more issues did not fit: status with max_bytes shows them." in answer["message"]
    status = await call(context, "status", session_id=answer["session_id"])
    assert f"{left_out} more issues did not fit: ask again with max_bytes" in status["message"]
    status = await call(context, "status", session_id=answer["session_id"], max_bytes=limits.ANSWER_BYTES_MAX)
    assert len(status["baseline"]["error_details"]) == 50
    assert "left_out" not in status["baseline"]


async def test_edge_the_browsers_own_requests_are_no_issues(context: Context) -> None:
    broken(context, "http://app.test/favicon.ico", 404, type="Other", initiator="other")
    answer = await call(context, "start")
    assert answer["baseline"]["network_errors"] == 0
    await call(context, "watch", session_id=answer["session_id"])
    visit(context)
    broken(context, "http://app.test/favicon.ico", 404, type="Other", initiator="other")
    assert await verdict(context, answer["session_id"]) == "no_issues_detected"


async def test_edge_watch_says_what_to_try(context: Context) -> None:
    fail(context)
    broken(context)
    session_id = await started(context)
    assert "To try: load /cart." in (await call(context, "watch", session_id=session_id))["message"]


async def test_start_counts_what_it_does_not_keep(context: Context) -> None:
    for number in range(60):
        fail(context, f"error in part {chr(97 + number // 26)}{chr(97 + number % 26)}x")
    answer = await call(context, "start")
    shown = answer["baseline"]
    assert len(shown["error_details"]) + shown["left_out"] == 60
    assert "10 more errors did not fit" in answer["message"]


# A change of the code in the place of watch


def change(context: Context, *, tab_id: int = 1, reloads: bool = False) -> None:
    """A development server tells of a change."""
    telemetry = context.telemetry
    seq = telemetry.next_seq()
    source = evolve(PAGE, tab_id=tab_id)
    navigation = source.navigation + reloads
    telemetry.code_changes.add(
        CodeChange(seq=seq, tab_id=tab_id, from_seq=seq, ts=time.time(), navigation=navigation, told_by="Vite")
    )
    telemetry.add(LogRecord(seq=seq, ts=time.time(), source=source, kind="change", level="info", text="Code changed"))


@pytest.mark.requirement("F9-CHANGE")
async def test_a_change_of_the_code_is_as_good_as_watch(context: Context, clock: Clock) -> None:
    visit(context)
    broken(context)
    session_id = await started(context)
    clock.now += 10
    change(context)
    moment = clock.now
    clock.now += 10
    visit(context)
    request(context)
    answer = await call(context, "compare", session_id=session_id)
    assert answer["result"]["verdict"] == "fixed"
    assert answer["watched_since"] == iso(moment)
    assert f"since the code changed at {iso(moment)} (told by Vite)" in answer["message"]


@pytest.mark.requirement("F9-CHANGE")
async def test_what_was_tried_between_start_and_the_change_does_not_count(context: Context, clock: Clock) -> None:
    visit(context)
    broken(context)
    session_id = await started(context)
    clock.now += 10
    visit(context)
    request(context)
    clock.now += 10
    change(context)
    assert await verdict(context, session_id) == "nothing_observed"


@pytest.mark.requirement("F9-CHANGE")
async def test_the_last_change_counts_and_each_comparison_looks_for_it(context: Context, clock: Clock) -> None:
    visit(context)
    broken(context)
    session_id = await started(context)
    for worked in (False, True):
        clock.now += 10
        change(context)
        clock.now += 10
        visit(context)
        (request if worked else broken)(context)
        assert await verdict(context, session_id) == ("fixed" if worked else "unchanged")


@pytest.mark.requirement("F9-CHANGE")
async def test_until_the_page_has_loaded_itself_anew_nothing_was_tried(context: Context, clock: Clock) -> None:
    fail(context)
    session_id = await started(context)
    clock.now += 10
    change(context, reloads=True)
    clock.now += 0.05
    fail(context, "the old code, again")
    answer = await call(context, "compare", session_id=session_id)
    assert answer["result"]["new_issues"] == []
    assert answer["result"]["verdict"] == "nothing_observed"


@pytest.mark.requirement("F9-CHANGE")
async def test_a_change_before_start_or_in_another_tab_is_not_the_fix(context: Context, clock: Clock) -> None:
    fail(context)
    change(context)
    session_id = await started(context, tab_id=1)
    assert (await call(context, "compare", session_id=session_id))["error"] == "not_watching"
    clock.now += 10
    change(context, tab_id=2)
    assert (await call(context, "compare", session_id=session_id))["error"] == "not_watching"


@pytest.mark.requirement("F9-CHANGE")
async def test_who_calls_watch_decides(context: Context, clock: Clock) -> None:
    visit(context)
    broken(context)
    session_id = await started(context)
    clock.now += 10
    await call(context, "watch", session_id=session_id)
    clock.now += 10
    visit(context)
    request(context)
    change(context)
    answer = await call(context, "compare", session_id=session_id)
    assert answer["result"]["verdict"] == "fixed"
    assert "watched_since" not in answer


# Lines


async def lines(context: Context, action: str, **arguments: Any) -> list[str]:
    answer = await call_tool(TOOLS, evolve(context, form="lines"), "verify_fix", {"action": action, **arguments})
    return answer.text.split("\n")


async def test_lines_tell_what_is_broken_and_what_to_do(context: Context) -> None:
    fail(context)
    broken(context)
    start = await lines(context, "start", label="fix-login")
    assert start[0].startswith("baseline captured: 2 issues remembered. Change the code")
    session_id = start[0].rpartition("session_id=")[2].partition(" ")[0]
    assert start[2:] == ['console "x is undefined" retry | load /cart', "network GET /api/login 500 retry: as above"]
    watch = await lines(context, "watch", session_id=session_id)
    assert watch[1:] == ["To retry | load /cart"]
    assert "/cart" not in watch[0]
    visit(context)
    fail(context, "something new")
    told, answer = (
        await lines(context, "compare", session_id=session_id),
        await call(context, "compare", session_id=session_id),
    )
    assert told[0].startswith("different issue: What was wrong before is gone or less, but something else is wrong")
    result = answer["result"]
    assert told[2].startswith(f"{result['not_retried']} not retried, {result['resolved']} resolved; ")
    assert told[3:] == [
        'new console "something new"',
        "not retried network GET /api/login 500 retry: as above",
        'resolved console "x is undefined" | not seen after: load /cart',
    ]
    assert len(told[3:]) == len(result["changes"]) + len(result["new_issues"])
    status = await lines(context, "status", session_id=session_id)
    assert status[0].startswith("compared: ")
    assert status[2:] == start[2:]
    cancelled = f'cancelled: The session is forgotten. session_id={session_id} "fix-login"'
    assert await lines(context, "cancel", session_id=session_id) == [cancelled]
