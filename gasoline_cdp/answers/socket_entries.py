"""Events of WebSockets and EventSources in an answer: as entries and as lines."""

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from gasoline_cdp.analysis.sourcemaps.frames import ADDRESS_CHARS, cut
from gasoline_cdp.answers.amounts import clock, size
from gasoline_cdp.answers.lines import Line, Tone
from gasoline_cdp.answers.log_entries import BEFORE_CHANGE
from gasoline_cdp.answers.paging import iso
from gasoline_cdp.answers.quoting import folded, word, written_fields
from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.answers.source_fields import inside
from gasoline_cdp.records import SocketRecord

_LONG = {"headers", "request_headers"}
_OPENED = {101, 200}
_DETAIL_CHARS = 200
_TONES: dict[str, Tone] = {"error": "error", "message": "plain"}


# Without slots: made a thousand times for one answer, and three times faster.
@frozen(kw_only=True, slots=False)
class SocketEntry:
    """An event of a WebSocket or EventSource. `size` is the full size, `data` at most 4 KB of it."""

    ts: str
    event: str
    id: str
    url: str
    type: str
    direction: str | None = None
    data: str | None = None
    size: int = 0
    truncated: bool = False
    details: dict[str, Any] | None = None
    tab_id: int
    frame: str | None = None
    worker: str | None = None
    ingested_from: str | None = None
    before_change: bool = False

    def lines(self, shared: SharedFacts, chars: int) -> Iterator[Line]:
        """`ws1 → | {…}` for a message, `ws1 open /socket` for the rest."""
        where = (shared.inside(self), shared.tab(self.tab_id), BEFORE_CHANGE if self.before_change else "")
        if self.event == "message":
            # The data comes last, behind the mark, and needs no quotes there. Most of it is JSON, which has many.
            data = self.data or ""
            cut = f"{size(self.size)}, cut" if self.truncated or len(data) > chars else ""
            words = (*where, cut, folded(data, chars))
            tag = f"{self.id} {'→' if self.direction == 'outgoing' else '←'}"
        else:
            words = (shared.url(self.url), *where, self._details())
            tag = f"{self.id} {word(self.event)}"
        yield Line(" ".join(filter(None, words)), time=clock(self.ts), tag=tag, tone=_TONES.get(self.event, "action"))

    def _details(self) -> str:
        """Details of an open, an error or a close. Headers are only in the JSON."""
        known = {name: value for name, value in (self.details or {}).items() if name not in _LONG}
        if self.event == "open" and known.get("status") in _OPENED:
            del known["status"]
        return written_fields(known, _DETAIL_CHARS)


def show_socket(record: SocketRecord) -> SocketEntry:
    """A socket record as an entry."""
    return SocketEntry(**socket_fields(record))


def socket_fields(record: SocketRecord) -> dict[str, Any]:
    """What the entry says, in its order."""
    fields: dict[str, Any] = {
        "ts": iso(record.ts),
        "event": record.event,
        "id": record.connection_id,
        "url": cut(record.url, ADDRESS_CHARS),
        "type": record.kind,
    }
    if record.direction is not None:
        fields["direction"] = record.direction
    if record.data:
        fields["data"] = record.data
    if record.bytes:
        fields["size"] = record.bytes
    if record.truncated:
        fields["truncated"] = True
    if record.details:
        fields["details"] = record.details
    fields["tab_id"] = record.source.tab_id
    return fields | inside(record.source)
