"""How records look in an answer: only what helps a reader, with their own names for things."""

from typing import Any

from attrs import frozen

from gasoline_cdp.analysis.sourcemaps.frames import ADDRESS_CHARS, cut, is_library, place_of
from gasoline_cdp.answers.paging import iso
from gasoline_cdp.answers.stack_lines import show_stack
from gasoline_cdp.records import (
    WRONG,
    ActionRecord,
    DomSnapshotRecord,
    LogRecord,
    NetworkRecord,
    SocketRecord,
    Source,
)

_MESSAGE_CHARS = 1500
_FRAMES_SHOWN = 5
# So much of a failed request's answer: most say what is wrong in their first words.
_BODY_CHARS = 300


@frozen(kw_only=True)
class LogEntry:
    """A console message, exception, rejection, browser message, error of a dev server's build, event, or code change.

    `at` and `stack` say where code was written, if a source map tells; runs of library code are counted. Of an error
    they say where it was made, and `logged_at` where it was logged. `depth` counts the console's open groups.
    `before_change`: an error, and the code of its tab has changed since.
    """

    ts: str
    level: str
    kind: str
    message: str
    at: str | None = None
    stack: list[str] | None = None
    logged_at: str | None = None
    depth: int = 0
    tab_id: int
    page: str
    frame: str | None = None
    worker: str | None = None
    ingested_from: str | None = None
    before_change: bool = False
    count: int = 1
    first_ts: str | None = None


@frozen(kw_only=True)
class NetworkEntry:
    """A request and its answer. Of one that failed, `at` is the page's code that made it, and `body` what came back.

    `before_change`: it failed, and the code of its tab has changed since.
    """

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
    at: str | None = None
    body: str | None = None
    # Of a request that the browser first asked leave for: how that went.
    preflight: dict[str, Any] | None = None
    # Made before we attached, and known by the page's own memory only: no method, headers or bodies.
    before_attach: bool = False
    tab_id: int
    frame: str | None = None
    worker: str | None = None
    ingested_from: str | None = None
    before_change: bool = False
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
    before_change: bool = False


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
    """One thing that happened. `event` is action, request, error, warning or change (of the code).

    Details are in the other views. `before_change`: it went wrong, and the code of its tab has changed since.
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
    # Keys and types of the answer to a call.
    response_shape: Any = None
    message: str | None = None
    at: str | None = None
    tab_id: int
    frame: str | None = None
    worker: str | None = None
    before_change: bool = False


def inside(source: Source) -> dict[str, Any]:
    """Which frame or worker of the tab a record comes from, or which origin posted it; nothing for the page itself."""
    if source.ingested_from:
        return {"ingested_from": source.ingested_from}
    if source.kind == "page":
        return {}
    where = cut(source.url, ADDRESS_CHARS)
    return {"frame": where} if source.kind == "iframe" else {"worker": f"{source.kind} {where}"}


def show_log(record: LogRecord) -> LogEntry:
    """A log record for an answer; stacks only where something went wrong."""
    frames, logged = record.frames, record.logged
    troubled = (record.level in {"error", "warning"} or record.method == "trace") and len(frames) > 1
    return LogEntry(
        ts=iso(record.ts),
        level=record.level,
        kind=record.kind,
        message=cut(record.text, _MESSAGE_CHARS),
        at=place_of(frames[0]) if frames else None,
        stack=show_stack(frames[1:], _FRAMES_SHOWN - 1) if troubled else None,
        logged_at=place_of(logged) if logged else None,
        depth=record.depth,
        tab_id=record.source.tab_id,
        page=cut(record.source.url, ADDRESS_CHARS),
        **inside(record.source),
    )


def show_network(
    record: NetworkRecord, preflight: NetworkRecord | None = None, *, body: str | None = None
) -> NetworkEntry:
    """A network record for an answer, with the preflight that went before it.

    One that failed tells which code made it, and `body` is what came back.
    """
    asked: dict[str, Any] | None = None
    caller = None
    if record.outcome in WRONG:
        caller = next((frame for frame in record.initiator_frames if not is_library(frame)), None)
    if preflight is not None:
        asked = {"status": preflight.status, "duration_ms": preflight.duration_ms, "id": preflight.id}
    return NetworkEntry(
        ts=iso(record.ts),
        id=record.id,
        kind="network",
        method=record.method,
        url=cut(record.url, ADDRESS_CHARS),
        status=record.status,
        outcome=record.outcome,
        failure=record.failure or None,
        type=record.type,
        mime=record.mime or None,
        duration_ms=record.duration_ms,
        bytes=record.encoded_bytes,
        from_cache=record.from_cache,
        from_service_worker=record.from_service_worker,
        redirect_to=cut(record.redirect_to, ADDRESS_CHARS) or None,
        redirected_from=cut(record.redirected_from, ADDRESS_CHARS) or None,
        has_auth_header=record.has_auth_header,
        initiator=record.initiator.partition(" ")[0] or None if caller else record.initiator or None,
        at=place_of(caller) if caller else None,
        body=cut(" ".join(body[: 4 * _BODY_CHARS].split()), _BODY_CHARS) if body else None,
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
        initiator_stack=show_stack(record.initiator_frames, _FRAMES_SHOWN) or None,
    )


def show_socket(record: SocketRecord) -> SocketEntry:
    """A socket record for an answer."""
    return SocketEntry(
        ts=iso(record.ts),
        event=record.event,
        id=record.connection_id,
        url=cut(record.url, ADDRESS_CHARS),
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
        url=cut(record.source.url, ADDRESS_CHARS),
        tab_id=record.source.tab_id,
        frame_id=record.source.frame_id or None,
    )


def show_dom_snapshot(record: DomSnapshotRecord) -> DomSnapshotEntry:
    """A DOM snapshot for an answer."""
    return DomSnapshotEntry(
        ts=iso(record.ts),
        url=cut(record.source.url, ADDRESS_CHARS),
        trigger=record.trigger,
        elements=list(record.elements),
        tab_id=record.source.tab_id,
    )
