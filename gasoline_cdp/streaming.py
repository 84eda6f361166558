"""Notifies subscribers of significant records: each record is judged once, each subscriber has its own schedule.

Nothing is judged while nobody is subscribed. A new subscriber gets only what is new from then on: the rules first learn
what the store still holds. `Streaming.on_record` is called by the reader of Chrome's events and never waits. A
subscriber that reads too slowly loses its oldest notifications, and is told how many.
"""

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, get_args
from weakref import WeakKeyDictionary

import trio
from attrs import evolve, field, frozen, validators

from gasoline_cdp import event_limits, limits, wire
from gasoline_cdp.analysis.events.event import Category, Event
from gasoline_cdp.analysis.events.significance import Significance, learn, reworded
from gasoline_cdp.analysis.events.throttle import Batch, Throttle, admit, next_due, release
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.records import NetworkRecord, PerformanceRecord, Record
from gasoline_cdp.store.telemetry import Telemetry
from gasoline_cdp.times import iso

CATEGORIES: tuple[Category, ...] = get_args(Category)


@frozen(kw_only=True)
class StreamSettings:
    """What one subscriber wants to receive. Off by default."""

    enabled: bool = False
    events: tuple[Category, ...] = field(
        default=CATEGORIES,
        validator=[
            validators.min_len(1),
            validators.deep_iterable(validators.in_(CATEGORIES), validators.instance_of(tuple)),
        ],
    )
    throttle_seconds: float = field(
        default=event_limits.STREAM_THROTTLE_SECONDS,
        validator=[
            validators.ge(event_limits.STREAM_THROTTLE_SECONDS_MIN),
            validators.le(event_limits.STREAM_THROTTLE_SECONDS_MAX),
        ],
    )
    url_filter: str = field(default="", validator=validators.max_len(limits.URL_CHARS))

    def wants(self, event: Event) -> bool:
        """Whether the subscriber asked for this kind of event and this address."""
        wanted = self.url_filter.lower()
        return event.category in self.events and (not wanted or any(wanted in url.lower() for url in event.urls))


class Subscription:
    """One subscriber: an asynchronous iterator of notifications, and the events since its last tool call."""

    def __init__(self, streaming: "Streaming", settings: StreamSettings, *, pushes: bool, keeps: bool) -> None:
        # Whether notifications are made, because somebody reads them.
        self.pushes = pushes
        self.sent = 0
        self.dropped = 0
        self._streaming = streaming
        self._settings = settings
        self._follows_resource = False
        self._keeps = keeps
        self._throttle = Throttle(throttle_seconds=settings.throttle_seconds)
        self._outbox: deque[dict[str, Any]] = deque()
        self._lost = 0
        self._since_last_call: BoundedDict[str, Event] = BoundedDict(event_limits.STREAM_DIGEST_KEPT, self._left_out)
        self._more = 0
        self._arrived = trio.Event()
        self._closed = False

    @property
    def settings(self) -> StreamSettings:
        """The current settings. Change them with `configure`."""
        return self._settings

    @property
    def follows_resource(self) -> bool:
        """Whether the client subscribed to changes of the events resource, which works without streaming."""
        return self._follows_resource

    @property
    def active(self) -> bool:
        """Whether events are judged for this subscriber."""
        return not self._closed and (self._settings.enabled or self._follows_resource)

    @property
    def held_back(self) -> int:
        """Events that wait for their notification."""
        return sum(event.count for event in self._throttle.waiting) + self._throttle.overflow

    @property
    def repeated(self) -> int:
        """Events suppressed because an equal one was just reported."""
        return self._throttle.repeated

    def configure(self, settings: StreamSettings) -> None:
        """Apply new settings. Waiting events that are no longer wanted are dropped."""
        self._settings = settings
        waiting = tuple(event for event in self._throttle.waiting if settings.enabled and settings.wants(event))
        self._throttle = evolve(
            self._throttle,
            throttle_seconds=settings.throttle_seconds,
            waiting=waiting,
            since=self._throttle.since if waiting else None,
            overflow=self._throttle.overflow if waiting else 0,
        )
        if not settings.enabled:
            self._since_last_call.clear()
            self._more = 0
        self._streaming.changed()

    def follow_resource(self, *, follow: bool) -> None:
        """The client (un)subscribes to the events resource."""
        self._follows_resource = follow
        self._streaming.changed()

    def close(self) -> None:
        """End it: the reader gets what is left, and then the end."""
        self._closed = True
        self._arrived.set()
        self._streaming.changed()

    def offer(self, event: Event, now: float) -> None:
        """A significant event happened."""
        if not self.active or (self._settings.enabled and not self._settings.wants(event)):
            return
        if self._keeps and self._settings.enabled:
            self._keep(event)
        if self.pushes:
            self._throttle = admit(self._throttle, event, now)

    def next_due(self) -> float | None:
        """When `flush` will have something to do."""
        return next_due(self._throttle)

    def flush(self, now: float) -> None:
        """Make a notification of the waiting events, if it is due."""
        self._throttle, batch = release(self._throttle, now)
        if batch is None:
            return
        if len(self._outbox) >= event_limits.STREAM_OUTBOX:
            self._outbox.popleft()
            self._lost += 1
            self.dropped += 1
        self._outbox.append(self._streaming.notification(batch))
        self._arrived.set()

    def _keep(self, event: Event) -> None:
        same = self._since_last_call.pop(event.key, None)
        self._since_last_call[event.key] = evolve(event, count=event.count + same.count) if same else event

    def _left_out(self, _: str, event: Event) -> None:
        self._more += event.count

    def take_digest(self, budget: int) -> dict[str, Any] | None:
        """The events since the last call, newest first, as many as fit. None if there were none, or no room.

        If not a single one fits, only their number is returned, and they stay for the next call.
        """
        events = list(reversed(self._since_last_call.values()))
        total = self._more + sum(event.count for event in events)
        digest: dict[str, Any] = {"total": total, "entries": [], "left_out": total}
        room = budget - len(wire.encode(digest))
        if not total or room < 0:
            return None
        shown = []
        for event in events[: event_limits.STREAM_DIGEST_EVENTS]:
            entry = self._streaming.entry(event)
            room -= len(wire.encode(entry)) + 1
            if room < 0:
                break
            digest["entries"].append(entry)
            shown.append(event)
        if not shown:
            return digest
        self._since_last_call.clear()
        self._more = 0
        digest["left_out"] -= sum(event.count for event in shown)
        if not digest["left_out"]:
            del digest["left_out"]
        return digest

    def __aiter__(self) -> "Subscription":
        return self

    async def __anext__(self) -> dict[str, Any]:
        while not self._outbox:
            if self._closed:
                raise StopAsyncIteration
            self._arrived = trio.Event()
            await self._arrived.wait()
        notification = self._outbox.popleft()
        self.sent += 1
        if self._lost:
            notification["dropped"], self._lost = self._lost, 0
        return notification


class Streaming:
    """All subscribers of one daemon."""

    def __init__(self, telemetry: Telemetry) -> None:
        # The newest events of all categories while anyone listens, oldest first.
        self.recent: deque[Event] = deque(maxlen=event_limits.STREAM_RECENT)
        # Totals over all subscribers, including former ones.
        self.sent = 0
        self.dropped = 0
        self._telemetry = telemetry
        self._subscriptions: list[Subscription] = []
        self._owned: WeakKeyDictionary[Any, Subscription] = WeakKeyDictionary()
        self._rules = Significance()
        self._listening = ExitStack()
        self._woken = trio.Event()
        self.listening = False
        # Returns the pending requests of the capture.
        self.pending: Callable[[], Iterable[NetworkRecord]] = tuple

    @contextmanager
    def subscribe(
        self, settings: StreamSettings, owner: object | None = None, *, pushes: bool = True
    ) -> Iterator[Subscription]:
        """Subscribe until the block ends.

        With an `owner` (a client, whose tool calls carry a digest) the subscription can be found by it: see `of`.
        """
        subscription = Subscription(self, settings, pushes=pushes, keeps=owner is not None)
        self._subscriptions.append(subscription)
        if owner is not None:
            self._owned[owner] = subscription
        self.changed()
        try:
            yield subscription
        finally:
            self._subscriptions.remove(subscription)
            if owner is not None:
                self._owned.pop(owner, None)
            self.sent += subscription.sent
            self.dropped += subscription.dropped
            subscription.close()

    def of(self, owner: object) -> Subscription | None:
        """The subscription of a client. None for clients without one, since each call is a connection."""
        return self._owned.get(owner)

    @property
    def subscriptions(self) -> tuple[Subscription, ...]:
        """All subscriptions, on or off."""
        return tuple(self._subscriptions)

    def changed(self) -> None:
        """Somebody started or stopped wanting events: listen only while anyone does."""
        active = any(subscription.active for subscription in self._subscriptions)
        if active and not self.listening:
            self._rules = Significance()
            learn(self._rules, self._known(), trio.current_time())
            self._listening.enter_context(self._telemetry.listening(self.on_record))
        elif not active and self.listening:
            self._listening.close()
        self.listening = active
        self._woken.set()

    def _known(self) -> Iterator[Record]:
        yield from self._telemetry.logs.newest()
        yield from self._telemetry.network.newest()
        yield from self._telemetry.performance.newest()
        yield from self._telemetry.performance.reporting()

    def on_record(self, record: Record) -> None:
        """A record was stored."""
        now = trio.current_time()
        baseline = self._telemetry.performance.baseline_of(record) if isinstance(record, PerformanceRecord) else None
        due = self._rules.next_due()
        late = min(max(0.0, time.time() - record.ts), event_limits.FORM_ANSWER_SECONDS)
        events = self._rules.judge(record, now, baseline, late)
        for event in events:
            self._spread(event, now)
        if events or self._rules.next_due() != due:
            self._woken.set()

    def _spread(self, event: Event, now: float) -> None:
        self.recent.append(event)
        for subscription in self._subscriptions:
            subscription.offer(event, now)

    async def run(self) -> None:
        """Send what is due, and notice what did not happen. Until cancelled."""
        while True:
            self._woken = trio.Event()
            now = trio.current_time()
            if self.listening:
                due = self._rules.next_due()
                for event in self._rules.due(now, self.pending()) if due is not None and due <= now else ():
                    self._spread(event, now)
            for subscription in self._subscriptions:
                subscription.flush(now)
            with trio.move_on_at(min(self._next_moments(), default=math.inf)):
                await self._woken.wait()

    def _next_moments(self) -> Iterator[float]:
        due_times = [subscription.next_due() for subscription in self._subscriptions]
        if self.listening:
            due_times.append(self._rules.next_due())
        return (due for due in due_times if due is not None)

    def entry(self, event: Event) -> dict[str, Any]:
        """An event as JSON. For a failed request, with the beginning of its response body, if it is there by now."""
        if event.record is not None:
            event = reworded(event, self._telemetry.known(event.record))
        context = event.context
        if event.category == "network_errors" and (preview := self._preview(context.get("request_id"))):
            context = {**context, "response_preview": preview}
        return {
            "category": event.category,
            "severity": event.severity,
            "message": event.message,
            "timestamp": iso(event.ts),
            "context": context,
            **({"count": event.count} if event.count > 1 else {}),
        }

    def _preview(self, request_id: object) -> str:
        body = self._telemetry.body_of(request_id) if isinstance(request_id, str) else None
        return ((body and body.response_body) or "")[: event_limits.STREAM_PREVIEW_CHARS]

    def notification(self, batch: Batch) -> dict[str, Any]:
        """The worst event in the shape of the specification. If there are more, with all of them and their number."""
        entries = [self.entry(event) for event in batch.events]
        if len(entries) == 1 and not batch.overflow:
            return entries[0]
        more = {"left_out": batch.overflow} if batch.overflow else {}
        return {**entries[0], "count": batch.count, "events": entries, **more}
