"""An event worth reporting, and how it names requests, pages and errors."""

from typing import Any, Literal

from attrs import field, frozen

from gasoline_cdp import event_limits
from gasoline_cdp.analysis.normalise import origin_of
from gasoline_cdp.analysis.performance.loads import path_of
from gasoline_cdp.records import ActionRecord, BodyRecord, LogRecord, NetworkRecord, Source

Category = Literal["errors", "network_errors", "performance", "user_frustration", "security"]
Severity = Literal["error", "warning"]


@frozen(kw_only=True)
class Event:
    """Something significant. `message` and `context` contain text of pages. Equal events have an equal `key`."""

    category: Category
    severity: Severity
    message: str
    ts: float
    key: str
    # Where it happened, for subscribers to certain addresses only.
    urls: tuple[str, ...] = ()
    context: dict[str, Any] = field(factory=dict)
    count: int = 1
    # The record it is about, if more may be learned about that record later.
    record: LogRecord | ActionRecord | None = field(default=None, eq=False, repr=False)


def network_event(record: NetworkRecord, severity: Severity, message: str, **more: Any) -> Event:
    """A failed request. `more` is added if known."""
    return Event(
        category="network_errors",
        severity=severity,
        message=message,
        ts=record.ts,
        key=message,
        urls=(record.url, record.source.url),
        context={**request_context(record), **{name: value for name, value in more.items() if value is not None}},
    )


def request_context(record: NetworkRecord | BodyRecord) -> dict[str, Any]:
    """Fields that identify a request in an event."""
    status = {"status": record.status} if record.status is not None else {}
    return {
        "method": record.method,
        "url": cut(record.url, event_limits.STREAM_MESSAGE_CHARS),
        **status,
        "request_id": record.id,
        "tab_id": record.source.tab_id,
    }


def where(source: Source) -> dict[str, Any]:
    """Fields that identify a page in an event."""
    return {"url": cut(source.url, event_limits.STREAM_MESSAGE_CHARS), "tab_id": source.tab_id}


def shown_address(record: NetworkRecord | BodyRecord) -> str:
    """The address of a request without its query: the path, with the host if it is not the page's own."""
    origin = origin_of(record.url)
    path = path_of(record.url) if origin else record.url
    own = origin == origin_of(record.source.url)
    return cut(path if own else origin + path, event_limits.STREAM_PREVIEW_CHARS)


def headline(record: LogRecord) -> str:
    """The first line of a log message."""
    return cut(record.text.strip().partition("\n")[0], event_limits.STREAM_MESSAGE_CHARS)


def cut(text: str, limit: int) -> str:
    """The text, cut to the length that an event allows."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
