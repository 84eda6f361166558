"""When to tell what is significant: a state machine over (state, event, now), with no clock of its own.

An event is admitted unless the same was told less than 30 s ago. What is admitted waits: 2 s for others to come with
it, and until the last notification is long enough past. Then all that waits is told in one notification. Nothing that
was admitted is lost: what is the same as something waiting raises its count, and what a notification cannot hold is
counted in it.
"""

from collections.abc import Mapping

from attrs import evolve, field, frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.events.event import Event

_MINUTE = 60.0


@frozen(kw_only=True)
class Throttle:
    """The state. Every function here returns another one."""

    throttle_seconds: float = limits.STREAM_THROTTLE_SECONDS
    waiting: tuple[Event, ...] = ()
    # When the first of them came.
    since: float | None = None
    # Admitted, but more than one notification can hold.
    overflow: int = 0
    # When the last notifications of a minute were sent, oldest first.
    sent: tuple[float, ...] = ()
    # When each message was told last, while it may not be told again.
    told: Mapping[str, float] = field(factory=dict)
    # Ever: told before, and so not again.
    repeated: int = 0


@frozen(kw_only=True)
class Batch:
    """One notification's worth of events, the worst first, and how many more there were."""

    events: tuple[Event, ...]
    overflow: int

    @property
    def count(self) -> int:
        """All that it tells of."""
        return sum(event.count for event in self.events) + self.overflow


def admit(state: Throttle, event: Event, now: float) -> Throttle:
    """Take an event in, to be told when it is due."""
    told = state.told.get(event.key)
    if told is not None and now - told < limits.STREAM_DEDUP_SECONDS:
        return evolve(state, repeated=state.repeated + 1)
    waiting = state.waiting
    for place, same in enumerate(waiting):
        if same.key == event.key:
            counted = evolve(same, count=same.count + event.count)
            return evolve(state, waiting=(*waiting[:place], counted, *waiting[place + 1 :]))
    since = now if state.since is None else state.since
    if len(waiting) >= limits.STREAM_BATCH_EVENTS:
        return evolve(state, overflow=state.overflow + event.count, since=since)
    return evolve(state, waiting=(*waiting, event), since=since)


def next_due(state: Throttle) -> float | None:
    """When what waits may be told; None if nothing waits."""
    if state.since is None:
        return None
    due = state.since + limits.STREAM_BATCH_SECONDS
    if state.sent:
        due = max(due, state.sent[-1] + state.throttle_seconds)
    if len(state.sent) >= limits.STREAM_PER_MINUTE:
        due = max(due, state.sent[-limits.STREAM_PER_MINUTE] + _MINUTE)
    return due


def release(state: Throttle, now: float) -> tuple[Throttle, Batch | None]:
    """Tell all that waits, if it is due."""
    due = next_due(state)
    if due is None or now < due:
        return state, None
    fresh = {key: at for key, at in state.told.items() if now - at < limits.STREAM_DEDUP_SECONDS}
    after = evolve(
        state,
        waiting=(),
        since=None,
        overflow=0,
        sent=(*state.sent[-(limits.STREAM_PER_MINUTE - 1) :], now),
        told={**fresh, **{event.key: now for event in state.waiting}},
    )
    worst_first = sorted(state.waiting, key=lambda event: event.severity != "error")
    return after, Batch(events=tuple(worst_first), overflow=state.overflow)
