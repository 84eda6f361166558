"""The result of a call in every form: as a record, as lines for readers, and as JSON for programs."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from attrs import evolve, field, frozen

from gasoline_cdp import wire
from gasoline_cdp.answers.event_lines import digest_lines
from gasoline_cdp.answers.lines import AnswerForm, Line, Rendered, cut_lines
from gasoline_cdp.answers.paging import shrink
from gasoline_cdp.answers.text import write_lines
from gasoline_cdp.errors import GasolineError


@frozen
class Image:
    """A picture that goes with an answer."""

    data: bytes
    mime: str


@frozen
class Illustrated:
    """Returned by an operation whose answer has pictures."""

    answer: object
    images: tuple[Image, ...]


@frozen
class Content:
    """The answer of an operation. Each form is rendered once, when it is first needed."""

    # An instance of the operation's answer class, or a `GasolineError`.
    record: object
    # A warning about the whole answer. It comes first.
    notice: str = ""
    # The last resort. Operations fit their answers themselves: they know what matters most.
    max_bytes: int | None = None

    @cached_property
    def _dumped(self) -> tuple[dict[str, Any], bytes]:
        data: dict[str, Any] = self.record.shape() if isinstance(self.record, GasolineError) else wire.dump(self.record)
        if self.notice:
            data = {"notice": self.notice, **data}
        json = wire.encode(data)
        if self.max_bytes is not None and len(json) > self.max_bytes:
            data = shrink(data, self.max_bytes)
            json = wire.encode(data)
        return data, json

    @property
    def data(self) -> dict[str, Any]:
        """As plain values."""
        return self._dumped[0]

    @property
    def json(self) -> bytes:
        """As JSON, encoded once."""
        return self._dumped[1]

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """As lines."""
        return tuple(self._lines())

    def _lines(self) -> Iterator[Line]:
        if self.notice:
            yield Line(self.notice, tone="warning")
        if isinstance(self.record, GasolineError):
            yield from _error_lines(self.record)
        elif isinstance(self.record, Rendered):
            yield from self.record.render()
        else:
            # A document for programs, such as a schema.
            yield Line(self.json.decode())

    @cached_property
    def text(self) -> str:
        """The lines as one text."""
        text = write_lines(self.lines)
        return text if self.max_bytes is None else cut_lines(text, self.max_bytes)


@frozen
class Answer:
    """The content, and what goes with it: pictures, and the events since this client's last call."""

    content: Content
    is_error: bool = False
    images: tuple[Image, ...] = ()
    events: dict[str, Any] = field(factory=dict)

    @property
    def record(self) -> object:
        """The operation's result."""
        return self.content.record

    @cached_property
    def data(self) -> dict[str, Any]:
        """As plain values."""
        return {**self.content.data, "events": self.events} if self.events else self.content.data

    @cached_property
    def json(self) -> bytes:
        """As JSON."""
        return wire.extend(self.content.json, {"events": self.events}) if self.events else self.content.json

    @property
    def lines(self) -> tuple[Line, ...]:
        """As lines, for callers that do their own layout."""
        return (*self.content.lines, *digest_lines(self.events))

    @cached_property
    def text(self) -> str:
        """As lines of text."""
        return "\n".join(filter(None, (self.content.text, write_lines(digest_lines(self.events)))))

    def size(self, form: AnswerForm) -> int:
        """Size in bytes, in the form that the client reads."""
        return len(self.json) if form == "json" else len(self.text.encode())

    def with_events(self, events: dict[str, Any]) -> "Answer":
        """The same answer with these events. The content is not rendered again."""
        return evolve(self, events=events)


def answer_of(record: object) -> Answer:
    """An answer that consists of one record."""
    return Answer(Content(record))


def failure(error: GasolineError) -> Answer:
    """An error in the one shape that all frontends use."""
    return Answer(Content(error), is_error=True)


def _error_lines(error: GasolineError) -> Iterator[Line]:
    yield Line(error.message, tag=f"{error.code.value}:", tone="error")
    for name, value in error.details.items():
        # The message already names every problem.
        if name != "problems" and value not in (None, "", [], {}):
            yield Line(f"{name}: {wire.encode(value).decode()}", tone="dim")
