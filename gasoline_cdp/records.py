"""What the store keeps: one frozen record for each thing that Chrome reported, already safe to show."""

from collections.abc import Hashable
from sys import getsizeof
from typing import Any, Literal

from attrs import field, frozen

from gasoline_cdp.measures import (
    FrameValues,
    LoadTiming,
    LongTasks,
    NetworkTotals,
    Resource,
    Timing,
    Vital,
    VitalName,
    WireSizes,
)

Level = Literal["error", "warning", "info", "log", "debug"]
LogKind = Literal["console", "exception", "rejection", "browser", "build", "event", "change", "logpoint"]
# What we say ourselves of a tab: nothing that its page did.
OWN_WORDS: frozenset[LogKind] = frozenset({"event", "change"})
TargetKind = Literal["page", "iframe", "worker", "shared_worker", "service_worker"]
NetworkOutcome = Literal[
    "ok", "redirect", "http_error", "failed", "aborted", "blocked", "cors_blocked", "unknown", "pending"
]
# Outcomes without a response that the page did not cause; and outcomes that count as errors.
LOST: frozenset[NetworkOutcome] = frozenset({"failed", "blocked", "cors_blocked"})
WRONG: frozenset[NetworkOutcome] = LOST | {"http_error"}

FIRST_BROWSER = "b1"  # the daemon's own; attached ones are b2, b3 and so on

# Bytes of a record besides its text, for the size of a ring: measured on full rings, rounded up. Text of a page is
# weighed by its real size: one character beyond Latin-1 makes every character two or four bytes wide.
_LOG_OVERHEAD, _NETWORK_OVERHEAD, _BODY_OVERHEAD, _SOCKET_OVERHEAD, _ACTION_OVERHEAD = 400, 1200, 600, 500, 600


@frozen
class Source:
    """Where a record comes from. All records of a target between two navigations share one object."""

    tab_id: int
    kind: TargetKind
    url: str
    navigation: int
    target_id: str = ""
    # The id of a frame inside the page; empty for the page itself and for workers.
    frame_id: str = ""
    # The origin whose script posted it to us, if it does not come from the browser.
    ingested_from: str = ""
    # The browser; empty for what was posted to us, since any browser may have done that. All sources of a browser share
    # one string.
    browser_id: str = FIRST_BROWSER
    # The browser context, which is what a test owns: a profile of its own with its pages and workers. For what was
    # posted to us: as the sender says. Empty if unknown.
    context_id: str = ""

    @property
    def lane(self) -> Hashable:
        """The unit of fairness within a browser context: a page, frame or worker, across its navigations."""
        return self.frame_id or self.target_id

    @property
    def group(self) -> tuple[str, str]:
        """The unit of fairness in a ring: a browser context."""
        return self.browser_id, self.context_id


@frozen
class StackFrame:
    """One line of a stack, counted from 1 as editors do."""

    function: str
    url: str
    line: int
    column: int
    # The source map marks it as library code. For unmapped frames the address decides.
    library: bool = False
    # Many messages share a frame, so compute its size once.
    size: int = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "size", getsizeof(self.function) + getsizeof(self.url) + 40)


class _Sourced:
    """A record that a ring groups by its source."""

    __slots__ = ()
    source: Source

    @property
    def lane(self) -> Hashable:
        """See `Ring`."""
        return self.source.lane

    @property
    def group(self) -> Hashable:
        """See `Ring`."""
        return self.source.group


@frozen(kw_only=True)
class LogRecord(_Sourced):
    """A message of the console, the browser or a build, or an event of a tab, such as a change of its code."""

    seq: int
    ts: float
    source: Source
    kind: LogKind
    level: Level
    text: str
    method: str = ""
    frames: tuple[StackFrame, ...] = ()
    # Where an error was logged. Its frames say where it was created.
    logged: StackFrame | None = None
    # How many console groups it is nested in.
    depth: int = 0
    # When the user event began that the page was handling.
    during: float | None = None
    # The variables where it was thrown, innermost frame first, if they were read.
    values: tuple[FrameValues, ...] = ()
    size: int = field(init=False, eq=False, repr=False)

    @property
    def logging_frame(self) -> StackFrame | None:
        """The code that logged it, if code did."""
        return self.logged or (self.frames[0] if self.frames else None)

    @property
    def location(self) -> str:
        """File and line of the code that logged it, or the page if no code did."""
        frame = self.logging_frame
        if frame is None:
            return self.source.url
        address = frame.url.partition("?")[0]
        return f"{address.rpartition('/')[2] or address or '<anonymous>'}:{frame.line}"

    def __attrs_post_init__(self) -> None:
        size = _LOG_OVERHEAD + getsizeof(self.text)
        for frame in self.frames if self.logged is None else (*self.frames, self.logged):
            size += frame.size
        size += sum(getsizeof(one.variables) + getsizeof(one.url) for one in self.values) if self.values else 0
        object.__setattr__(self, "size", size)


@frozen(kw_only=True)
class NetworkRecord(_Sourced):
    """One request with its response, without bodies. Each hop of a redirect is a record."""

    seq: int
    id: str
    ts: float
    source: Source
    method: str
    url: str
    type: str
    outcome: NetworkOutcome
    status: int | None = None
    status_text: str = ""
    failure: str = ""
    mime: str = ""
    protocol: str = ""
    remote_address: str = ""
    from_cache: bool = False
    from_service_worker: bool = False
    redirect_to: str = ""
    redirected_from: str = ""
    request_headers: dict[str, str] = field(factory=dict)
    response_headers: dict[str, str] = field(factory=dict)
    has_auth_header: bool = False
    # For documents: identifies it among others at the same address, and stays when the page rewrites its URL.
    loader_id: str = ""
    duration_ms: float | None = None
    timing: Timing | None = None
    encoded_bytes: int = 0
    decoded_bytes: int = 0
    # None if it was made before we attached.
    sizes: WireSizes | None = None
    initiator: str = ""
    initiator_frames: tuple[StackFrame, ...] = ()
    # "secure", "neutral", "insecure" or "unknown", as the browser judges the connection.
    security: str = ""
    # For a preflight: the id of the request it belongs to.
    preflight_for: str = ""
    # Made before we attached. Known only from what the page remembers.
    before_attach: bool = False
    during: float | None = None
    # For a 304 that the browser answered from its cache: the status of the cached response, which the page got.
    cached_status: int | None = None
    mocked: bool = False  # by set_conditions
    size: int = field(init=False, eq=False, repr=False)

    @property
    def page_status(self) -> int | None:
        """The status that the page got. Judge this one: with a cache, a 304 is a success for the page."""
        return self.cached_status or self.status

    def __attrs_post_init__(self) -> None:
        headers = sum(
            getsizeof(name) + getsizeof(value) + 40
            for name, value in (*self.request_headers.items(), *self.response_headers.items())
        )
        text = sum(map(getsizeof, (self.url, self.redirect_to, self.redirected_from, self.failure)))
        object.__setattr__(self, "size", _NETWORK_OVERHEAD + text + headers)


@frozen(kw_only=True)
class BodyRecord(_Sourced):
    """Both bodies of one request, cut to the limits and redacted."""

    seq: int
    id: str
    ts: float
    source: Source
    method: str
    url: str
    status: int | None
    content_type: str
    duration_ms: float | None
    request_body: str | None
    response_body: str | None
    request_truncated: bool = False
    response_truncated: bool = False
    # Why there is no response body although one was wanted.
    missing: str = ""
    mocked: bool = False
    size: int = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        text = getsizeof(self.url) + getsizeof(self.request_body) + getsizeof(self.response_body)
        object.__setattr__(self, "size", _BODY_OVERHEAD + text)


SocketEvent = Literal["open", "message", "close", "error"]
Direction = Literal["incoming", "outgoing"]


@frozen(kw_only=True)
class SocketRecord(_Sourced):
    """An event of a WebSocket or an EventSource, messages included."""

    seq: int
    ts: float
    source: Source
    connection_id: str
    url: str
    event: SocketEvent
    kind: Literal["websocket", "eventsource"] = "websocket"
    direction: Direction | None = None
    data: str = ""
    bytes: int = 0
    truncated: bool = False
    # The handshake of an `open`, code and reason of a `close` if known, the text of an `error`.
    details: dict[str, Any] = field(factory=dict)
    size: int = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        text = getsizeof(self.data) + getsizeof(self.url)
        text += sum(getsizeof(str(value)) + 60 for value in self.details.values())
        object.__setattr__(self, "size", _SOCKET_OVERHEAD + text)

    @property
    def lane(self) -> Hashable:
        """So that one busy socket does not push out the others."""
        return self.connection_id


@frozen(kw_only=True)
class ActionRecord(_Sourced):
    """Something that a person (or an assistant) did in a page."""

    seq: int
    ts: float
    source: Source
    type: str
    selectors: dict[str, Any]
    fields: dict[str, Any]  # of this type: x, y, text, value, key, from_url, …
    by: Literal["human", "ai"] = "human"
    # For a click: whether the page has changed since the previous click.
    page_changed: bool = False
    # For typing: when it ended. It began at `ts`.
    until: float | None = None
    size: int = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        text = sum(getsizeof(str(value)) + 80 for value in (*self.selectors.values(), *self.fields.values()))
        object.__setattr__(self, "size", _ACTION_OVERHEAD + text)


@frozen(kw_only=True)
class DomSnapshotRecord(_Sourced):
    """What a page showed after it loaded, changed its address or was acted on: headings, marked elements, texts."""

    seq: int
    ts: float
    source: Source
    trigger: Literal["load", "history", "action"]
    # Each {"role": "heading" | "test_id" | "text" | "gone", "text", "selector"}. After an action: only what it changed.
    elements: tuple[dict[str, Any], ...]
    # {"region": {"kind", "value", "attribute"}, "nodes": [...]}: roles, names and texts that changed, in their order.
    # A node is a text, or {"role", "name", "level", "checked", "children"}.
    outline: dict[str, Any] | None = None
    size: int = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        text = sum(getsizeof(str(value)) + 80 for element in self.elements for value in element.values())
        outline = 3 * getsizeof(str(self.outline)) if self.outline else 0
        object.__setattr__(self, "size", _ACTION_OVERHEAD + text + outline)


@frozen(kw_only=True)
class VitalsRecord(_Sourced):
    """How a page has loaded, shifted and responded so far. Each report of a page replaces its previous one."""

    seq: int
    ts: float
    source: Source
    # One navigation: the load of a document, its return from the back/forward cache, or a route change.
    page_id: str
    soft_navigation: bool
    navigation_type: str
    url: str
    # The page was in the background when the navigation began.
    hidden: bool
    vitals: dict[VitalName, Vital]
    long_tasks: LongTasks


@frozen(kw_only=True)
class PerformanceRecord(_Sourced):
    """What a navigation cost, recorded when it has settled. Later vitals are filled in."""

    seq: int
    ts: float
    source: Source
    page_id: str
    url: str
    path: str
    soft_navigation: bool
    timing: LoadTiming
    network: NetworkTotals
    long_tasks: LongTasks
    cumulative_layout_shift: float | None
    # The first resources of the load, to compare two loads.
    resources: tuple[Resource, ...] = ()
    # Recorded when the page was left before it settled. What it would have done later is missing.
    left_early: bool = False


_Event = LogRecord | NetworkRecord | BodyRecord | SocketRecord | ActionRecord
Record = _Event | DomSnapshotRecord | VitalsRecord | PerformanceRecord
