"""Significant events as lines: in the digest of an answer, and in the events resource."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gasoline_cdp.answers.amounts import clock
from gasoline_cdp.answers.lines import Line, note
from gasoline_cdp.answers.log_entries import repeated
from gasoline_cdp.answers.quoting import folded, quoted, word, written_fields
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.event_limits import STREAM_MESSAGE_CHARS

# Fields that the message already contains.
_IN_MESSAGE = {"message", "method", "status", "response_preview", "url", "tab_id", "request_id"}


def digest_lines(events: Mapping[str, Any]) -> Iterator[Line]:
    """The digest at the end of an answer. No lines if there were no events."""
    if not events:
        return
    yield Line(f"Since your last call: {number_of(events['total'], 'significant event')}.", tone="heading")
    yield from event_lines(events["entries"])
    if left_out := events.get("left_out"):
        yield note(f"{left_out} more: observe(what='errors') has them")


def event_lines(entries: Iterable[Mapping[str, Any]]) -> Iterator[Line]:
    """Events in the form that `Streaming.entry` returns."""
    for entry in entries:
        context = entry["context"]
        rest = {name: value for name, value in context.items() if name not in _IN_MESSAGE}
        words = (
            quoted(entry["message"], STREAM_MESSAGE_CHARS),
            word(context["request_id"]) if "request_id" in context else "",
            written_fields(rest, STREAM_MESSAGE_CHARS),
            f"tab {context['tab_id']}" if context.get("tab_id") else "",
            repeated(entry.get("count", 1)),
        )
        yield Line(
            " ".join(filter(None, words)), time=clock(entry["timestamp"]), tag=entry["category"], tone=entry["severity"]
        )
        if preview := context.get("response_preview"):
            yield Line(folded(str(preview), STREAM_MESSAGE_CHARS), depth=1, tone="dim")
