"""The throttle over a clock of the test's own: what waits, for how long, and that nothing is lost."""

import itertools
from random import Random

import pytest
from attrs import evolve

from gasoline_cdp import event_limits
from gasoline_cdp.analysis.events.event import Event
from gasoline_cdp.analysis.events.throttle import Batch, Throttle, admit, next_due, release

pytestmark = pytest.mark.requirement("F3-STREAM")


def event(message: str = "New error: x", **changes: object) -> Event:
    plain = Event(category="errors", severity="error", message=message, ts=0.0, key=message)
    return evolve(plain, **changes)  # type: ignore[arg-type]


def tell(state: Throttle, now: float) -> tuple[Throttle, list[str]]:
    """Release, and name what was told."""
    state, batch = release(state, now)
    return state, [told.message for told in batch.events] if batch else []


def run(
    arrivals: list[tuple[float, Event]], seconds: float = event_limits.STREAM_THROTTLE_SECONDS
) -> list[tuple[float, Batch]]:
    """Everything told, and when, if someone wakes exactly when `next_due` says."""
    state, told = Throttle(throttle_seconds=seconds), []

    def wake(until: float) -> None:
        nonlocal state
        while (due := next_due(state)) is not None and due <= until:
            state, batch = release(state, due)
            assert batch is not None
            told.append((due, batch))

    for at, one in arrivals:
        wake(at)
        state = admit(state, one, at)
    wake(float("inf"))
    return told


def test_nothing_waits_nothing_is_due() -> None:
    assert next_due(Throttle()) is None
    assert release(Throttle(), 1000.0) == (Throttle(), None)


def test_rapid_events_are_grouped_within_the_batch_window() -> None:
    state = Throttle()
    for place in range(5):
        state = admit(state, event(f"e{place}"), 10 + place * 0.3)
    assert next_due(state) == 12.0
    assert tell(state, 11.9)[1] == []
    state, told = tell(state, 12.0)
    assert told == ["e0", "e1", "e2", "e3", "e4"]
    assert next_due(state) is None


@pytest.mark.parametrize("seconds", [1, 5, 60])
def test_throttle_seconds_are_respected(seconds: float) -> None:
    arrivals = [(place * 0.5, event(f"e{place}")) for place in range(600)]
    times = [at for at, _ in run(arrivals, seconds)]
    gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert min(gaps) >= max(seconds, event_limits.STREAM_BATCH_SECONDS)


def test_what_the_throttle_holds_back_is_told_when_the_window_opens() -> None:
    told = run([(0, event("first")), (3, event("second")), (4, event("third"))])
    assert [(at, [one.message for one in batch.events]) for at, batch in told] == [
        (2.0, ["first"]),
        (7.0, ["second", "third"]),
    ]


def test_the_rate_limit_of_a_minute_is_hit() -> None:
    # One event every 2.5 s, each due by itself: the throttle of a second would let 24 a minute through.
    told = run([(place * 2.5, event(f"e{place}")) for place in range(48)], 1)
    times = [at for at, _ in told]
    assert len([at for at in times if at < times[0] + 60]) == event_limits.STREAM_PER_MINUTE
    assert sum(batch.count for _, batch in told) == 48


def test_the_same_message_is_not_repeated_within_the_dedup_window() -> None:
    told = run([(at, event("again")) for at in (0, 10, 31.9, 32.0, 70)])
    # Told at 2; at 10 and 31.9 that is less than 30 s ago; at 32 it is not.
    assert [(at, batch.count) for at, batch in told] == [(2.0, 1), (34.0, 1), (72.0, 1)]


def test_what_is_the_same_as_something_waiting_raises_its_count() -> None:
    state = admit(admit(admit(Throttle(), event("a"), 0), event("a"), 1), event("b"), 1.5)
    _, batch = release(state, 2)
    assert batch is not None
    assert [(one.message, one.count) for one in batch.events] == [("a", 2), ("b", 1)]
    assert batch.count == 3


def test_what_one_notification_cannot_hold_is_counted_in_it() -> None:
    state = Throttle()
    for place in range(event_limits.STREAM_BATCH_EVENTS + 7):
        state = admit(state, event(f"e{place}"), 0)
    _, batch = release(state, 2)
    assert batch is not None
    assert (len(batch.events), batch.overflow) == (event_limits.STREAM_BATCH_EVENTS, 7)


def test_the_worst_comes_first() -> None:
    state = admit(admit(Throttle(), event("w", severity="warning"), 0), event("e"), 1)
    assert tell(state, 2)[1] == ["e", "w"]


def test_a_scripted_hour() -> None:
    """Storms, trickles and silence: at most 12 a minute, nothing twice in 30 s, nothing lost."""
    random = Random(3)
    arrivals: list[tuple[float, Event]] = []
    now = 0.0
    while now < 3600:
        mood = random.random()
        if mood < 0.1:
            # A storm of many messages.
            arrivals += [(now + place * 0.01, event(f"storm {random.randrange(60)}")) for place in range(200)]
            now += 2
        elif mood < 0.7:
            arrivals.append((now, event(f"e{random.randrange(25)}")))
            now += random.random() * 4
        else:
            now += random.random() * 40
    for seconds in (1, 5, 60):
        state, told, admitted = Throttle(throttle_seconds=seconds), [], 0
        for at, one in [*arrivals, (7200.0, event("the end"))]:
            while (due := next_due(state)) is not None and due <= at:
                state, batch = release(state, due)
                assert batch is not None
                told.append((due, batch))
            before = state.repeated
            state = admit(state, one, at)
            admitted += state.repeated == before
        state, batch = release(state, 7300.0)
        assert batch is not None
        told.append((7300.0, batch))
        times = [at for at, _ in told]
        assert len(told) > 50
        for at in times:
            assert sum(1 for other in times if at <= other < at + 60) <= event_limits.STREAM_PER_MINUTE
        last: dict[str, float] = {}
        for at, batch in told:
            for one in batch.events:
                assert at - last.get(one.key, -100) >= event_limits.STREAM_DEDUP_SECONDS
                last[one.key] = at
        assert sum(batch.count for _, batch in told) == admitted
