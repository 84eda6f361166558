"""Sends batches with OpenTelemetry's own exporters. Blocks, so it runs in a thread; only that thread imports it."""

import logging
from collections.abc import Callable, Mapping, Sequence

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import LogRecordExportResult
from opentelemetry.sdk.metrics import export as metrics_export
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from gasoline_cdp import __version__
from gasoline_cdp.otel.signals import Gauge, LogEvent, Origin, Outcome, SignalBatch, SpanRef, TraceSpan

SCHEMA = "https://opentelemetry.io/schemas/1.44.0"
_SCOPE = InstrumentationScope("gasoline-cdp", __version__, SCHEMA)
_SEVERITIES = {"info": SeverityNumber.INFO, "error": SeverityNumber.ERROR}
_KINDS = {"client": SpanKind.CLIENT, "internal": SpanKind.INTERNAL}
# Unless OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES say otherwise.
_SERVICE = "gasoline-cdp"
_NO_SERVICE = "unknown_service"


class OtlpSender:
    """The three exporters of one endpoint. They read OTEL_EXPORTER_OTLP_HEADERS, timeouts and certificates."""

    def __init__(self, endpoint: str, headers: Sequence[tuple[str, str]]) -> None:
        base = endpoint.rstrip("/")
        given = dict(headers) or None
        self._failures = _Failures()
        self._base = _base_resource()
        self._spans = OTLPSpanExporter(endpoint=f"{base}/v1/traces", headers=given)
        self._logs = OTLPLogExporter(endpoint=f"{base}/v1/logs", headers=given)
        self._metrics = OTLPMetricExporter(endpoint=f"{base}/v1/metrics", headers=given)

    def send(self, batch: SignalBatch) -> Outcome:
        """Send one batch. Returns when the backend has it, has refused it, or did not answer in time."""
        resources = {origin: Resource(attributes).merge(self._base) for origin, attributes in batch.resources.items()}
        spans = [_span(one, resources[one.origin]) for one in batch.signals if isinstance(one, TraceSpan)]
        events = [_log(one, resources[one.origin]) for one in batch.signals if isinstance(one, LogEvent)]
        gauges = [one for one in batch.signals if isinstance(one, Gauge)]
        attempts: list[tuple[str, int, Callable[[], bool]]] = [
            ("traces", len(spans), lambda: self._spans.export(spans) is SpanExportResult.SUCCESS),
            ("logs", len(events), lambda: self._logs.export(events) is LogRecordExportResult.SUCCESS),
            ("metrics", len(gauges), lambda: self._export_gauges(gauges, resources)),
        ]
        sent = failed = 0
        reasons = []
        for kind, count, export in attempts:
            if not count:
                continue
            self._failures.reason = "no answer"
            if export():
                sent += count
            else:
                failed += count
                reasons.append(f"{kind}: {self._failures.reason}")
        return Outcome(sent, failed, "; ".join(reasons))

    def _export_gauges(self, gauges: Sequence[Gauge], resources: Mapping[Origin, Resource]) -> bool:
        done = self._metrics.export(_metrics(gauges, resources))
        return done is metrics_export.MetricExportResult.SUCCESS

    def close(self) -> None:
        """End all attempts that go on."""
        self._spans.shutdown()  # type: ignore[no-untyped-call]  # it has no types
        self._logs.shutdown()  # type: ignore[no-untyped-call]  # as above
        self._metrics.shutdown()


class _Failures(logging.Handler):
    """What the exporters log of a failure: its HTTP status. The rest names the endpoint, and is not shown."""

    def __init__(self) -> None:
        super().__init__()
        self.reason = ""
        logger = logging.getLogger("opentelemetry")
        # Otherwise Python prints warnings of libraries.
        logger.propagate = False
        logger.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Take the status out of a message."""
        given = record.args if isinstance(record.args, tuple) else ()
        status = next((value for value in given if isinstance(value, int)), None)
        if status is not None:
            self.reason = f"HTTP status {status}"


def _base_resource() -> Resource:
    """What OpenTelemetry's own variables say, which goes before what we know, and what the SDK says of itself."""
    base = Resource.create()
    named = not str(base.attributes.get("service.name", _NO_SERVICE)).startswith(_NO_SERVICE)
    return base if named else base.merge(Resource({"service.name": _SERVICE}))


def _context(ref: SpanRef) -> SpanContext:
    return SpanContext(ref.trace_id, ref.span_id, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))


def _span(span: TraceSpan, resource: Resource) -> ReadableSpan:
    parent = None if span.parent_id is None else _context(SpanRef(span.ref.trace_id, span.parent_id))
    return ReadableSpan(
        name=span.name,
        context=_context(span.ref),
        parent=parent,
        resource=resource,
        attributes=span.attributes,
        links=[Link(_context(ref)) for ref in span.links],
        kind=_KINDS[span.kind],
        status=Status(StatusCode.ERROR if span.failed else StatusCode.UNSET),
        start_time=_nanoseconds(span.start),
        end_time=_nanoseconds(span.end),
        instrumentation_scope=_SCOPE,
    )


def _log(event: LogEvent, resource: Resource) -> ReadableLogRecord:
    around = None if event.ref is None else set_span_in_context(NonRecordingSpan(_context(event.ref)), Context())
    record = LogRecord(
        timestamp=_nanoseconds(event.ts),
        observed_timestamp=_nanoseconds(event.ts),
        context=around or Context(),
        severity_text=event.severity.upper(),
        severity_number=_SEVERITIES[event.severity],
        body=event.body or None,
        attributes=event.attributes,
        event_name=event.event_name or None,
    )
    return ReadableLogRecord(record, resource, _SCOPE)


def _metrics(gauges: Sequence[Gauge], resources: Mapping[Origin, Resource]) -> metrics_export.MetricsData:
    by_origin: dict[Origin, dict[str, list[Gauge]]] = {}
    for gauge in gauges:
        by_origin.setdefault(gauge.origin, {}).setdefault(gauge.name, []).append(gauge)
    return metrics_export.MetricsData(
        [
            metrics_export.ResourceMetrics(
                resources[origin],
                [metrics_export.ScopeMetrics(_SCOPE, [_metric(points) for points in named.values()], SCHEMA)],
                SCHEMA,
            )
            for origin, named in by_origin.items()
        ]
    )


def _metric(gauges: Sequence[Gauge]) -> metrics_export.Metric:
    points = [
        metrics_export.NumberDataPoint(
            attributes=gauge.attributes,
            start_time_unix_nano=0,
            time_unix_nano=_nanoseconds(gauge.ts),
            value=gauge.value,
        )
        for gauge in gauges
    ]
    first = gauges[0]
    return metrics_export.Metric(first.name, first.description, first.unit, metrics_export.Gauge(points))


def _nanoseconds(seconds: float) -> int:
    return max(0, int(seconds * 1_000_000_000))
