"""How records look in an answer: only what helps a reader, with their own names for things."""

from typing import Any

from attrs import frozen

from gasoline_cdp.capture.page import Capture
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.records import (
    ActionRecord,
    BodyRecord,
    DomSnapshotRecord,
    LogRecord,
    NetworkRecord,
    SocketRecord,
    Source,
    StackFrame,
)
from gasoline_cdp.tools.paging import iso

_URL_CHARS = 300
_MESSAGE_CHARS = 1500
_FRAMES_SHOWN = 5


@frozen(kw_only=True)
class LogEntry:
    """A console message, exception, rejection, browser message, error of a dev server's build, or event.

    `at` and `stack` say where code was written if a source map tells, and `generated_at` then where it ran. Of an
    error they say where it was made, and `logged_at` where it was logged. `depth` counts the console's open groups.
    """

    ts: str
    level: str
    kind: str
    message: str
    at: str | None = None
    generated_at: str | None = None
    stack: list[str] | None = None
    logged_at: str | None = None
    depth: int = 0
    tab_id: int
    page: str
    frame: str | None = None
    worker: str | None = None
    ingested_from: str | None = None
    count: int = 1
    first_ts: str | None = None


@frozen(kw_only=True)
class NetworkEntry:
    """A request and its answer."""

    ts: str
    id: str
    kind: str
    method: str
    url: str
    status: int | None = None
    outcome: str
    failure: str | None = None
    type: str
    mime: str | None = None
    duration_ms: float | None = None
    bytes: int = 0
    from_cache: bool = False
    from_service_worker: bool = False
    redirect_to: str | None = None
    redirected_from: str | None = None
    has_auth_header: bool = False
    initiator: str | None = None
    # Of a request that the browser first asked leave for: how that went.
    preflight: dict[str, Any] | None = None
    # Made before we attached, and known by the page's own memory only: no method, headers or bodies.
    before_attach: bool = False
    tab_id: int
    frame: str | None = None
    worker: str | None = None
    ingested_from: str | None = None
    count: int = 1
    first_ts: str | None = None


@frozen(kw_only=True)
class NetworkDetail:
    """Everything known of one request."""

    request: NetworkEntry
    request_headers: dict[str, str]
    response_headers: dict[str, str]
    timing_ms: dict[str, float] | None = None
    protocol: str | None = None
    remote_address: str | None = None
    security: str | None = None
    initiator_stack: list[str] | None = None


@frozen(kw_only=True)
class BodyEntry:
    """The bodies of one request. `truncated`: more was sent or received than is shown; `resource` has the rest."""

    ts: str
    id: str
    method: str
    url: str
    status: int | None
    requestBody: str | None = None  # noqa: N815 - the field names of the original tool
    responseBody: str | None = None  # noqa: N815
    contentType: str | None = None  # noqa: N815
    duration: float | None = None
    # `base64` where a binary body was asked for by cursor.
    encoding: str | None = None
    truncated: bool = False
    resource: str | None = None
    missing: str | None = None
    tab_id: int
    ingested_from: str | None = None


@frozen(kw_only=True)
class SocketEntry:
    """An event of a WebSocket or EventSource. `size` is the true one, `data` at most 4 KB of it."""

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


@frozen(kw_only=True)
class ActionEntry:
    """What was done in a page, and by which selectors the element can be found again."""

    ts: str
    type: str
    selectors: dict[str, Any]
    fields: dict[str, Any]
    source: str
    url: str
    tab_id: int
    frame_id: str | None = None


@frozen(kw_only=True)
class DomSnapshotEntry:
    """What a page showed after it had loaded or moved."""

    ts: str
    url: str
    trigger: str
    elements: list[dict[str, Any]]
    tab_id: int


@frozen(kw_only=True)
class TimelineEntry:
    """One thing that happened. `event` is action, request, error or warning; details are in the other views."""

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
    # Keys and types of the answer to a call.
    response_shape: Any = None
    message: str | None = None
    at: str | None = None
    tab_id: int
    frame: str | None = None
    worker: str | None = None


@frozen(kw_only=True)
class TabEntry:
    """An open tab. `complete_from` tells whether its requests are known from the start or only since attaching."""

    tab_id: int
    url: str
    title: str
    state: str
    navigations: int
    complete_from: str
    opener_tab_id: int | None = None
    dialog: str | None = None
    latest: bool = False


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit] + "…"


def place(frame: StackFrame) -> str:
    """A stack frame in the form that editors make clickable."""
    where = f"{_cut(frame.url, _URL_CHARS) or '<anonymous>'}:{frame.line}:{frame.column}"
    return f"{frame.function} ({where})" if frame.function else where


def inside(source: Source) -> dict[str, Any]:
    """Which frame or worker of the tab a record comes from, or which origin posted it; nothing for the page itself."""
    if source.ingested_from:
        return {"ingested_from": source.ingested_from}
    if source.kind == "page":
        return {}
    where = _cut(source.url, _URL_CHARS)
    return {"frame": where} if source.kind == "iframe" else {"worker": f"{source.kind} {where}"}


def show_log(record: LogRecord, capture: Capture | None = None) -> LogEntry:
    """A log record for an answer, with what `capture` has found out since; stacks only where something went wrong."""
    frames, logged = record.frames, record.logged
    troubled = (record.level in {"error", "warning"} or record.method == "trace") and len(frames) > 1

    def written(frame: StackFrame) -> StackFrame:
        return (capture and capture.source_maps.lookup(record.source, frame)) or frame

    return LogEntry(
        ts=iso(record.ts),
        level=record.level,
        kind=record.kind,
        message=_cut(capture.objects.text_of(record) if capture else record.text, _MESSAGE_CHARS),
        at=place(written(frames[0])) if frames else None,
        generated_at=place(frames[0]) if frames and written(frames[0]) is not frames[0] else None,
        stack=[place(written(frame)) for frame in frames[1:_FRAMES_SHOWN]] if troubled else None,
        logged_at=place(written(logged)) if logged else None,
        depth=record.depth,
        tab_id=record.source.tab_id,
        page=_cut(record.source.url, _URL_CHARS),
        **inside(record.source),
    )


def show_network(record: NetworkRecord, preflight: NetworkRecord | None = None) -> NetworkEntry:
    """A network record for an answer, with the preflight that went before it."""
    asked: dict[str, Any] | None = None
    if preflight is not None:
        asked = {"status": preflight.status, "duration_ms": preflight.duration_ms, "id": preflight.id}
    return NetworkEntry(
        ts=iso(record.ts),
        id=record.id,
        kind="network",
        method=record.method,
        url=_cut(record.url, _URL_CHARS),
        status=record.status,
        outcome=record.outcome,
        failure=record.failure or None,
        type=record.type,
        mime=record.mime or None,
        duration_ms=record.duration_ms,
        bytes=record.encoded_bytes,
        from_cache=record.from_cache,
        from_service_worker=record.from_service_worker,
        redirect_to=_cut(record.redirect_to, _URL_CHARS) or None,
        redirected_from=_cut(record.redirected_from, _URL_CHARS) or None,
        has_auth_header=record.has_auth_header,
        initiator=record.initiator or None,
        preflight=asked,
        before_attach=record.before_attach,
        tab_id=record.source.tab_id,
        **inside(record.source),
    )


def show_network_detail(record: NetworkRecord) -> NetworkDetail:
    """A network record with headers and timing."""
    timing: dict[str, Any] | None = None
    if record.timing is not None:
        phases = ("queued", "dns", "connect", "tls", "send", "wait", "receive")
        timing = {name: value for name in phases if (value := getattr(record.timing, name)) >= 0}
    return NetworkDetail(
        request=show_network(record),
        request_headers=record.request_headers,
        response_headers=record.response_headers,
        timing_ms=timing,
        protocol=record.protocol or None,
        remote_address=record.remote_address or None,
        security=record.security or None,
        initiator_stack=[place(frame) for frame in record.initiator_frames[:_FRAMES_SHOWN]] or None,
    )


def body_resource(request_id: str, *, sent: bool = False) -> str:
    """Where a client reads a body whole, which need not enter an answer."""
    return f"gasoline://network/{request_id}/{'request' if sent else 'response'}-body"


def show_body(record: BodyRecord) -> BodyEntry:
    """A body record for an answer."""
    return BodyEntry(
        ts=iso(record.ts),
        id=record.id,
        method=record.method,
        url=_cut(record.url, _URL_CHARS),
        status=record.status,
        requestBody=record.request_body,
        responseBody=record.response_body,
        contentType=record.content_type or None,
        duration=record.duration_ms,
        truncated=record.request_truncated or record.response_truncated,
        resource=(
            body_resource(record.id, sent=not record.response_truncated)
            if record.request_truncated or record.response_truncated
            else None
        ),
        missing=record.missing or None,
        tab_id=record.source.tab_id,
        ingested_from=record.source.ingested_from or None,
    )


def show_socket(record: SocketRecord) -> SocketEntry:
    """A socket record for an answer."""
    return SocketEntry(
        ts=iso(record.ts),
        event=record.event,
        id=record.connection_id,
        url=_cut(record.url, _URL_CHARS),
        type=record.kind,
        direction=record.direction,
        data=record.data or None,
        size=record.bytes,
        truncated=record.truncated,
        details=record.details or None,
        tab_id=record.source.tab_id,
        **inside(record.source),
    )


def show_action(record: ActionRecord) -> ActionEntry:
    """An action for an answer."""
    return ActionEntry(
        ts=iso(record.ts),
        type=record.type,
        selectors=record.selectors,
        fields=record.fields,
        source=record.by,
        url=_cut(record.source.url, _URL_CHARS),
        tab_id=record.source.tab_id,
        frame_id=record.source.frame_id or None,
    )


def show_dom_snapshot(record: DomSnapshotRecord) -> DomSnapshotEntry:
    """A DOM snapshot for an answer."""
    return DomSnapshotEntry(
        ts=iso(record.ts),
        url=_cut(record.source.url, _URL_CHARS),
        trigger=record.trigger,
        elements=list(record.elements),
        tab_id=record.source.tab_id,
    )


def show_tab(tab: Tab, *, latest: bool) -> TabEntry:
    """A tab for an answer."""
    return TabEntry(
        tab_id=tab.tab_id,
        url=_cut(tab.source.url, _URL_CHARS),
        title=tab.title,
        state=tab.state,
        navigations=tab.source.navigation,
        complete_from="start" if tab.seen_from_start else "attach",
        opener_tab_id=tab.opener or None,
        dialog=tab.dialog or None,
        latest=latest,
    )
