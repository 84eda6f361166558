"""Subscribers: what they are told, when, and what it costs when there is none."""
# ruff: noqa: PT019 - the clock is one only where the test itself asks for it

import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from gasoline_cdp import event_limits
from gasoline_cdp.records import ActionRecord, StackFrame
from gasoline_cdp.store.telemetry import Telemetry
from gasoline_cdp.streaming import CATEGORIES, Streaming, StreamSettings, Subscription
from tests.fakes import PAGE, body_record, log_record, network_record

ON = StreamSettings(enabled=True)


class Owner:
    """A client, as far as streaming knows one."""


@pytest.fixture
def telemetry() -> Telemetry:
    return Telemetry()


@pytest.fixture
def _clock() -> MockClock:
    return MockClock(autojump_threshold=0)


@pytest.fixture
async def streaming(telemetry: Telemetry, nursery: trio.Nursery) -> AsyncIterator[Streaming]:
    streaming = Streaming(telemetry)
    nursery.start_soon(streaming.run)
    yield streaming
    nursery.cancel_scope.cancel()


async def heard(subscription: Subscription, seconds: float = 300) -> list[dict[str, Any]]:
    """All notifications of so many seconds, which pass at once."""
    told: list[dict[str, Any]] = []
    with trio.move_on_after(seconds):
        async for notification in subscription:
            told.append(notification)  # noqa: PERF401 - what came before the time was up stays
    return told


@pytest.mark.requirement("F3-STREAM-CLIENTS")
async def test_a_notification_has_the_format_of_the_seed(
    _clock: MockClock, streaming: Streaming, telemetry: Telemetry
) -> None:
    with streaming.subscribe(ON) as subscription:
        telemetry.add(network_record(1, "http://app.test/api/users", method="POST"))
        telemetry.add(network_record(2, "http://app.test/api/users", method="POST", status=500, outcome="http_error"))
        telemetry.add(body_record(3, id="r2", response_body='{"error": "' + "x" * 200))
        (told,) = await heard(subscription)
    assert told == {
        "category": "network_errors",
        "severity": "error",
        "message": "Server error: POST /api/users → 500",
        "timestamp": "2026-09-21T14:13:22.000Z",
        "context": {
            "method": "POST",
            "url": "http://app.test/api/users",
            "status": 500,
            "request_id": "r2",
            "tab_id": 1,
            "previous_status": 200,
            "response_preview": ('{"error": "' + "x" * 200)[:100],
        },
    }


@pytest.mark.requirement("F3-STREAM")
async def test_what_is_told_is_what_is_known_when_it_is_told(
    _clock: MockClock, telemetry: Telemetry, nursery: trio.Nursery
) -> None:
    streaming = Streaming(telemetry)
    nursery.start_soon(streaming.run)
    with streaming.subscribe(StreamSettings(enabled=True)) as subscription:
        telemetry.add(log_record(1, "broke {a: {…}}", frames=(StackFrame("f", "dist/app.js", 1, 999),)))
        # Learned before it is told.
        telemetry.annotate(1, {"text": "broke {a: {b: 1}}"})
        telemetry.annotate(1, {"frames": (StackFrame("f", "src/app.ts", 12, 3),)})
        (told,) = await heard(subscription)
    assert told["message"] == "New error: broke {a: {b: 1}}"
    assert told["context"]["at"] == "f (src/app.ts:12:3)"
    nursery.cancel_scope.cancel()


async def test_rapid_events_come_as_one_notification(
    _clock: MockClock, streaming: Streaming, telemetry: Telemetry
) -> None:
    start = trio.current_time()
    with streaming.subscribe(ON) as subscription:
        for word in ("one", "two", "three"):
            telemetry.add(log_record(1, word))
        telemetry.add(network_record(2, "http://app.test/?token=[REDACTED]"))
        with trio.fail_after(100):
            told = await subscription.__anext__()
        assert trio.current_time() - start == pytest.approx(event_limits.STREAM_BATCH_SECONDS)
    assert told["count"] == 4
    assert told["message"] == "New error: one"
    assert [event["category"] for event in told["events"]] == ["errors"] * 3 + ["security"]
    assert "left_out" not in told


@pytest.mark.requirement("F3-STREAM")
async def test_an_hour_of_events_through_the_real_thing(
    _clock: MockClock, streaming: Streaming, telemetry: Telemetry
) -> None:
    """The scripted hour once more, with the task that keeps the time: an error every 1.7 s, in two spellings."""
    told: list[tuple[float, dict[str, Any]]] = []
    words = 0
    with streaming.subscribe(StreamSettings(enabled=True, throttle_seconds=1)) as subscription:
        async with trio.open_nursery() as nursery:

            async def read() -> None:
                async for notification in subscription:
                    told.append((trio.current_time(), notification))  # noqa: PERF401 - as above

            nursery.start_soon(read)
            end = trio.current_time() + 3600
            while trio.current_time() < end:
                words += 1
                word = "".join(chr(97 + int(digit)) for digit in str(words))
                telemetry.add(log_record(words, f"e {word} 1"))
                telemetry.add(log_record(words, f"e {word} 2"))
                await trio.sleep(1.7)
            await trio.sleep(100)
            nursery.cancel_scope.cancel()
    times = [at for at, _ in told]
    assert all(sum(1 for other in times if at <= other < at + 60) <= event_limits.STREAM_PER_MINUTE for at in times)
    assert sum(notification.get("count", 1) for _, notification in told) == words > 2000
    every = [event["message"] for _, one in told for event in one.get("events", [one])]
    assert len(set(every)) == len(every) == words


@pytest.mark.requirement("F3-STREAM-RULES")
async def test_only_the_categories_asked_for(_clock: MockClock, streaming: Streaming, telemetry: Telemetry) -> None:
    with streaming.subscribe(StreamSettings(enabled=True, events=("network_errors",))) as subscription:
        telemetry.add(log_record(1, "an error"))
        telemetry.add(network_record(2, status=500, outcome="http_error"))
        (told,) = await heard(subscription)
    assert told["category"] == "network_errors"


@pytest.mark.requirement("F3-STREAM-RULES")
async def test_only_the_addresses_asked_for(_clock: MockClock, streaming: Streaming, telemetry: Telemetry) -> None:
    with (
        streaming.subscribe(StreamSettings(enabled=True, url_filter="/API")) as requests,
        streaming.subscribe(StreamSettings(enabled=True, url_filter="/nowhere")) as nothing,
    ):
        telemetry.add(log_record(1, "on the page"))
        telemetry.add(network_record(2, "http://app.test/api", status=500, outcome="http_error"))
        assert [told["message"] for told in await heard(requests)] == ["Server error: GET /api → 500"]
        assert await heard(nothing) == []


async def test_off_nothing_is_told_and_nothing_is_judged(
    _clock: MockClock, streaming: Streaming, telemetry: Telemetry
) -> None:
    assert telemetry.listeners == 0
    with streaming.subscribe(StreamSettings()) as subscription:
        assert telemetry.listeners == 0
        telemetry.add(log_record(1, "unheard"))
        assert await heard(subscription) == []
        assert list(streaming.recent) == []
        subscription.configure(ON)
        assert telemetry.listeners == 1
        with streaming.subscribe(ON):
            assert telemetry.listeners == 1
        # What was before is no news.
        telemetry.add(log_record(2, "unheard"))
        telemetry.add(log_record(3, "heard"))
        assert [told["message"] for told in await heard(subscription)] == ["New error: heard"]
        subscription.configure(StreamSettings())
        assert telemetry.listeners == 0
    assert telemetry.listeners == 0


async def test_switching_off_forgets_what_waits(_clock: MockClock, streaming: Streaming, telemetry: Telemetry) -> None:
    with streaming.subscribe(ON) as subscription:
        telemetry.add(log_record(1, "waiting"))
        assert subscription.held_back == 1
        subscription.configure(StreamSettings())
        assert subscription.held_back == 0
        assert await heard(subscription) == []


async def test_a_change_of_settings_keeps_what_is_still_wanted(
    _clock: MockClock, streaming: Streaming, telemetry: Telemetry
) -> None:
    with streaming.subscribe(ON) as subscription:
        telemetry.add(log_record(1, "an error"))
        telemetry.add(network_record(2, status=500, outcome="http_error"))
        subscription.configure(StreamSettings(enabled=True, events=("errors",)))
        assert [told["message"] for told in await heard(subscription)] == ["New error: an error"]


async def test_a_form_without_response_is_told_though_nothing_happens(
    _clock: MockClock, streaming: Streaming, telemetry: Telemetry
) -> None:
    start = trio.current_time()
    with streaming.subscribe(ON) as subscription:
        fields = {"action": "http://app.test/orders", "method": "post"}
        telemetry.add(ActionRecord(seq=1, ts=time.time(), source=PAGE, type="submit", selectors={}, fields=fields))
        with trio.fail_after(100):
            told = await subscription.__anext__()
    assert told["category"] == "user_frustration"
    assert trio.current_time() - start == pytest.approx(
        event_limits.FORM_ANSWER_SECONDS + event_limits.STREAM_BATCH_SECONDS, abs=0.5
    )


async def test_a_slow_reader_loses_the_oldest_and_is_told(
    _clock: MockClock, streaming: Streaming, telemetry: Telemetry
) -> None:
    with streaming.subscribe(StreamSettings(enabled=True, throttle_seconds=1)) as subscription:
        for number in range(event_limits.STREAM_OUTBOX + 3):
            telemetry.add(network_record(number, f"http://app.test/{number}", status=500, outcome="http_error"))
            await trio.sleep(6)
        told = await heard(subscription)
    assert len(told) == event_limits.STREAM_OUTBOX
    assert told[0]["dropped"] == 3
    assert told[0]["message"] == "Server error: GET /3 → 500"
    assert "dropped" not in told[1]
    assert (streaming.dropped, streaming.sent) == (3, event_limits.STREAM_OUTBOX)


async def test_subscribers_do_not_touch_each_other(
    _clock: MockClock, streaming: Streaming, telemetry: Telemetry
) -> None:
    slow_settings = StreamSettings(enabled=True, throttle_seconds=60)
    with streaming.subscribe(ON) as one, streaming.subscribe(slow_settings) as other:
        for number in range(5):
            telemetry.add(network_record(number, f"http://app.test/{number}", status=500, outcome="http_error"))
            await trio.sleep(10)
        assert len(await heard(one, 100)) == 5
        assert [told.get("count", 1) for told in await heard(other, 100)] == [1, 4]


async def test_the_end_of_a_subscription_is_the_end_of_its_iteration(_clock: MockClock, streaming: Streaming) -> None:
    with streaming.subscribe(ON) as subscription:
        pass
    with trio.fail_after(1):
        assert [told async for told in subscription] == []
    assert streaming.subscriptions == ()


async def test_a_client_finds_its_own(_clock: MockClock, streaming: Streaming) -> None:
    one, other = Owner(), Owner()
    with streaming.subscribe(StreamSettings(), one) as subscription:
        assert streaming.of(one) is subscription
        assert streaming.of(other) is None
    assert streaming.of(one) is None


async def test_who_follows_the_resource_hears_of_everything_without_streaming(
    _clock: MockClock, streaming: Streaming, telemetry: Telemetry
) -> None:
    with streaming.subscribe(StreamSettings(), Owner()) as subscription:
        subscription.follow_resource(follow=True)
        telemetry.add(log_record(1, "an error"))
        assert len(await heard(subscription)) == 1
        assert subscription.take_digest(10_000) is None
        assert [event.message for event in streaming.recent] == ["New error: an error"]


# --- the digest -------------------------------------------------------------------------------------


async def test_a_digest_holds_what_happened_since_the_last_one(
    _clock: MockClock, streaming: Streaming, telemetry: Telemetry
) -> None:
    with streaming.subscribe(ON, Owner(), pushes=False) as subscription:
        assert subscription.take_digest(10_000) is None
        telemetry.add(log_record(1, "first"))
        telemetry.add(log_record(2, "second"))
        digest = subscription.take_digest(10_000)
        assert digest is not None
        assert digest["total"] == 2
        assert [entry["message"] for entry in digest["entries"]] == ["New error: second", "New error: first"]
        assert "left_out" not in digest
        assert subscription.take_digest(10_000) is None
        # Nobody reads notifications here, and so none are made.
        assert subscription.held_back == 0


async def test_a_digest_shows_the_newest_few_and_counts_the_rest(
    _clock: MockClock, streaming: Streaming, telemetry: Telemetry
) -> None:
    with streaming.subscribe(ON, Owner()) as subscription:
        for number in range(100):
            telemetry.add(network_record(number, f"http://app.test/{number}", status=500, outcome="http_error"))
        digest = subscription.take_digest(10_000)
        assert digest is not None
        assert [entry["message"] for entry in digest["entries"]] == [
            f"Server error: GET /{number} → 500" for number in range(99, 94, -1)
        ]
        assert (digest["total"], digest["left_out"]) == (100, 95)


async def test_a_digest_folds_what_is_the_same(_clock: MockClock, streaming: Streaming, telemetry: Telemetry) -> None:
    with streaming.subscribe(ON, Owner()) as subscription:
        for number in range(50):
            telemetry.add(network_record(number, status=500, outcome="http_error"))
        digest = subscription.take_digest(10_000)
        assert digest is not None
        assert [(entry["message"], entry["count"]) for entry in digest["entries"]] == [
            ("Server error: GET /api → 500", 50)
        ]
        assert digest["total"] == 50


async def test_a_digest_that_fits_nothing_says_how_many_and_keeps_them(
    _clock: MockClock, streaming: Streaming, telemetry: Telemetry
) -> None:
    with streaming.subscribe(ON, Owner()) as subscription:
        telemetry.add(log_record(1, "an error"))
        assert subscription.take_digest(20) is None
        assert subscription.take_digest(100) == {"total": 1, "entries": [], "left_out": 1}
        digest = subscription.take_digest(1000)
        assert digest is not None
        assert len(digest["entries"]) == 1


# --- settings ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [
        {"events": ()},
        {"events": ("errors", "everything")},
        {"throttle_seconds": 0.5},
        {"throttle_seconds": 61},
        {"throttle_seconds": float("nan")},
        {"url_filter": "x" * 3000},
    ],
)
def test_settings_are_within_their_bounds(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"events|throttle_seconds|url_filter"):
        StreamSettings(**changes)


def test_streaming_is_off_by_default() -> None:
    assert StreamSettings() == StreamSettings(
        enabled=False, events=CATEGORIES, throttle_seconds=event_limits.STREAM_THROTTLE_SECONDS, url_filter=""
    )
    assert CATEGORIES == ("errors", "network_errors", "performance", "user_frustration", "security")
