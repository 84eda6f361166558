"""What the store keeps: one frozen record for each thing that Chrome reported, already safe to show."""

from typing import Literal

from attrs import field, frozen

Level = Literal["error", "warning", "info", "log", "debug"]
LogKind = Literal["console", "exception", "rejection", "browser", "event"]
TargetKind = Literal["page", "iframe", "worker", "shared_worker", "service_worker"]
NetworkOutcome = Literal["ok", "redirect", "http_error", "failed", "aborted", "blocked", "cors_blocked", "pending"]

# What a record weighs beside its text, in a ring's count of bytes: measured on filled rings, rounded up.
_LOG_OVERHEAD = 400
_NETWORK_OVERHEAD = 1200
_BODY_OVERHEAD = 600


@frozen
class Source:
    """Where a record comes from; one object is shared by all records of a target between two navigations."""

    tab_id: int
    kind: TargetKind
    url: str
    navigation: int
    target_id: str = ""


@frozen
class StackFrame:
    """One line of a stack, counted from 1 as editors do."""

    function: str
    url: str
    line: int
    column: int


@frozen(kw_only=True)
class LogRecord:
    """A console call, an exception, a rejection, a browser log entry, or an event in the life of a tab."""

    seq: int
    ts: float
    source: Source
    kind: LogKind
    level: Level
    text: str
    method: str = ""
    frames: tuple[StackFrame, ...] = ()
    size: int = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        frames = sum(len(frame.function) + len(frame.url) + 120 for frame in self.frames)
        object.__setattr__(self, "size", _LOG_OVERHEAD + len(self.text) + frames)


@frozen
class Timing:
    """Phases of a request in milliseconds; -1 where a phase did not take place."""

    queued: float = -1
    dns: float = -1
    connect: float = -1
    tls: float = -1
    send: float = -1
    wait: float = -1
    receive: float = -1


@frozen(kw_only=True)
class NetworkRecord:
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
    duration_ms: float | None = None
    timing: Timing | None = None
    encoded_bytes: int = 0
    decoded_bytes: int = 0
    initiator: str = ""
    size: int = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        headers = sum(
            len(name) + len(value) + 120
            for name, value in (*self.request_headers.items(), *self.response_headers.items())
        )
        text = len(self.url) + len(self.redirect_to) + len(self.redirected_from) + len(self.failure)
        object.__setattr__(self, "size", _NETWORK_OVERHEAD + text + headers)


@frozen(kw_only=True)
class BodyRecord:
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
        text = len(self.url) + len(self.request_body or "") + len(self.response_body or "")
        object.__setattr__(self, "size", _BODY_OVERHEAD + text)


Record = LogRecord | NetworkRecord | BodyRecord
