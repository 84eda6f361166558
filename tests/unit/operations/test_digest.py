"""The events inside an answer: there when they should be, and within the budget of the answer."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from attrs import evolve

from gasoline_cdp import event_limits, limits, wire
from gasoline_cdp.frontends.mcp.library_server import tool_result
from gasoline_cdp.operations.answer import Answer, answer_of
from gasoline_cdp.operations.client import Client
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.digest import with_digest
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.streaming import StreamSettings
from gasoline_cdp.tools.registry import TOOLS
from tests.fakes import log_record, make_context, network_record

pytestmark = pytest.mark.requirement("F3-STREAM-CLIENTS")

ON = StreamSettings(enabled=True)


@pytest.fixture
async def context() -> AsyncIterator[Context]:
    context = evolve(make_context(), client=Client("mcp"))
    with context.streaming.subscribe(ON, context.client):
        yield context


async def observe(context: Context, **arguments: Any) -> Answer:
    return await call_tool(TOOLS, context, "observe", arguments)


def flood(context: Context, number: int = 200) -> None:
    for seq in range(number):
        url = f"http://app.test/{seq}/{'x' * 200}"
        context.telemetry.add(network_record(seq, url, status=500, outcome="http_error"))


async def test_the_next_answer_carries_what_happened_since_the_last_call(context: Context) -> None:
    assert "events" not in (await observe(context, what="tabs")).data
    context.telemetry.add(log_record(1, "an error"))
    answer = await observe(context, what="tabs")
    assert answer.data["events"]["total"] == 1
    assert answer.data["events"]["entries"][0]["message"] == "New error: an error"
    assert list(answer.data)[-1] == "events"
    assert "events" not in (await observe(context, what="tabs")).data


async def test_each_client_has_its_own(context: Context) -> None:
    other = evolve(context, client=Client("mcp"))
    off = evolve(context, client=Client("mcp"))
    with (
        context.streaming.subscribe(ON, other.client),
        context.streaming.subscribe(StreamSettings(), off.client),
    ):
        context.telemetry.add(log_record(1, "an error"))
        for calling in (context, other):
            assert (await observe(calling, what="tabs")).data["events"]["total"] == 1
        assert "events" not in (await observe(off, what="tabs")).data


async def test_an_error_keeps_its_shape_and_the_events_wait(context: Context) -> None:
    context.telemetry.add(log_record(1, "an error"))
    assert set((await observe(context, what="nothing")).data) == {"status", "error", "message", "details"}
    assert (await observe(context, what="tabs")).data["events"]["total"] == 1


@pytest.mark.parametrize(
    ("arguments", "whole"),
    [
        ({}, limits.ANSWER_BYTES),
        ({"limit": 20}, limits.ANSWER_BYTES),
        ({"limit": 500}, limits.ANSWER_BYTES_MAX),
        ({"max_bytes": 2048}, 2048),
        ({"max_bytes": 4000}, 4000),
        ({"max_bytes": 50 * 1024, "limit": 1000}, limits.ANSWER_BYTES_MAX),
    ],
)
async def test_answer_and_events_fit_the_budget_together(
    context: Context, arguments: dict[str, Any], whole: int
) -> None:
    for what in ("errors", "network"):
        flood(context)
        answer = await observe(context, what=what, **arguments)
        assert len(wire.encode(answer.data)) <= whole
        assert answer.data["entries"]
        if whole >= limits.ANSWER_BYTES:
            assert len(answer.data["events"]["entries"]) >= 2
            assert len(wire.encode(answer.data["events"])) <= event_limits.STREAM_DIGEST_BYTES


async def test_events_that_found_no_room_come_with_a_later_answer(context: Context) -> None:
    context.telemetry.add(log_record(1, "an error"))
    stream = context.streaming.of(context.client)
    full = answer_of({"text": "x" * (limits.ANSWER_BYTES_MAX - 40)})
    assert with_digest(full, None, stream) == full
    assert (await observe(context, what="tabs")).data["events"]["total"] == 1


async def test_an_answer_with_events_says_that_it_holds_page_content(context: Context) -> None:
    tool = TOOLS["configure_streaming"]
    calm = await call_tool(TOOLS, context, tool.name, {})
    assert "_meta" not in tool_result(tool, calm, "json")
    context.telemetry.add(log_record(1, "an error"))
    told = await call_tool(TOOLS, context, tool.name, {})
    assert tool_result(tool, told, "json")["_meta"] == {"gasoline-cdp/page_content": True}
