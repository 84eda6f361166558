"""Measurements of requests and loads, and variables at a failure: what records contain."""

from typing import Any, Literal

from attrs import field, frozen

VitalName = Literal["FCP", "LCP", "CLS", "INP", "TTFB"]


@frozen(kw_only=True)
class FrameValues:
    """The variables of one frame of a stack when an exception was thrown, as text. Lines count from 1."""

    function: str
    url: str
    line: int
    column: int
    variables: str
    # Which frame of the record's stack it is; -1 if none.
    index: int = -1


@frozen
class UnusedCode:
    """A script or style sheet of a page: its characters, and those of them that were never used."""

    url: str
    chars: int
    unused: int


@frozen
class Timing:
    """Phases of a request in milliseconds; -1 if a phase did not take place."""

    queued: float = -1
    dns: float = -1
    connect: float = -1
    tls: float = -1
    send: float = -1
    wait: float = -1
    receive: float = -1


@frozen
class WireSizes:
    """Bytes of a request and its response as they were sent; -1 if not known."""

    request_headers: int = -1
    request_body: int = -1
    response_headers: int = -1
    response_body: int = -1


@frozen(kw_only=True)
class Vital:
    """The current value of a web vital: milliseconds, or a score for CLS, with its details."""

    value: float
    # target, tag, url, phases, shifts, interaction, time, script: depending on the metric.
    details: dict[str, Any] = field(factory=dict)


@frozen(kw_only=True)
class LongTasks:
    """How long the main thread was blocked. Only the part of each task above 50 ms counts as blocking."""

    count: int
    total_blocking_time: float
    longest: float
    # Each {"start", "duration", "script"}: the longest tasks only.
    entries: tuple[dict[str, Any], ...] = ()


@frozen(kw_only=True)
class LoadTiming:
    """Milliseconds from the start of the navigation; None if it did not happen, or not yet."""

    time_to_first_byte: float | None
    dom_interactive: float | None
    dom_content_loaded: float | None
    load: float | None
    first_contentful_paint: float | None
    largest_contentful_paint: float | None
    interaction_to_next_paint: float | None


@frozen(kw_only=True)
class TypeTotals:
    """Requests of one type."""

    count: int
    size: int


@frozen(kw_only=True)
class SlowRequest:
    """A slow request. `id` is that of its record."""

    id: str
    url: str
    duration_ms: float
    size: int


@frozen(kw_only=True)
class NetworkTotals:
    """The requests of one navigation. Sizes as on the wire, other origins included."""

    request_count: int
    transfer_size: int
    decoded_size: int
    by_type: dict[str, TypeTotals]
    slowest_requests: tuple[SlowRequest, ...]
    # Whether the navigation's first request is included. If not, others may be missing, too.
    complete: bool


@frozen(kw_only=True)
class Resource:
    """Something that a load fetched: its size on the wire, when it was requested, and how long it took."""

    url: str
    type: str
    size: int
    duration_ms: float
    # Milliseconds after the first request of the load.
    start_ms: float = 0.0
