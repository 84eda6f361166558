"""`configure_streaming`: the settings in force, whose they are, and what it refuses."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from attrs import evolve

from gasoline_cdp.operations.answer import Answer
from gasoline_cdp.operations.client import Client
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.streaming import CATEGORIES, StreamSettings, Subscription
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.tools.streaming import SettingsEntry, StreamingAnswer
from tests.fakes import log_record, make_context
from tests.reading import HOSTILE, assert_ours, assert_tells, lines_of

pytestmark = pytest.mark.requirement("F3-STREAM-CLIENTS")


@pytest.fixture
async def connected() -> AsyncIterator[tuple[Context, Subscription]]:
    context = evolve(make_context(), client=Client("mcp"))
    with context.streaming.subscribe(StreamSettings(), context.client) as subscription:
        yield context, subscription


async def configure(context: Context, **arguments: Any) -> Answer:
    return await call_tool(TOOLS, context, "configure_streaming", arguments)


async def test_it_is_off_until_it_is_switched_on_and_off_again(connected: tuple[Context, Subscription]) -> None:
    context, subscription = connected
    before = (await configure(context)).data
    assert before["streaming"] == {"enabled": False, "events": list(CATEGORIES), "throttle_seconds": 5.0}
    assert before["summary"] == "Streaming is off for this connection."
    on = (await configure(context, enabled=True)).data
    assert on["streaming"]["enabled"] is True
    assert set(on["delivered"]) == {"answers", "notifications", "resource"}
    assert subscription.settings.enabled
    off = (await configure(context, enabled=False)).data
    assert off["streaming"]["enabled"] is False
    assert off["delivered"] == {}


async def test_what_is_left_out_stays_as_it_is(connected: tuple[Context, Subscription]) -> None:
    context, subscription = connected
    await configure(context, enabled=True, events=["errors", "errors"], throttle_seconds=9, url_filter="/cart")
    after = (await configure(context, throttle_seconds=1)).data
    assert after["streaming"] == {
        "enabled": True,
        "events": ["errors"],
        "throttle_seconds": 1.0,
        "url_filter": "/cart",
    }
    assert subscription.settings.throttle_seconds == 1
    assert "url_filter" not in (await configure(context, url_filter="")).data["streaming"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"throttle_seconds": 0},
        {"throttle_seconds": 61},
        {"throttle_seconds": "5"},
        {"events": []},
        {"events": ["everything"]},
        {"events": "errors"},
        {"enabled": "true"},
        {"url_filter": "x" * 5000},
        {"bodies": "all"},
    ],
)
async def test_what_it_refuses_changes_nothing(
    connected: tuple[Context, Subscription], arguments: dict[str, Any]
) -> None:
    context, subscription = connected
    answer = await configure(context, **arguments)
    assert answer.is_error
    assert answer.data["error"] == "invalid_params"
    assert subscription.settings == StreamSettings()


@pytest.mark.parametrize("kind", ["cli", "http"])
async def test_a_caller_whose_connection_ends_is_told_how_to_stream_instead(kind: Any) -> None:
    context = evolve(make_context(), client=Client(kind))
    answer = await configure(context, enabled=True)
    assert not answer.is_error
    assert answer.data["streaming"]["enabled"] is False
    assert answer.data["summary"].startswith("Nothing was changed")
    assert "watch" in answer.data["delivered"]["command line"]
    assert "/events/stream" in answer.data["delivered"]["HTTP"]
    assert (await configure(context, throttle_seconds=100)).is_error


async def test_the_status_shows_who_listens_and_what_waits(connected: tuple[Context, Subscription]) -> None:
    context, _ = connected

    async def status() -> dict[str, Any]:
        return (await call_tool(TOOLS, context, "observe", {"what": "status"})).data

    before = await status()
    assert before["streaming"] == {"subscribers": [], "sent": 0, "dropped": 0}
    assert before["watchers"] == 0
    await configure(context, enabled=True, events=["errors"])
    context.telemetry.add(log_record(1, "an error"))
    after = await status()
    assert after["streaming"]["subscribers"] == [
        {"enabled": True, "events": ["errors"], "sent": 0, "held_back": 1, "repeated": 0, "dropped": 0}
    ]
    assert after["watchers"] == 0


async def test_lines_tell_the_settings_and_where_events_arrive(connected: tuple[Context, Subscription]) -> None:
    context, _ = connected
    answer = await configure(context, enabled=True, events=["errors", "security"], throttle_seconds=2.5)
    summary, events, *places = lines_of(answer.record)
    assert summary == answer.data["summary"]
    assert events == "events errors security; every 2.5 s at most"
    assert [line.partition(":")[0] for line in places] == list(answer.data["delivered"])
    assert_tells(answer.record)


def test_lines_keep_a_filter_in_quotes() -> None:
    settings = SettingsEntry(enabled=True, events=["errors"], throttle_seconds=5, url_filter=HOSTILE)
    assert_ours(lines_of(StreamingAnswer(summary="On.", streaming=settings, delivered={})))
