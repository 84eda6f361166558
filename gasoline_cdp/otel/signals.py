"""What is exported, as plain values: spans, log records and gauges, each with where it comes from."""

from typing import Literal

from attrs import field, frozen

Value = str | bool | int | float


@frozen
class SpanRef:
    """Names a span: its trace and its id."""

    trace_id: int
    span_id: int


@frozen
class Origin:
    """What a signal is about: a browser, and the test that it belongs to. Signals of one origin share a resource."""

    browser_id: str = ""
    test_id: str = ""


@frozen(kw_only=True)
class TraceSpan:
    """A span. Times are in seconds."""

    origin: Origin
    name: str
    ref: SpanRef
    parent_id: int | None = None
    kind: Literal["client", "internal"] = "internal"
    start: float
    end: float
    attributes: dict[str, Value] = field(factory=dict)
    links: tuple[SpanRef, ...] = ()
    failed: bool = False


@frozen(kw_only=True)
class LogEvent:
    """A log record; with an event name, an event."""

    origin: Origin
    ts: float
    severity: Literal["info", "error"]
    event_name: str = ""
    body: str = ""
    attributes: dict[str, Value] = field(factory=dict)
    ref: SpanRef | None = None


@frozen(kw_only=True)
class Gauge:
    """The value of a metric at one moment."""

    origin: Origin
    name: str
    unit: str
    description: str
    ts: float
    value: float
    attributes: dict[str, Value] = field(factory=dict)


Signal = TraceSpan | LogEvent | Gauge


@frozen
class SignalBatch:
    """Signals that are sent together, and the resource attributes of each origin."""

    signals: tuple[Signal, ...]
    resources: dict[Origin, dict[str, Value]]


@frozen
class Outcome:
    """How many signals of a batch the backend accepted, and why not the others."""

    sent: int
    failed: int = 0
    reason: str = ""
