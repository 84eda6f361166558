"""How full each ring buffer is, for the status."""

from collections.abc import Iterator
from typing import Any

from attrs import field, frozen

from gasoline_cdp.answers.amounts import size
from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.quoting import quoted
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.records import SocketRecord, Source
from gasoline_cdp.store.ring import Ring

_NAME_CHARS = 100


@frozen(kw_only=True)
class SourceAnswer:
    """A page, frame, worker or socket: records received since it last had none here, and records kept."""

    source: str
    received: int
    kept: int


@frozen(kw_only=True)
class BufferAnswer:
    """One ring buffer: records received, kept and dropped."""

    received: int
    kept: int
    dropped: int
    bytes: int
    max_entries: int
    # The busiest sources, if there is more than one; the cursor of the answer leads to the next ones.
    by_source: list[SourceAnswer] = field(factory=list)
    sources_left_out: int = 0

    def lines(self, name: str) -> Iterator[Line]:
        """How full it is. Its sources only if records were dropped."""
        kept = f"{self.kept} kept of {self.received}, {size(self.bytes)}"
        if not self.dropped:
            yield Line(kept, tag=name)
            return
        yield Line(f"{kept}; {self.dropped} dropped, room for {self.max_entries}", tag=name, tone="warning")
        for source in self.by_source:
            yield Line(f"{source.kept} kept of {source.received} {quoted(source.source, _NAME_CHARS)}", depth=1)
        if self.sources_left_out:
            yield Line(f"and {number_of(self.sources_left_out, 'more source')}", depth=1)


def show_buffer(ring: Ring[Any], start: int, end: int) -> BufferAnswer:
    """One ring with its busiest sources from `start` to `end`."""
    return BufferAnswer(
        received=ring.received,
        kept=len(ring),
        dropped=ring.dropped,
        bytes=ring.bytes,
        max_entries=ring.max_entries,
        by_source=_by_source(ring, start, end),
        sources_left_out=max(0, len(ring.by_lane()) - end),
    )


def _by_source(ring: Ring[Any], start: int, end: int) -> list[SourceAnswer]:
    lanes = ring.by_lane()
    if len(lanes) < 2:
        return []
    busiest = sorted(lanes.values(), key=lambda lane: -lane[1])[start:end]
    return [SourceAnswer(source=_name(newest), received=received, kept=kept) for newest, received, kept in busiest]


def _name(record: Any) -> str:
    """The name of a source: its socket, or its kind and URL."""
    if isinstance(record, SocketRecord):
        return f"{record.connection_id} {record.url[:_NAME_CHARS]}"
    source: Source = record.source
    if source.ingested_from:
        return f"posted by {source.ingested_from[:_NAME_CHARS]}"
    return f"tab {source.tab_id} {source.kind} {source.url[:_NAME_CHARS]}".strip() if source.tab_id else "browser"
