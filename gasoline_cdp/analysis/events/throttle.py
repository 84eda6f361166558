"""Decides when to report events: a state machine over (state, event, now), without a clock.

An event is admitted unless an equal one was reported less than 30 s ago. Admitted events wait 2 s for others, and until
the minimum interval since the last notification has passed. Then one notification reports all of them. No admitted
event is lost: an event equal to a waiting one raises its count, and what a notification cannot hold is counted in it.
"""

from collections.abc import Mapping

from attrs import evolve, field, frozen

from gasoline_cdp import event_limits
from gasoline_cdp.analysis.events.event import Event

_MINUTE = 60.0


@frozen(kw_only=True)
class Throttle:
    """The state. Every function here returns a new one."""

    throttle_seconds: float = event_limits.STREAM_THROTTLE_SECONDS
    waiting: tuple[Event, ...] = ()
    # When the first waiting event arrived.
    since: float | None = None
    # Admitted events beyond what one notification can hold.
    overflow: int = 0
    # When notifications were sent during the last minute, oldest first.
    sent: tuple[float, ...] = ()
    # Event key → when it was last reported, while it may not be reported again.
    reported: Mapping[str, float] = field(factory=dict)
    # Total number of events suppressed as repetitions.
    repeated: int = 0


@frozen(kw_only=True)
class Batch:
    """The events of one notification, the worst first, and how many more there were."""

    events: tuple[Event, ...]
    overflow: int

    @property
    def count(self) -> int:
        """The number of all events in it."""
        return sum(event.count for event in self.events) + self.overflow


def admit(state: Throttle, event: Event, now: float) -> Throttle:
    """Add an event, to be reported when it is due."""
    last = state.reported.get(event.key)
    if last is not None and now - last < event_limits.STREAM_DEDUP_SECONDS:
        return evolve(state, repeated=state.repeated + 1)
    waiting = state.waiting
    for index, same in enumerate(waiting):
        if same.key == event.key:
            counted = evolve(same, count=same.count + event.count)
            return evolve(state, waiting=(*waiting[:index], counted, *waiting[index + 1 :]))
    since = now if state.since is None else state.since
    if len(waiting) >= event_limits.STREAM_BATCH_EVENTS:
        return evolve(state, overflow=state.overflow + event.count, since=since)
    return evolve(state, waiting=(*waiting, event), since=since)


def next_due(state: Throttle) -> float | None:
    """When the waiting events may be reported; None if there are none."""
    if state.since is None:
        return None
    due = state.since + event_limits.STREAM_BATCH_SECONDS
    if state.sent:
        due = max(due, state.sent[-1] + state.throttle_seconds)
    if len(state.sent) >= event_limits.STREAM_PER_MINUTE:
        due = max(due, state.sent[-event_limits.STREAM_PER_MINUTE] + _MINUTE)
    return due


def release(state: Throttle, now: float) -> tuple[Throttle, Batch | None]:
    """Report all waiting events, if they are due."""
    due = next_due(state)
    if due is None or now < due:
        return state, None
    fresh = {key: at for key, at in state.reported.items() if now - at < event_limits.STREAM_DEDUP_SECONDS}
    after = evolve(
        state,
        waiting=(),
        since=None,
        overflow=0,
        sent=(*state.sent[-(event_limits.STREAM_PER_MINUTE - 1) :], now),
        reported={**fresh, **{event.key: now for event in state.waiting}},
    )
    worst_first = sorted(state.waiting, key=lambda event: event.severity != "error")
    return after, Batch(events=tuple(worst_first), overflow=state.overflow)
