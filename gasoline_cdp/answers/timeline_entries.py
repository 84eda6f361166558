"""Timeline events in an answer: as entries and as lines."""

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from gasoline_cdp import wire
from gasoline_cdp.answers.action_entries import written_action, written_element
from gasoline_cdp.answers.amounts import clock, duration
from gasoline_cdp.answers.lines import Line, Tone
from gasoline_cdp.answers.log_entries import BEFORE_CHANGE, without_uncaught
from gasoline_cdp.answers.network_entries import short_tag
from gasoline_cdp.answers.quoting import folded, quoted, word
from gasoline_cdp.answers.shared_facts import SharedFacts, home_of

_TONES: dict[str, Tone] = {"action": "action", "error": "error", "warning": "warning"}
# Kinds of message that need no tag beyond the level.
_ORDINARY = {None, "console"}


@frozen(kw_only=True)
class TimelineEntry:
    """One event. `event` is action, request, error, warning or change (of the code).

    The other views have the details. `before_change`: it failed, and the code of its tab has changed since.
    """

    ts: str
    event: str
    type: str | None = None
    element: str | None = None
    fields: dict[str, Any] | None = None
    id: str | None = None
    method: str | None = None
    url: str | None = None
    status: int | None = None
    outcome: str | None = None
    failure: str | None = None
    duration_ms: float | None = None
    # Keys and types of an API response.
    response_shape: Any = None
    message: str | None = None
    at: str | None = None
    tab_id: int
    frame: str | None = None
    worker: str | None = None
    before_change: bool = False

    def lines(self, shared: SharedFacts, chars: int) -> Iterator[Line]:
        """One line, with milliseconds: the order of events matters."""
        tag, text = {"action": self._action, "request": self._request}.get(self.event, self._message)(shared, chars)
        words = (text, shared.inside(self), shared.tab(self.tab_id), BEFORE_CHANGE if self.before_change else "")
        yield Line(
            " ".join(filter(None, words)),
            time=clock(self.ts, exact=True),
            tag=tag,
            place=shared.location(self.at, home=home_of(self)) if self.at else "",
            tone="error" if self.outcome not in {None, "pending"} else _TONES.get(self.event, "plain"),
        )
        if self.response_shape is not None:
            yield Line(folded(wire.encode(self.response_shape).decode(), chars), depth=1, tone="dim")

    def _action(self, shared: SharedFacts, _: int) -> tuple[str, str]:
        words = (written_element(self.element), written_action(self.fields or {}, shared))
        return word(self.type or "action"), " ".join(filter(None, words))

    def _request(self, shared: SharedFacts, chars: int) -> tuple[str, str]:
        words = (
            shared.url(self.url or ""),
            word(self.failure, chars) if self.failure else "",
            duration(self.duration_ms) if self.duration_ms is not None else "",
        )
        tag = f"{self.id} {short_tag(self.method or '', self.status, self.outcome)}".strip()
        return tag, " ".join(filter(None, words))

    def _message(self, _: SharedFacts, chars: int) -> tuple[str, str]:
        tag = self.event if self.type in _ORDINARY else word(self.type or "")
        return tag, quoted(without_uncaught(self.type, self.message or ""), chars)
