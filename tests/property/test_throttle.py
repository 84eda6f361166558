"""The throttle under any stream of events and any clock that goes forward."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gasoline_cdp import event_limits
from gasoline_cdp.analysis.events.event import Event
from gasoline_cdp.analysis.events.throttle import Batch, Throttle, admit, next_due, release

# Time that passes, and then an event by the number of its message; or nobody: someone only looks.
STEPS = st.lists(st.tuples(st.floats(0, 40), st.one_of(st.none(), st.integers(0, 30))), max_size=150)


def _event(number: int) -> Event:
    return Event(category="errors", severity="error", message=f"e{number}", ts=0.0, key=f"e{number}")


@pytest.mark.requirement("F3-STREAM")
@given(steps=STEPS, seconds=st.floats(1, 60))
def test_the_throttle_keeps_its_promises(steps: list[tuple[float, int | None]], seconds: float) -> None:
    state, now, admitted = Throttle(throttle_seconds=seconds), 1000.0, 0
    told: list[tuple[float, Batch]] = []
    for wait, number in [*steps, (1000.0, None)]:
        now += wait
        state, batch = release(state, now)
        if batch is not None:
            told.append((now, batch))
        assert next_due(state) is None or next_due(state) > now  # type: ignore[operator]
        if number is not None:
            repeated = state.repeated
            state = admit(state, _event(number), now)
            admitted += state.repeated == repeated
            # What waits always has its time.
            assert bool(state.waiting) == (next_due(state) is not None)
        assert len(state.waiting) <= event_limits.STREAM_BATCH_EVENTS
        assert len(state.sent) <= event_limits.STREAM_PER_MINUTE
    times = [at for at, _ in told]
    assert all(later - earlier >= seconds for earlier, later in itertools.pairwise(times))
    assert all(sum(1 for other in times if at <= other < at + 60) <= event_limits.STREAM_PER_MINUTE for at in times)
    last: dict[str, float] = {}
    for at, batch in told:
        for event in batch.events:
            assert at - last.get(event.key, 0.0) >= event_limits.STREAM_DEDUP_SECONDS
            last[event.key] = at
    # Looked at long after the last, all that was admitted has been told.
    assert sum(batch.count for _, batch in told) == admitted
    assert next_due(state) is None
