"""Records in the words of OpenTelemetry's conventions."""

import importlib
from typing import Any

import pytest
from attrs import evolve

from gasoline_cdp import otel_limits
from gasoline_cdp.measures import LongTasks, Vital, WireSizes
from gasoline_cdp.otel.describing import (
    carried_ref,
    exception_event,
    long_task_spans,
    request_span,
    vital_events,
)
from gasoline_cdp.otel.signals import Origin, SpanRef, TraceSpan
from gasoline_cdp.records import NetworkRecord, StackFrame, VitalsRecord
from tests.fakes import NO_TASKS, PAGE, log_record, network_record

_ORIGIN = Origin("b1")
_PLACE = SpanRef(5, 6)
_TRACE, _SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def described(record: NetworkRecord) -> TraceSpan:
    return request_span(record, _ORIGIN, _PLACE, None, ())


def carrying(header: str, name: str = "traceparent") -> NetworkRecord:
    return network_record(1, request_headers={name: header})


def test_a_request_is_a_client_span_without_ids_in_its_name() -> None:
    span = described(
        network_record(
            1,
            "https://shop.test:8443/orders/1234?page=2",
            duration_ms=250.0,
            protocol="h2",
            remote_address="10.0.0.1:8443",
            sizes=WireSizes(request_body=0, response_body=512),
        )
    )
    assert (span.name, span.kind, span.failed) == ("GET /orders/:id", "client", False)
    assert span.end == pytest.approx(span.start + 0.25)
    assert span.attributes == {
        "http.request.method": "GET",
        "url.full": "https://shop.test:8443/orders/1234?page=2",
        "url.template": "/orders/:id",
        "server.address": "shop.test",
        "server.port": 8443,
        "network.peer.address": "10.0.0.1",
        "network.peer.port": 8443,
        "network.protocol.name": "http",
        "network.protocol.version": "2",
        "http.response.status_code": 200,
        "http.request.body.size": 0,
        "http.response.body.size": 512,
        "gasoline.request.id": "r1",
        "gasoline.request.type": "fetch",
        "gasoline.tab.id": 1,
    }


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"status": 404, "outcome": "http_error"}, "404"),
        ({"status": 503, "outcome": "http_error"}, "503"),
        (
            {"status": None, "outcome": "failed", "failure": "net::ERR_CONNECTION_REFUSED"},
            "net::ERR_CONNECTION_REFUSED",
        ),
        ({"status": None, "outcome": "aborted"}, "aborted"),
        ({"status": 302, "outcome": "redirect"}, None),
        # The page got it from the cache.
        ({"status": 304, "cached_status": 200}, None),
    ],
)
def test_what_went_wrong_is_an_error(changes: dict[str, Any], error: str | None) -> None:
    span = described(network_record(1, **changes))
    assert span.attributes.get("error.type") == error
    assert span.failed is (error is not None)


def test_methods_of_a_servers_own_are_told_apart() -> None:
    span = described(network_record(1, method="PURGE"))
    assert span.name == "HTTP /api"
    assert (span.attributes["http.request.method"], span.attributes["http.request.method_original"]) == (
        "_OTHER",
        "PURGE",
    )


def test_a_masked_address_has_no_server() -> None:
    assert "server.address" not in described(network_record(1, "http://[REDACTED]/x")).attributes


@pytest.mark.parametrize("name", ["traceparent", "Traceparent"])
def test_the_pages_own_trace_is_read(name: str) -> None:
    ref = carried_ref(carrying(f"00-{_TRACE}-{_SPAN}-01", name))
    assert ref == SpanRef(int(_TRACE, 16), int(_SPAN, 16))
    # A later version may add fields.
    assert carried_ref(carrying(f"cc-{_TRACE}-{_SPAN}-01-what-comes")) == ref


@pytest.mark.parametrize(
    "header",
    [
        "",
        "00",
        f"00-{_TRACE}-{_SPAN}",
        f"ff-{_TRACE}-{_SPAN}-01",
        f"00-{'0' * 32}-{_SPAN}-01",
        f"00-{_TRACE}-{'0' * 16}-01",
        f"00-{_TRACE.upper()}-{_SPAN}-01",
        f"00-{_TRACE}-{_SPAN}-01\n",
        "[REDACTED]",
    ],
)
def test_what_is_no_trace_is_not_taken_for_one(header: str) -> None:
    assert carried_ref(carrying(header)) is None


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("Uncaught TypeError: x is not a function", "TypeError", "x is not a function"),
        ("Uncaught (in promise) RangeError: too far", "RangeError", "too far"),
        ("AbortError: gone\nsecond line", "AbortError", "gone\nsecond line"),
        ("Uncaught 17", None, "17"),
        ("Uncaught (in promise) no colon here", None, "no colon here"),
    ],
)
def test_an_exception_has_its_type_and_message(text: str, kind: str | None, message: str) -> None:
    event = exception_event(log_record(1, text, kind="exception"), _ORIGIN, _PLACE)
    assert (event.severity, event.ref, event.body) == ("error", _PLACE, text)
    assert event.attributes.get("exception.type") == kind
    assert event.attributes["exception.message"] == message
    assert "exception.stacktrace" not in event.attributes


def test_a_stack_is_written_as_the_browser_writes_it() -> None:
    frames = (StackFrame("add", "http://app.test/cart.js", 7, 3), StackFrame("", "http://app.test/app.js", 1, 2))
    record = log_record(1, "Uncaught Error: no", kind="exception", frames=frames)
    assert str(exception_event(record, _ORIGIN, None).attributes["exception.stacktrace"]).splitlines() == [
        "Uncaught Error: no",
        "    at add (http://app.test/cart.js:7:3)",
        "    at http://app.test/app.js:1:2",
    ]


def test_long_text_is_cut() -> None:
    event = exception_event(log_record(1, "Error: " + "x" * 9000, kind="exception"), _ORIGIN, None)
    assert all(len(str(value)) <= otel_limits.OTLP_TEXT_CHARS for value in (event.body, *event.attributes.values()))


def vitals(**values: float) -> VitalsRecord:
    return VitalsRecord(
        seq=1,
        ts=100.0,
        source=PAGE,
        page_id="p.1",
        soft_navigation=False,
        navigation_type="reload",
        url="http://app.test/",
        hidden=False,
        vitals={name: Vital(value=value) for name, value in values.items()},  # type: ignore[misc]
        long_tasks=NO_TASKS,
    )


def test_vitals_are_events_with_what_changed() -> None:
    reported: dict[Any, float] = {}
    (first,) = vital_events(vitals(CLS=0.05), _ORIGIN, _PLACE, reported)
    assert (first.event_name, first.body, first.ref) == ("browser.web_vital", "", _PLACE)
    assert first.attributes == {
        "browser.web_vital.name": "cls",
        "browser.web_vital.value": 0.05,
        "browser.web_vital.delta": 0.05,
        "browser.web_vital.id": "p.1-cls",
        "browser.web_vital.rating": "good",
        "browser.web_vital.navigation_type": "reload",
        "browser.document.url.full": "http://app.test/",
        "gasoline.tab.id": 1,
    }
    later = list(vital_events(vitals(CLS=0.3, INP=80.0), _ORIGIN, _PLACE, reported))
    assert [event.attributes["browser.web_vital.name"] for event in later] == ["cls", "inp"]
    assert later[0].attributes["browser.web_vital.delta"] == pytest.approx(0.25)
    assert later[0].attributes["browser.web_vital.rating"] == "poor"
    assert not list(vital_events(vitals(CLS=0.3, INP=80.0), _ORIGIN, _PLACE, reported))


def test_long_tasks_are_exported_once() -> None:
    task = {"start": 1200.0, "duration": 80.0, "script": {"url": "http://app.test/a.js", "function": "render"}}
    tasks = LongTasks(count=1, total_blocking_time=30.0, longest=80.0, entries=(task,))
    seen: set[float] = set()
    (span,) = long_task_spans(tasks, _ORIGIN, _PLACE, 100.0, seen, lambda ref: evolve(ref, span_id=9))
    assert (span.name, span.ref, span.parent_id) == ("gasoline.long_task", SpanRef(5, 9), 6)
    assert (span.start, span.end) == pytest.approx((101.2, 101.28))
    assert span.attributes["gasoline.long_task.function"] == "render"
    assert not list(long_task_spans(tasks, _ORIGIN, _PLACE, 100.0, seen, lambda ref: ref))


def test_every_name_that_is_not_ours_is_one_of_the_conventions() -> None:
    """As the package of this version has them: those of the conventions that are not stable move from time to time."""
    known: set[str] = set()
    for name in ("browser", "error", "exception", "http", "network", "server", "url"):
        for package in ("opentelemetry.semconv._incubating.attributes", "opentelemetry.semconv.attributes"):
            try:
                module = importlib.import_module(f"{package}.{name}_attributes")
            except ModuleNotFoundError:
                continue
            known |= {value for value in vars(module).values() if isinstance(value, str)}
    failed = network_record(
        1,
        method="PURGE",
        status=503,
        outcome="http_error",
        protocol="h2",
        remote_address="1.2.3.4:80",
        sizes=WireSizes(request_body=1, response_body=1),
    )
    frames = (StackFrame("add", "http://app.test/cart.js", 7, 3),)
    used = {
        *described(failed).attributes,
        *exception_event(log_record(1, "TypeError: no", kind="exception", frames=frames), _ORIGIN, None).attributes,
        *(name for event in vital_events(vitals(LCP=1.0), _ORIGIN, None, {}) for name in event.attributes),
    }
    assert {name for name in used if not name.startswith("gasoline.")} <= known
