"""Joins records into traces: a request belongs to the trace that its page named, to its action, or to its load.

The page's own `traceparent` decides first: its request is a child of the span that the page named, beside the span of
the server. An action takes the trace of the first such request that it led to. So an action waits some seconds for its
requests, and requests that the page made while it handled an event wait for the action.
"""

import secrets
from collections.abc import Callable, Iterable

from attrs import define, frozen

from gasoline_cdp import otel_limits
from gasoline_cdp.analysis.flows.causes import RequestCauses
from gasoline_cdp.analysis.requests import is_browser_initiated
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.otel.describing import (
    action_span,
    carried_ref,
    end_of,
    exception_event,
    request_span,
    vital_events,
)
from gasoline_cdp.otel.pages import Pages, TracedPage, is_document
from gasoline_cdp.otel.signals import Origin, Signal, SpanRef, TraceSpan
from gasoline_cdp.records import ActionRecord, LogRecord, NetworkRecord, PerformanceRecord, Source, VitalsRecord

Exported = NetworkRecord | LogRecord | ActionRecord | VitalsRecord | PerformanceRecord
# Not things that lead to requests by themselves.
_NO_SPAN = {"hover", "navigate", "scroll"}
_INLINE = ("data:", "blob:", "about:")


def is_exported(record: object) -> bool:
    """Whether a record has a part in what is exported."""
    match record:
        case NetworkRecord():
            return not record.url.startswith(_INLINE) and not is_browser_initiated(record)
        case LogRecord():
            return record.kind in {"exception", "rejection"}
        case ActionRecord():
            return record.type not in _NO_SPAN
        case VitalsRecord() | PerformanceRecord():
            return True
    return False


@define(eq=False)
class _Action:
    """An action. Its ref is known once it is exported."""

    record: ActionRecord
    since: float
    ref: SpanRef | None = None


@frozen
class _Waiting:
    record: NetworkRecord | LogRecord
    since: float


class Joiner:
    """Takes records and returns signals. `pending` returns the requests that have not finished."""

    def __init__(
        self,
        origin_of: Callable[[Source, float], Origin],
        pending: Callable[[], Iterable[NetworkRecord]] = tuple,
        random_bits: Callable[[int], int] = secrets.randbits,
    ) -> None:
        self._origin_of = origin_of
        self._pending = pending
        self._random_bits = random_bits
        self._pages = Pages(self._new_ref)
        self._actions: BoundedDict[int, _Action] = BoundedDict(otel_limits.OTLP_ACTIONS)
        self._waiting: list[_Waiting] = []
        # The pages of documents whose load was measured, by the number of the document's record.
        self._pages_of_documents: dict[int, TracedPage] = {}

    @property
    def waiting(self) -> int:
        """Records whose trace is not decided yet."""
        return len(self._waiting) + sum(action.ref is None for action in self._actions.values())

    def take(self, records: Iterable[Exported], now: float, *, ending: bool = False) -> list[Signal]:
        """Add records; return what can be exported by now. When it is `ending`, nothing waits any longer."""
        signals: list[Signal] = []
        loads: list[PerformanceRecord] = []
        vitals: dict[str, VitalsRecord] = {}
        for record in records:
            match record:
                case ActionRecord():
                    self._actions[record.seq] = _Action(record, now)
                case PerformanceRecord():
                    loads.append(record)
                case VitalsRecord():
                    # Each report has all that the page knows.
                    vitals[record.page_id] = record
                case _:
                    self._waiting.append(_Waiting(record, now))
        for load in loads:
            signals += self._loaded(load)
        for report in vitals.values():
            signals += self._reported(report)
        causes = RequestCauses(action.record for action in self._actions.values())
        signals += self._decided_actions(causes, now, ending=ending)
        still = []
        for item in self._waiting:
            signal = self._joined(item, causes, now, ending=ending)
            if signal is None:
                still.append(item)
            else:
                signals.append(signal)
        self._waiting = still
        return signals

    def forget_oldest(self, count: int) -> int:
        """Drop records that wait for longest. Returns how many there were."""
        gone = self._waiting[:count]
        del self._waiting[:count]
        for item in gone:
            self._pages_of_documents.pop(item.record.seq, None)
        return len(gone)

    def _loaded(self, record: PerformanceRecord) -> list[TraceSpan]:
        requests = [item.record for item in self._waiting if isinstance(item.record, NetworkRecord)]
        spans, documents = self._pages.loaded(record, requests, self._origin_of(record.source, record.ts))
        page = self._pages.of(record.source, record.ts)
        if page is not None:
            self._pages_of_documents |= {document.seq: page for document in documents}
        return spans

    def _reported(self, record: VitalsRecord) -> list[Signal]:
        origin = self._origin_of(record.source, record.ts)
        page = self._pages.of(record.source, record.ts)
        reported = {} if page is None else page.vitals.setdefault(record.page_id, {})
        events = vital_events(record, origin, None if page is None else page.ref, reported)
        return [*self._pages.reported(record, origin), *events]

    def _decided_actions(self, causes: RequestCauses, now: float, *, ending: bool) -> list[TraceSpan]:
        """The actions that have waited long enough, each with the ref that it has from now on."""
        due = [
            action
            for action in self._actions.values()
            if action.ref is None and (ending or now - action.since >= otel_limits.OTLP_JOIN_SECONDS)
        ]
        if not due:
            return []
        finished = [item.record for item in self._waiting if isinstance(item.record, NetworkRecord)]
        led_to: dict[int, list[NetworkRecord]] = {}
        for request in (*finished, *self._pending()):
            if (cause := _cause(request, causes)) is not None:
                led_to.setdefault(cause.seq, []).append(request)
        spans = []
        for action in due:
            requests = sorted(led_to.get(action.record.seq, []), key=lambda request: request.ts)
            carried = next((ref for request in requests if (ref := carried_ref(request))), None)
            action.ref = self._new_ref() if carried is None else self._beside(carried)
            end = max(map(end_of, requests), default=0.0)
            origin = self._origin_of(action.record.source, action.record.ts)
            spans.append(action_span(action.record, origin, action.ref, end))
        return spans

    def _joined(self, item: _Waiting, causes: RequestCauses, now: float, *, ending: bool) -> Signal | None:
        """The signal of a record; None while it waits for an action or a load."""
        record = item.record
        page = self._pages_of_documents.pop(record.seq, None)
        cause = None if page else _cause(record, causes)
        action = self._actions.get(cause.seq) if cause else None
        if action is not None and action.ref is None:
            return None
        waited = now - item.since
        if page is None and action is None and not ending:
            patience = otel_limits.OTLP_JOIN_SECONDS if record.during is not None else 0.0
            if isinstance(record, NetworkRecord) and is_document(record):
                patience = otel_limits.OTLP_LOAD_SECONDS
            if waited < patience:
                return None
        page = page or self._pages.of(record.source, record.ts)
        origin = self._origin_of(record.source, record.ts)
        near = action.ref if action else page.ref if page else None
        if isinstance(record, LogRecord):
            return exception_event(record, origin, near)
        inside = action is not None or (page is not None and page.covers(record.ts))
        return self._request(record, origin, near, inside=inside)

    def _request(self, record: NetworkRecord, origin: Origin, near: SpanRef | None, *, inside: bool) -> TraceSpan:
        """A request in the trace that its page named, else in that of what it belongs to, else in its own."""
        parent = carried_ref(record) or (near if inside else None)
        ref = self._new_ref() if parent is None else self._beside(parent)
        links = (near,) if near is not None and near.trace_id != ref.trace_id else ()
        return request_span(record, origin, ref, None if parent is None else parent.span_id, links)

    def _new_ref(self) -> SpanRef:
        # An id of zeros is invalid.
        return SpanRef(self._random_bits(128) or 1, self._random_bits(64) or 1)

    def _beside(self, ref: SpanRef) -> SpanRef:
        return SpanRef(ref.trace_id, self._new_ref().span_id)


def _cause(record: NetworkRecord | LogRecord, causes: RequestCauses) -> ActionRecord | None:
    return None if record.during is None else causes.of_event(record.source.tab_id, record.during)
