"""What the store keeps: one frozen record for each thing that Chrome reported, already safe to show."""

from collections.abc import Hashable
from sys import getsizeof
from typing import Any, Literal

from attrs import field, frozen

from gasoline_cdp.measures import LoadTiming, LongTasks, NetworkTotals, Resource, Timing, Vital, VitalName

Level = Literal["error", "warning", "info", "log", "debug"]
LogKind = Literal["console", "exception", "rejection", "browser", "build", "event", "change"]
# What we say ourselves of a tab: nothing that its page did.
OWN_WORDS: frozenset[LogKind] = frozenset({"event", "change"})
TargetKind = Literal["page", "iframe", "worker", "shared_worker", "service_worker"]
NetworkOutcome = Literal[
    "ok", "redirect", "http_error", "failed", "aborted", "blocked", "cors_blocked", "unknown", "pending"
]
# A request that never got an answer, through no doing of the page; and those that belong among the errors.
LOST: frozenset[NetworkOutcome] = frozenset({"failed", "blocked", "cors_blocked"})
WRONG: frozenset[NetworkOutcome] = LOST | {"http_error"}

# What the only browser of a daemon is called.
FIRST_BROWSER = "b1"

# What a record weighs beside its text, in a ring's count of bytes: measured on filled rings, rounded up. Text that a
# page chose is weighed by what it takes: one character beyond Latin-1 makes every other one two or four bytes wide.
_LOG_OVERHEAD = 400
_NETWORK_OVERHEAD = 1200
_BODY_OVERHEAD = 600
_SOCKET_OVERHEAD = 500
_ACTION_OVERHEAD = 600


@frozen
class Source:
    """Where a record comes from; one object is shared by all records of a target between two navigations."""

    tab_id: int
    kind: TargetKind
    url: str
    navigation: int
    target_id: str = ""
    # Of a frame inside the page; empty for the page itself and for workers.
    frame_id: str = ""
    # The origin whose script posted it to us, where the browser itself did not tell.
    ingested_from: str = ""
    # The browser that it is of; empty for what was posted to us, since any browser may have done that. All sources of
    # a browser share one string.
    browser_id: str = FIRST_BROWSER

    @property
    def lane(self) -> Hashable:
        """The source to be fair to: a page, a frame or a worker, across its navigations."""
        return self.frame_id or self.target_id


@frozen
class StackFrame:
    """One line of a stack, counted from 1 as editors do."""

    function: str
    url: str
    line: int
    column: int
    # A source map says that it is somebody else's code; of others their address does.
    library: bool = False
    # Many messages share one frame: it is weighed once.
    size: int = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "size", getsizeof(self.function) + getsizeof(self.url) + 40)


class _Sourced:
    """A record that takes its turn in a ring by where it comes from."""

    __slots__ = ()
    source: Source

    @property
    def lane(self) -> Hashable:
        """See `Ring`."""
        return self.source.lane


@frozen(kw_only=True)
class LogRecord(_Sourced):
    """What the console, the browser or a build said, or an event in a tab's life, such as a change of its code."""

    seq: int
    ts: float
    source: Source
    kind: LogKind
    level: Level
    text: str
    method: str = ""
    frames: tuple[StackFrame, ...] = ()
    # Where an error was logged; its frames say where it was made.
    logged: StackFrame | None = None
    # How many groups of the console it stands in.
    depth: int = 0
    # When the person's event began that the page was handling meanwhile.
    during: float | None = None
    size: int = field(init=False, eq=False, repr=False)

    @property
    def said_at(self) -> StackFrame | None:
        """The code that said it, where code did."""
        return self.logged or (self.frames[0] if self.frames else None)

    @property
    def place(self) -> str:
        """File and line of the code that said it, or the page where no code did."""
        frame = self.said_at
        if frame is None:
            return self.source.url
        address = frame.url.partition("?")[0]
        return f"{address.rpartition('/')[2] or address or '<anonymous>'}:{frame.line}"

    def __attrs_post_init__(self) -> None:
        size = _LOG_OVERHEAD + getsizeof(self.text)
        for frame in self.frames if self.logged is None else (*self.frames, self.logged):
            size += frame.size
        object.__setattr__(self, "size", size)


@frozen(kw_only=True)
class NetworkRecord(_Sourced):
    """One request with its answer, without bodies; each hop of a redirect is a record of its own."""

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
    # Of a document only: what tells it from others of the same address, and stays when the page rewrites its own.
    loader_id: str = ""
    duration_ms: float | None = None
    timing: Timing | None = None
    encoded_bytes: int = 0
    decoded_bytes: int = 0
    initiator: str = ""
    initiator_frames: tuple[StackFrame, ...] = ()
    # "secure", "neutral", "insecure" or "unknown", as the browser judges the connection.
    security: str = ""
    # Of a preflight: the id of the request that it asks leave for.
    preflight_for: str = ""
    # Made before we watched, and known only by what the page remembers of it.
    before_attach: bool = False
    during: float | None = None
    # Of a 304 that the browser answered from its cache: the status of the cached response, which the page was given.
    cached_status: int | None = None
    size: int = field(init=False, eq=False, repr=False)

    @property
    def page_status(self) -> int | None:
        """The status that the page was given. Judge this one: a 304 is no news to a page whose browser has a cache."""
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
    """What was sent and what came back for one request, cut to the limits and redacted."""

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
    size: int = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        text = getsizeof(self.url) + getsizeof(self.request_body) + getsizeof(self.response_body)
        object.__setattr__(self, "size", _BODY_OVERHEAD + text)


SocketEvent = Literal["open", "message", "close", "error"]
Direction = Literal["incoming", "outgoing"]


@frozen(kw_only=True)
class SocketRecord(_Sourced):
    """An event in the life of a WebSocket or an EventSource, messages included."""

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
    # The handshake of an `open`, the code and reason of a `close` where they are known, the text of an `error`.
    details: dict[str, Any] = field(factory=dict)
    size: int = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        text = getsizeof(self.data) + getsizeof(self.url)
        text += sum(getsizeof(str(value)) + 60 for value in self.details.values())
        object.__setattr__(self, "size", _SOCKET_OVERHEAD + text)

    @property
    def lane(self) -> Hashable:
        """One chatty socket does not push out the others."""
        return self.connection_id


@frozen(kw_only=True)
class ActionRecord(_Sourced):
    """Something a person (or an assistant) did in a page."""

    seq: int
    ts: float
    source: Source
    type: str
    selectors: dict[str, Any]
    # What the type brings along: x, y, text, value, key, from_url, …
    fields: dict[str, Any]
    by: Literal["human", "ai"] = "human"
    # Of a click: whether the page has changed since the click before.
    page_changed: bool = False
    size: int = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        text = sum(getsizeof(str(value)) + 80 for value in (*self.selectors.values(), *self.fields.values()))
        object.__setattr__(self, "size", _ACTION_OVERHEAD + text)


@frozen(kw_only=True)
class DomSnapshotRecord(_Sourced):
    """What a page showed after it had loaded or changed its address: its headings and marked elements."""

    seq: int
    ts: float
    source: Source
    trigger: Literal["load", "history"]
    # Each {"role": "heading" | "test_id", "text", "selector"}.
    elements: tuple[dict[str, Any], ...]
    size: int = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        text = sum(getsizeof(str(value)) + 80 for element in self.elements for value in element.values())
        object.__setattr__(self, "size", _ACTION_OVERHEAD + text)


@frozen(kw_only=True)
class VitalsRecord(_Sourced):
    """How a page has loaded, shifted and responded so far. Each report of a page replaces its last one."""

    seq: int
    ts: float
    source: Source
    # One navigation: the load of a document, its return from the back/forward cache, or a route change.
    page_id: str
    soft_navigation: bool
    navigation_type: str
    url: str
    # The page was in the background when it began.
    hidden: bool
    vitals: dict[VitalName, Vital]
    long_tasks: LongTasks


@frozen(kw_only=True)
class PerformanceRecord(_Sourced):
    """What a navigation cost, taken once it has settled; vitals that come later are filled in."""

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
    # The first ones of the load, so that two loads can be compared.
    resources: tuple[Resource, ...] = ()
    # Taken when the page was left before it settled: what it would have fetched, shown and done later is not in it.
    left_early: bool = False


_Event = LogRecord | NetworkRecord | BodyRecord | SocketRecord | ActionRecord
Record = _Event | DomSnapshotRecord | VitalsRecord | PerformanceRecord
