"""What OpenTelemetry's exporters make of our batches, read with the official definitions."""

import logging

import pytest
import trio
from opentelemetry.trace.status import StatusCode

from gasoline_cdp.otel.sending import SCHEMA, OtlpSender
from gasoline_cdp.otel.signals import Gauge, LogEvent, Origin, Outcome, SignalBatch, SpanRef, TraceSpan
from tests.otlp import attributes_of, open_collector
from tests.ports import free_port

_ORIGIN = Origin("b1", "checkout")
_SPAN = TraceSpan(
    origin=_ORIGIN,
    name="GET /api",
    ref=SpanRef(0x0AF7651916CD43DD8448EB211C80319C, 0xB7AD6B7169203331),
    parent_id=7,
    kind="client",
    start=1_790_000_000.5,
    end=1_790_000_001.0,
    attributes={"http.request.method": "GET", "http.response.status_code": 503},
    links=(SpanRef(8, 9),),
    failed=True,
)
_LOG = LogEvent(
    origin=_ORIGIN,
    ts=1_790_000_000.0,
    severity="error",
    body="no",
    attributes={"exception.type": "TypeError"},
    ref=SpanRef(5, 6),
)
_VITAL = LogEvent(origin=_ORIGIN, ts=1_790_000_000.0, severity="info", event_name="browser.web_vital")
_GAUGE = Gauge(
    origin=_ORIGIN,
    name="gasoline.page.js_heap.used",
    unit="By",
    description="Bytes.",
    ts=1_790_000_000.0,
    value=5_000_000,
    attributes={"gasoline.tab.id": 1},
)
_BATCH = SignalBatch((_SPAN, _LOG, _VITAL, _GAUGE), {_ORIGIN: {"test.case.name": "checkout"}})


async def test_all_three_kinds_arrive() -> None:
    async with open_collector() as collector:
        sender = OtlpSender(collector.url, [("X-Key", "abc")])
        outcome = await trio.to_thread.run_sync(sender.send, _BATCH)
        sender.close()
    assert outcome == Outcome(4)
    ((resource, span),) = collector.spans
    assert resource["service.name"] == "gasoline-cdp"
    assert resource["test.case.name"] == "checkout"
    assert resource["telemetry.sdk.name"] == "opentelemetry"
    assert (span.trace_id.hex(), span.span_id.hex()) == ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331")
    assert (span.name, span.kind, span.parent_span_id) == ("GET /api", 3, (7).to_bytes(8, "big"))
    assert (span.start_time_unix_nano, span.end_time_unix_nano) == (
        1_790_000_000_500_000_000,
        1_790_000_001_000_000_000,
    )
    assert span.status.code == StatusCode.ERROR.value
    assert attributes_of(span.attributes) == _SPAN.attributes
    assert [(link.trace_id[-1], link.span_id[-1]) for link in span.links] == [(8, 9)]
    (_, log), (_, vital) = collector.logs
    assert (log.body.string_value, log.severity_number, log.trace_id[-1], log.span_id[-1]) == ("no", 17, 5, 6)
    assert (vital.event_name, vital.severity_number, vital.trace_id) == ("browser.web_vital", 9, b"")
    ((_, metric),) = collector.metrics
    assert (metric.name, metric.unit, metric.gauge.data_points[0].as_int) == (
        "gasoline.page.js_heap.used",
        "By",
        5_000_000,
    )
    assert {headers["x-key"] for headers in collector.headers} == {"abc"}
    assert SCHEMA.endswith("/1.44.0")


async def test_the_environments_own_words_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_SERVICE_NAME", "shop-in-the-browser")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "test.case.name=all,deployment.environment.name=ci")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20of-the-environment")
    async with open_collector() as collector:
        sender = OtlpSender(collector.url, [])
        await trio.to_thread.run_sync(sender.send, _BATCH)
        sender.close()
    resource = collector.spans[0][0]
    assert resource["service.name"] == "shop-in-the-browser"
    assert (resource["test.case.name"], resource["deployment.environment.name"]) == ("all", "ci")
    assert collector.headers[0]["authorization"] == "Bearer of-the-environment"


async def test_a_refusal_is_told_by_its_status(capfd: pytest.CaptureFixture[str]) -> None:
    async with open_collector() as collector:
        collector.status = 401
        sender = OtlpSender(collector.url, [("Authorization", "Bearer quite-secret")])
        outcome = await trio.to_thread.run_sync(sender.send, _BATCH)
        sender.close()
    statuses = "traces: HTTP status 401; logs: HTTP status 401; metrics: HTTP status 401"
    assert outcome == Outcome(0, 4, statuses)
    logging.getLogger("opentelemetry").warning("said by the library")
    assert capfd.readouterr() == ("", "")


async def test_nobody_there_is_told(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    # The library tries again for so long.
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.5")
    sender = OtlpSender(f"http://127.0.0.1:{free_port()}", [])
    batch = SignalBatch((_SPAN,), _BATCH.resources)
    assert await trio.to_thread.run_sync(sender.send, batch) == Outcome(0, 1, "traces: no answer")
    sender.close()
    assert capfd.readouterr() == ("", "")
