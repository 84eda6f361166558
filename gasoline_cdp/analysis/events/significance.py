"""Decides which records are worth reporting to an assistant that did not ask.

It has no clock: `now` is passed in, in monotonic seconds. Everything it remembers is bounded.
"""

from collections import deque
from collections.abc import Hashable, Iterable, Iterator

from attrs import evolve, frozen

from gasoline_cdp import event_limits, limits
from gasoline_cdp.analysis.elements import element_of
from gasoline_cdp.analysis.events.event import (
    Event,
    cut,
    headline,
    network_event,
    request_context,
    shown_address,
    where,
)
from gasoline_cdp.analysis.normalise import endpoint_of, normalise_message, origin_of
from gasoline_cdp.analysis.performance.baselines import Baseline
from gasoline_cdp.analysis.requests import is_browser_initiated
from gasoline_cdp.analysis.sourcemaps.frames import place_of
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.records import (
    LOST,
    ActionRecord,
    BodyRecord,
    LogRecord,
    NetworkRecord,
    PerformanceRecord,
    Record,
    SocketRecord,
    VitalsRecord,
)
from gasoline_cdp.redact import shows_mask

# Types of requests that can be the effect of a form. Images and scripts cannot.
_ANSWERING = {"Document", "XHR", "Fetch", "Ping", "Other", "Preflight"}
# The page's clock and Chrome's differ by less than this.
_CLOCK_SECONDS = 0.1


class _Seen(BoundedDict[Hashable, None]):
    """The most recent keys."""

    def is_new(self, key: Hashable) -> bool:
        """Whether this key is new. It is known from now on."""
        known = key in self
        self[key] = None
        return not known


@frozen
class _Tasks:
    """The long tasks that a page has reported so far."""

    count: int = 0
    blocking: float = 0.0
    longest: float = 0.0


@frozen
class _Waiting:
    """A user's action at `ts`, and the event to report if nothing has happened by the deadline."""

    tab_id: int
    ts: float
    deadline: float
    event: Event
    # Whether a request without a response is an effect. For a form it is not.
    until_asked: bool = False


class Significance:
    """The rules and their state."""

    def __init__(self) -> None:
        most = event_limits.STREAM_REMEMBERED
        self._messages = _Seen(most)
        self._statuses: BoundedDict[Hashable, int] = BoundedDict(most)
        self._secrets = _Seen(most)
        self._loads = _Seen(most)
        self._tasks: BoundedDict[str, _Tasks] = BoundedDict(most)
        self._clicks: BoundedDict[Hashable, deque[float]] = BoundedDict(most)
        # When the newest answered request of each tab was sent.
        self._answered: BoundedDict[int, float] = BoundedDict(limits.TABS_REMEMBERED)
        self._waiting: deque[_Waiting] = deque(maxlen=event_limits.FORMS_WAITING)

    def judge(self, record: Record, now: float, baseline: Baseline | None = None, late: float = 0.0) -> list[Event]:
        """The events that a record makes; `baseline` is what its path cost before, for a performance snapshot.

        `late` is how many seconds ago it happened.
        """
        match record:
            case LogRecord():
                return list(self._log(record))
            case NetworkRecord():
                return list(self._request(record))
            case BodyRecord():
                return list(self._body(record))
            case ActionRecord():
                self._action(record, now - late)
            case SocketRecord(event="message"):
                # Some applications submit their forms through a socket.
                self._answer(record.source.tab_id, record.ts)
            case PerformanceRecord():
                return list(self._load(record, baseline))
            case VitalsRecord():
                return list(self._vitals(record))
        return []

    def due(self, now: float, pending: Iterable[NetworkRecord] = ()) -> list[Event]:
        """Events that are due because nothing happened. `pending` are the requests without a response."""
        over = [waiting for waiting in self._waiting if waiting.deadline <= now]
        if not over:
            return []
        left = [waiting for waiting in self._waiting if waiting.deadline > now]
        self._waiting.clear()
        self._waiting.extend(left)
        asked = [(record.source.tab_id, record.ts) for record in pending if not is_browser_initiated(record)]
        return [
            waiting.event
            for waiting in over
            if not waiting.until_asked
            or not any(tab_id == waiting.tab_id and ts >= waiting.ts - _CLOCK_SECONDS for tab_id, ts in asked)
        ]

    def next_due(self) -> float | None:
        """When to call `due` again."""
        return min((waiting.deadline for waiting in self._waiting), default=None)

    def _log(self, record: LogRecord) -> Iterator[Event]:
        if record.level != "error":
            return
        text = headline(record)
        key = f"{record.kind} {normalise_message(record.text)}"
        if record.kind == "event":
            # Our own text: a tab or the browser crashed.
            message = text
        elif record.kind == "rejection":
            message = f"Unhandled rejection: {text}"
        elif self._messages.is_new(key):
            message = f"New error: {text}"
        else:
            return
        frame = record.frames[0] if record.frames else None
        yield Event(
            category="errors",
            severity="error",
            message=message,
            ts=record.ts,
            key=key,
            urls=(record.source.url, frame.url if frame else ""),
            context={"kind": record.kind, **where(record.source), **({"at": place_of(frame)} if frame else {})},
            record=record,
        )

    def _request(self, record: NetworkRecord) -> Iterator[Event]:
        if record.preflight_for or is_browser_initiated(record):
            # The actual request, not its preflight, shows the outcome.
            return
        if record.type in _ANSWERING:
            self._answer(record.source.tab_id, record.ts)
        yield from self._exposed(record, record.url)
        request = f"{record.method} {shown_address(record)}"
        if record.outcome in LOST:
            failure = cut(record.failure or record.outcome, event_limits.STREAM_PREVIEW_CHARS)
            yield network_event(record, "error", f"Request failed: {request} ({failure})", failure=failure)
        if record.status is None:
            return
        endpoint = origin_of(record.url), endpoint_of(record.method, record.url)
        before = self._statuses.get(endpoint)
        if record.status >= 500:
            message = f"Server error: {request} → {record.status}"
            yield network_event(record, "error", message, previous_status=before)
        elif record.status >= 400 and before is not None and before < 300:
            message = f"Auth/access issue: {request} → {record.status} (was {before})"
            yield network_event(record, "warning", message, previous_status=before)
        given = record.page_status or record.status
        if 200 <= given < 300 or given >= 400:
            self._statuses[endpoint] = given

    def _body(self, record: BodyRecord) -> Iterator[Event]:
        # Ignore secrets known by field name only: every login sends a field called password.
        if record.request_body and shows_mask(record.request_body, by_name=False):
            yield from self._exposed(record, None)

    def _exposed(self, record: NetworkRecord | BodyRecord, url: str | None) -> Iterator[Event]:
        """A secret in a request. `url` is searched; None if the secret was found elsewhere."""
        if url is not None and not shows_mask(url, by_name=True):
            return
        endpoint = endpoint_of(record.method, record.url)
        if self._secrets.is_new((origin_of(record.url), endpoint)):
            yield Event(
                category="security",
                severity="warning",
                message=f"Possible credential exposure in {record.method} {shown_address(record)}",
                ts=record.ts,
                key=f"secret {origin_of(record.url)} {endpoint}",
                urls=(record.url, record.source.url),
                context={**request_context(record), "where": "url" if url is not None else "request_body"},
            )

    def _action(self, record: ActionRecord, now: float) -> None:
        if record.type == "navigate":
            self._answer(record.source.tab_id, record.ts)
        elif record.type == "submit":
            self._submitted(record, now)
        elif record.type == "click":
            self._clicked(record, now)

    def _clicked(self, record: ActionRecord, now: float) -> None:
        key = record.source.tab_id, record.source.frame_id, str(record.selectors.get("css") or _element(record))
        times = self._clicks.get(key) or deque(maxlen=event_limits.FRUSTRATION_CLICKS)
        if record.page_changed:
            # The previous click had an effect.
            times.clear()
        times.append(record.ts)
        self._clicks[key] = times
        # The last N clicks within the window, or fewer.
        if len(times) < event_limits.FRUSTRATION_CLICKS or times[-1] - times[0] > event_limits.FRUSTRATION_SECONDS:
            return
        first = times[0] + _CLOCK_SECONDS  # Ignore requests from just before: they may belong to the load.
        times.clear()
        element = _element(record)
        event = Event(
            category="user_frustration",
            severity="warning",
            message=_clicks_on(element),
            ts=record.ts,
            key=f"clicks {key}",
            urls=(record.source.url,),
            context={"element": element, "clicks": event_limits.FRUSTRATION_CLICKS, **where(record.source)},
            record=record,
        )
        self._wait(first, now + event_limits.FRUSTRATION_WAIT_SECONDS, event, record.source.tab_id, until_asked=True)

    def _submitted(self, record: ActionRecord, now: float) -> None:
        # A form with method=dialog sends no request.
        if record.fields.get("method") == "dialog":
            return
        action = cut(str(record.fields.get("action") or record.source.url), event_limits.STREAM_PREVIEW_CHARS)
        tab_id = record.source.tab_id
        event = Event(
            category="user_frustration",
            severity="warning",
            message=f"Form submit to {action} — no response after {event_limits.FORM_ANSWER_SECONDS:g}s",
            ts=record.ts + event_limits.FORM_ANSWER_SECONDS,
            key=f"form {tab_id} {action}",
            urls=(record.source.url, action),
            context={"url": record.source.url, "action": action, "tab_id": tab_id},
        )
        self._wait(record.ts, now + event_limits.FORM_ANSWER_SECONDS, event, tab_id)

    def _wait(self, since: float, deadline: float, event: Event, tab_id: int, *, until_asked: bool = False) -> None:
        """Report at the deadline unless something happens, or already happened before the action was reported."""
        answered = self._answered.get(tab_id)
        if answered is None or answered < since - _CLOCK_SECONDS:
            self._waiting.append(_Waiting(tab_id, since, deadline, event, until_asked))

    def _answer(self, tab_id: int, asked_at: float) -> None:
        """A request that the tab sent at this time was answered, or its failure is reported elsewhere."""
        if asked_at > (self._answered.get(tab_id) or 0.0):
            self._answered[tab_id] = asked_at
        if self._waiting:
            left = [w for w in self._waiting if w.tab_id != tab_id or asked_at < w.ts - _CLOCK_SECONDS]
            if len(left) < len(self._waiting):
                self._waiting.clear()
                self._waiting.extend(left)

    def _load(self, record: PerformanceRecord, baseline: Baseline | None) -> Iterator[Event]:
        load, usual = record.timing.load, baseline.values.get("load") if baseline else None
        # A snapshot is stored again when a late vital completes it.
        if load is None or not self._loads.is_new(record.page_id) or usual is None:
            return
        if load > event_limits.SLOW_LOAD_FACTOR * usual:
            path = cut(record.path, event_limits.STREAM_PREVIEW_CHARS)
            yield Event(
                category="performance",
                severity="warning",
                message=f"Performance regression: {path} loaded in {load:.0f} ms (baseline: {usual:.0f} ms)",
                ts=record.ts,
                key=f"load {record.path}",
                urls=(record.url,),
                context={"load_ms": round(load), "baseline_ms": round(usual), **where(record.source)},
            )

    def _vitals(self, record: VitalsRecord) -> Iterator[Event]:
        tasks = record.long_tasks
        before = self._tasks.get(record.page_id) or _Tasks()
        self._tasks[record.page_id] = _Tasks(tasks.count, tasks.total_blocking_time, tasks.longest)
        duration = 0.0
        if tasks.longest > before.longest:
            duration = tasks.longest
        elif tasks.count == before.count + 1:
            # Only the time of a task beyond 50 ms counts as blocking.
            duration = tasks.total_blocking_time - before.blocking + 50
        if duration > event_limits.LONG_TASK_MS:
            yield Event(
                category="performance",
                severity="warning",
                message=f"Main thread blocked for {duration:.0f}ms",
                ts=record.ts,
                key=f"blocked {record.page_id} {duration:.0f}",
                urls=(record.url,),
                context={"duration_ms": round(duration), **where(record.source)},
            )


def reworded(event: Event, known: LogRecord | ActionRecord) -> Event:
    """The event, worded with what is known about its record now."""
    before = event.record
    if known is before:
        return event
    if isinstance(known, ActionRecord):
        element = _element(known)
        return evolve(event, message=_clicks_on(element), context={**event.context, "element": element})
    if not isinstance(before, LogRecord):
        return event
    message = event.message.removesuffix(headline(before)) + headline(known)
    at = {"at": place_of(known.frames[0])} if known.frames else {}
    return evolve(event, message=message, context={**event.context, **at})


def learn(rules: Significance, records: Iterable[Record], now: float) -> None:
    """Show the rules what happened before anyone listened, so that it is not reported as new."""
    for record in sorted(records, key=lambda record: record.seq):
        rules.judge(record, now)


def _element(record: ActionRecord) -> str:
    """The element that was acted on, as the record names it."""
    element = element_of(record.selectors) or f"the point {record.fields.get('x')}, {record.fields.get('y')}"
    return cut(element, event_limits.STREAM_PREVIEW_CHARS)


def _clicks_on(element: str) -> str:
    return f"Repeated clicks on {element} — handler may be broken"
