"""The timeline and the list of actions: in the order of time, bounded, filtered, and to be gone on with."""

from typing import Any

import pytest

from gasoline_cdp import limits
from gasoline_cdp.answers.paging import iso
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.records import ActionRecord, DomSnapshotRecord, Source
from gasoline_cdp.tools.registry import TOOLS
from tests.fakes import PAGE, body_record, log_record, make_context, network_record

pytestmark = pytest.mark.requirement("F2-TIMELINE")

OTHER = Source(2, "page", "http://shop.test/pay", 1, "T2")
START = 1_790_000_000.0


@pytest.fixture
def context() -> Context:
    return make_context()


async def observe(context: Context, what: str = "timeline", **arguments: Any) -> dict[str, Any]:
    answer = await call_tool(TOOLS, context, "observe", {"what": what, **arguments})
    assert not answer.is_error, answer.data
    return answer.data


def act(context: Context, at: float, **changes: Any) -> None:
    given: dict[str, Any] = {"source": PAGE, "type": "click", "selectors": {"text": f"at {at}"}, "fields": {}}
    context.telemetry.add(
        ActionRecord(seq=context.telemetry.next_seq(), ts=START + at, **{**given, **changes}),
    )


def ask(context: Context, at: float, url: str = "http://app.test/api", **changes: Any) -> None:
    context.telemetry.add(network_record(context.telemetry.next_seq(), url, ts=START + at, **changes))


def say(context: Context, at: float, level: str, **changes: Any) -> None:
    context.telemetry.add(log_record(context.telemetry.next_seq(), level, ts=START + at, level=level, **changes))


async def test_everything_is_in_the_order_of_time_whenever_it_was_told(context: Context) -> None:
    say(context, 4, "warning")
    ask(context, 2)
    act(context, 3)
    act(context, 1)
    say(context, 5, "error")
    say(context, 6, "log")
    answer = await observe(context)
    assert [entry["event"] for entry in answer["entries"]] == ["error", "warning", "action", "request", "action"]
    assert answer["summary"].startswith("5 events (2 actions, ")


async def test_200_at_most_the_newest_kept_and_the_rest_counted(context: Context) -> None:
    for at in range(150):
        act(context, at)
        ask(context, at + 0.5)
    answer = await observe(context, max_bytes=limits.ANSWER_BYTES_MAX, limit=1000)
    assert len(answer["entries"]) == limits.TIMELINE_ENTRIES
    assert answer["left_out"] == 100
    assert answer["entries"][0]["ts"] == iso(START + 149.5)
    assert answer["summary"].endswith("The newest 200 are shown, 100 older ones are not.")
    rest = await observe(context, max_bytes=limits.ANSWER_BYTES_MAX, limit=1000, cursor=answer["cursor"])
    assert len(rest["entries"]) == 100
    assert "cursor" not in rest
    small = await observe(context)
    assert len(small["entries"]) < limits.TIMELINE_ENTRIES
    assert small["left_out"] == 300 - len(small["entries"])


@pytest.mark.parametrize("what", ["timeline", "actions"])
async def test_pages_join_without_gap_or_overlap_where_times_and_arrival_differ(context: Context, what: str) -> None:
    for at in (5, 1, 4, 2, 3, 3, 3, 9, 7, 8):
        act(context, at)
    seen: list[str] = []
    cursor: str | None = None
    while True:
        answer = await observe(context, what, limit=3, cursor=cursor)
        seen += [entry.get("element") or entry["selectors"]["text"] for entry in answer["entries"]]
        cursor = answer.get("cursor")
        if cursor is None:
            break
    assert [text.strip('"') for text in seen] == [f"at {at}" for at in (9, 8, 7, 5, 4, 3, 3, 3, 2, 1)]


async def test_the_last_actions_say_where_it_starts(context: Context) -> None:
    for at in range(5):
        act(context, at * 10)
        ask(context, at * 10 + 1)
    answer = await observe(context, last_n_actions=2)
    assert len(answer["entries"]) == 4
    requests = await observe(context, last_n_actions=2, include=["network"])
    assert [entry["event"] for entry in requests["entries"]] == ["request", "request"]
    assert len((await observe(context, last_n_actions=99))["entries"]) == 10
    assert len((await observe(context, "actions", last_n_actions=2))["entries"]) == 2


async def test_parts_tabs_and_addresses_can_be_chosen(context: Context) -> None:
    act(context, 1)
    act(context, 2, source=OTHER)
    ask(context, 3, "http://app.test/api/orders")
    say(context, 4, "error")
    assert [entry["event"] for entry in (await observe(context, include=["errors", "actions"]))["entries"]] == [
        "error",
        "action",
        "action",
    ]
    assert len((await observe(context, tab_id=2))["entries"]) == 1
    assert len((await observe(context, url_filter="orders"))["entries"]) == 1
    answer = await call_tool(TOOLS, context, "observe", {"what": "timeline", "include": ["everything"]})
    assert answer.is_error


async def test_assets_that_loaded_are_counted_and_granted_preflights_left_out(context: Context) -> None:
    ask(context, 1, "http://app.test/a.js", type="Script")
    ask(context, 2, "http://app.test/b.js", type="Script", status=404, outcome="http_error")
    ask(context, 3, preflight_for="r9")
    answer = await observe(context)
    assert [entry["url"] for entry in answer["entries"]] == ["http://app.test/b.js"]
    assert answer["static"] == {"Script": 1}
    assert len((await observe(context, include_static=True))["entries"]) == 2


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        ({"response_body": '{"name": "Ada", "tags": ["x"]}'}, {"name": "string", "tags": ["string"]}),
        ({"response_body": "<html>"}, None),
        ({"response_body": '{"name": "Ada"}', "response_truncated": True}, None),
        ({"response_body": None}, None),
    ],
)
async def test_a_request_has_the_shape_of_its_answer_and_no_value(
    context: Context, body: dict[str, Any], shape: object
) -> None:
    ask(context, 1, id="r1")
    context.telemetry.add(body_record(9, id="r1", **body))
    (entry,) = (await observe(context))["entries"]
    assert entry.get("response_shape") == shape
    assert "Ada" not in str(entry)


async def test_a_large_shape_is_told_with_less_depth(context: Context) -> None:
    ask(context, 1, id="r1")
    members = ", ".join(f'"key{number}": {{"a": 1, "b": [1]}}' for number in range(40))
    context.telemetry.add(body_record(9, id="r1", response_body=f'{{"data": {{{members}}}}}'))
    (entry,) = (await observe(context))["entries"]
    assert entry["response_shape"] == {"data": {f"key{number}": "..." for number in range(40)}}


async def test_snapshots_are_listed(context: Context) -> None:
    for number in range(limits.DOM_SNAPSHOTS + 5):
        context.telemetry.add(
            DomSnapshotRecord(
                seq=context.telemetry.next_seq(), ts=START + number, source=PAGE, trigger="load", elements=()
            )
        )
    answer = await observe(context, "dom_snapshots", limit=100)
    assert len(answer["entries"]) == limits.DOM_SNAPSHOTS
    assert answer["dropped"] == 5
