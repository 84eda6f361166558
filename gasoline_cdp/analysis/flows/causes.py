"""Which action led to a request or a change of the page: the one whose event the page was handling."""

from bisect import bisect_right
from collections.abc import Iterable

from attrs import frozen

from gasoline_cdp.analysis.flows.drafts import FlowRecords
from gasoline_cdp.records import ActionRecord, DomSnapshotRecord

# The clocks of a page's observers differ only by rounding.
_EVENT_SECONDS = 0.001
# Time between pressing a button or key and the action that is reported.
_PRESS_SECONDS = 1.5


@frozen
class _Span:
    begin: float
    end: float
    action: ActionRecord


class RequestCauses:
    """The actions of each tab by time."""

    def __init__(self, actions: Iterable[ActionRecord]) -> None:
        self._spans: dict[int, list[_Span]] = {}
        for action in sorted(actions, key=lambda action: (action.ts, action.seq)):
            # The press that follows hovering is the click's. When a person goes back, the page hears it before us.
            is_move = action.type == "navigate" and action.fields.get("how") == "history"
            if is_move or action.type not in {"navigate", "hover"}:
                span = _Span(action.ts - _EVENT_SECONDS, max(action.ts, action.until or 0.0) + _EVENT_SECONDS, action)
                self._spans.setdefault(action.source.tab_id, []).append(span)

    def of_event(self, tab: int, ts: float) -> ActionRecord | None:
        """The action that an event at this time was part of: it happened then, or the event was its beginning."""
        spans = self._spans.get(tab, [])
        index = bisect_right(spans, ts, key=lambda span: span.begin)
        if index and ts <= spans[index - 1].end:
            return spans[index - 1].action
        begun = spans[index] if index < len(spans) else None
        return begun.action if begun and begun.begin - ts <= _PRESS_SECONDS else None

    def of_change(self, snapshot: DomSnapshotRecord) -> ActionRecord | None:
        """The action after which the page changed."""
        spans = self._spans.get(snapshot.source.tab_id, [])
        index = bisect_right(spans, snapshot.ts, key=lambda span: span.begin)
        return spans[index - 1].action if index and snapshot.ts <= spans[index - 1].end else None

    def eventful(self, records: FlowRecords) -> set[int]:
        """Numbers of the actions that led to a request or a change."""
        called = (
            self.of_event(request.source.tab_id, request.during)
            for request in records.network
            if request.during is not None
        )
        changed = (self.of_change(shot) for shot in records.snapshots if shot.trigger == "action" and shot.elements)
        return {action.seq for action in (*called, *changed) if action is not None}
