"""Records as spans and log records, in the words of OpenTelemetry's semantic conventions, version 1.44.

Records are redacted, and nothing but records goes in here. Names that begin with `gasoline.` are our own, for what the
conventions have no name for.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import urlsplit

from gasoline_cdp import otel_limits
from gasoline_cdp.analysis.normalise import without_ids
from gasoline_cdp.analysis.performance.loads import path_of, rate
from gasoline_cdp.measures import LongTasks, VitalName
from gasoline_cdp.otel.signals import LogEvent, Origin, SpanRef, TraceSpan, Value
from gasoline_cdp.records import ActionRecord, LogRecord, NetworkRecord, PerformanceRecord, VitalsRecord

# Other methods are `_OTHER`: that keeps what backends group by small.
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE", "QUERY"}
_PROTOCOLS = {
    "http/1.0": "1.0",
    "http/1.1": "1.1",
    "h2": "2",
    "h3": "3",
}
_PORTS = {"http": 80, "https": 443}
# `Uncaught (in promise) TypeError: x is not a function`
_EXCEPTION = re.compile(r"(?:Uncaught )?(?:\(in promise\) )?(?:([A-Za-z_$][\w$.]{0,99}): )?(.*)", re.DOTALL)
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?", re.ASCII)
_NOT_A_VERSION = "ff"


def carried_ref(record: NetworkRecord) -> SpanRef | None:
    """The trace and span that the page named in a request's `traceparent` header, if it is a valid one."""
    text = next((value for name, value in record.request_headers.items() if name.lower() == "traceparent"), "")
    match = _TRACEPARENT.fullmatch(text)
    if match is None or text.startswith(_NOT_A_VERSION):
        return None
    ref = SpanRef(int(match[1], 16), int(match[2], 16))
    return ref if ref.trace_id and ref.span_id else None


def request_span(
    record: NetworkRecord,
    origin: Origin,
    ref: SpanRef,
    parent_id: int | None,
    links: tuple[SpanRef, ...],
) -> TraceSpan:
    """An HTTP client span. Its name has the path without ids, as backends group by it."""
    known = record.method in _METHODS
    template = without_ids(path_of(record.url))
    attributes: dict[str, Value | None] = {
        "http.request.method": record.method if known else "_OTHER",
        "http.request.method_original": None if known else record.method,
        "url.full": record.url,
        "url.template": template,
        **_server(record.url),
        **_peer(record.remote_address),
        "http.response.status_code": record.page_status,
        "error.type": _error_type(record),
        "gasoline.request.id": record.id,
        "gasoline.request.type": record.type.lower(),
        "gasoline.request.from_cache": record.from_cache or None,
        "gasoline.request.mocked": record.mocked or None,
        "gasoline.tab.id": record.source.tab_id,
    }
    if version := _PROTOCOLS.get(record.protocol.lower()):
        attributes |= {"network.protocol.name": "http", "network.protocol.version": version}
    for name, size in (("request", "request_body"), ("response", "response_body")):
        if record.sizes is not None and getattr(record.sizes, size) >= 0:
            attributes[f"http.{name}.body.size"] = int(getattr(record.sizes, size))
    return TraceSpan(
        origin=origin,
        name=f"{record.method if known else 'HTTP'} {template}",
        ref=ref,
        parent_id=parent_id,
        kind="client",
        start=record.ts,
        end=end_of(record),
        attributes=_given(attributes),
        links=links,
        failed=_error_type(record) is not None,
    )


def end_of(record: NetworkRecord) -> float:
    """When a request ended, as far as it is known."""
    return record.ts + (record.duration_ms or 0.0) / 1000


def _error_type(record: NetworkRecord) -> str | None:
    status = record.page_status
    if record.outcome not in {"ok", "redirect", "http_error", "pending"}:
        return record.failure or record.outcome
    return str(status) if status is not None and status >= 400 else None


def _server(url: str) -> dict[str, Value | None]:
    try:
        parts = urlsplit(url)
        return {"server.address": parts.hostname, "server.port": parts.port or _PORTS.get(parts.scheme)}
    except ValueError:
        # Something in it was masked.
        return {}


def _peer(address: str) -> dict[str, Value | None]:
    host, _, port = address.rpartition(":")
    return {"network.peer.address": host, "network.peer.port": int(port)} if host and port.isdecimal() else {}


def action_span(record: ActionRecord, origin: Origin, ref: SpanRef, end: float) -> TraceSpan:
    """What a person, or an assistant, did: until the last request was answered that it led to."""
    selectors = record.selectors
    named = next(
        (selectors[key] for key in ("label", "text", "id", "css") if isinstance(selectors.get(key), str)), None
    )
    css = selectors.get("css")
    attributes: dict[str, Value | None] = {
        "gasoline.action.type": record.type,
        "gasoline.action.element": named,
        "gasoline.action.css": css if isinstance(css, str) else None,
        "gasoline.action.by": record.by,
        "browser.document.url.full": record.source.url,
        "gasoline.tab.id": record.source.tab_id,
    }
    return TraceSpan(
        origin=origin,
        name=record.type,
        ref=ref,
        start=record.ts,
        end=max(end, record.until or 0.0, record.ts),
        attributes=_given(attributes),
    )


def load_span(record: PerformanceRecord, origin: Origin, ref: SpanRef, start: float, end: float) -> TraceSpan:
    """The load of a document: from its first request until its load event, or as far as it came."""
    timing = record.timing
    attributes: dict[str, Value | None] = {
        "browser.document.url.full": record.url,
        "gasoline.load.dom_interactive_ms": timing.dom_interactive,
        "gasoline.load.dom_content_loaded_ms": timing.dom_content_loaded,
        "gasoline.load.load_ms": timing.load,
        "gasoline.load.requests": record.network.request_count,
        "gasoline.load.transfer_bytes": record.network.transfer_size,
        "gasoline.load.blocking_ms": record.long_tasks.total_blocking_time,
        "gasoline.load.left_early": record.left_early or None,
        "gasoline.tab.id": record.source.tab_id,
    }
    return TraceSpan(
        origin=origin,
        name=f"load {without_ids(record.path)}",
        ref=ref,
        start=start,
        end=end,
        attributes=_given(attributes),
    )


def long_task_spans(
    tasks: LongTasks,
    origin: Origin,
    load: SpanRef,
    began: float,
    seen: set[float],
    ref_in: Callable[[SpanRef], SpanRef],
) -> Iterator[TraceSpan]:
    """Each long task that was not exported yet, inside the load of its page."""
    for task in tasks.entries:
        if task["start"] in seen:
            continue
        seen.add(task["start"])
        script = task.get("script") or {}
        start = began + task["start"] / 1000
        attributes: dict[str, Value | None] = {
            "gasoline.long_task.duration_ms": task["duration"],
            "gasoline.long_task.script": script.get("url"),
            "gasoline.long_task.function": script.get("function"),
            "gasoline.long_task.invoker": script.get("invoker"),
        }
        yield TraceSpan(
            origin=origin,
            name="gasoline.long_task",
            ref=ref_in(load),
            parent_id=load.span_id,
            start=start,
            end=start + task["duration"] / 1000,
            attributes=_given(attributes),
        )


def vital_events(
    record: VitalsRecord, origin: Origin, ref: SpanRef | None, reported: dict[VitalName, float]
) -> Iterator[LogEvent]:
    """A `browser.web_vital` event for each metric that changed since it was exported."""
    for name, vital in record.vitals.items():
        before = reported.get(name)
        if before == vital.value:
            continue
        reported[name] = vital.value
        yield LogEvent(
            origin=origin,
            ts=record.ts,
            severity="info",
            event_name="browser.web_vital",
            attributes=_given(
                {
                    "browser.web_vital.name": name.lower(),
                    "browser.web_vital.value": float(vital.value),
                    "browser.web_vital.delta": float(vital.value - (before or 0.0)),
                    "browser.web_vital.id": f"{record.page_id}-{name.lower()}",
                    "browser.web_vital.rating": rate(name, vital.value),
                    "browser.web_vital.navigation_type": record.navigation_type,
                    "browser.document.url.full": record.url,
                    "gasoline.tab.id": record.source.tab_id,
                }
            ),
            ref=ref,
        )


def exception_event(record: LogRecord, origin: Origin, ref: SpanRef | None) -> LogEvent:
    """An uncaught exception or an unhandled rejection."""
    match = _EXCEPTION.fullmatch(record.text)
    kind, message = (match[1], match[2]) if match else (None, record.text)
    return LogEvent(
        origin=origin,
        ts=record.ts,
        severity="error",
        body=record.text[: otel_limits.OTLP_TEXT_CHARS],
        attributes=_given(
            {
                "exception.type": kind,
                "exception.message": message,
                "exception.stacktrace": "\n".join(_stack(record)) or None,
                "browser.document.url.full": record.source.url,
                "gasoline.tab.id": record.source.tab_id,
            }
        ),
        ref=ref,
    )


def _stack(record: LogRecord) -> Iterator[str]:
    """As V8 writes it."""
    if record.frames:
        yield record.text
    for frame in record.frames:
        where = f"{frame.url}:{frame.line}:{frame.column}"
        yield f"    at {frame.function} ({where})" if frame.function else f"    at {where}"


def _given(attributes: dict[str, Value | None]) -> dict[str, Value]:
    """The attributes that have a value. Long text is cut."""
    return {name: _cut(value) for name, value in _present(attributes.items())}


def _present(items: Iterable[tuple[str, Value | None]]) -> Iterator[tuple[str, Value]]:
    return ((name, value) for name, value in items if value is not None and value != "")


def _cut(value: Value) -> Value:
    return value[: otel_limits.OTLP_TEXT_CHARS] if isinstance(value, str) else value
