"""What arrives at an OpenTelemetry backend from real pages, through a real receiver."""

import re

import pytest
from attrs import evolve

from gasoline_cdp import limits, otel_limits
from gasoline_cdp.config import Config, ExportOptions
from tests.otlp import Collector, attributes_of, open_collector, open_rotel, open_traced_server
from tests.support import Watch, open_watch

_ORDER = "POST /orders/:id"


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PERFORMANCE_SETTLE_SECONDS", 0.05)
    monkeypatch.setattr(otel_limits, "OTLP_SECONDS", 0.2)
    monkeypatch.setattr(otel_limits, "OTLP_JOIN_SECONDS", 1.0)


async def buy(watch: Watch) -> None:
    """A real click."""
    x, y = await watch.evaluate(
        "(() => { const {x, y} = document.querySelector('#buy').getBoundingClientRect(); return [x + 5, y + 5]; })()"
    )
    for kind in ("mousePressed", "mouseReleased"):
        await watch.tab.session.send(
            "Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
        )


def hexed(identifier: bytes) -> str:
    return identifier.hex()


def server_spans(collector: Collector) -> list:
    return [span for resource, span in collector.spans if resource["service.name"] == "shop"]


async def test_a_click_its_request_and_the_servers_work_are_one_trace(attach_config: Config) -> None:
    async with (
        open_collector() as collector,
        open_rotel(collector) as endpoint,
        open_traced_server(endpoint) as shop,
        open_watch(evolve(attach_config, export=ExportOptions(otlp_endpoint=endpoint))) as watch,
    ):
        await watch.open(shop)
        await buy(watch)
        await watch.log("was not understood")
        click = await collector.until(lambda: collector.span("click"))
        request = await collector.until(lambda: collector.span(_ORDER))
        load = await collector.until(lambda: collector.span("load /"))
        query = await collector.until(
            lambda: next((span for span in server_spans(collector) if span.name == "SELECT orders"), None)
        )
        thrown = await collector.until(lambda: collector.logs and _exceptions(collector))
        vitals = await collector.until(lambda: _vitals(collector, "ttfb"))
        sent = await watch.evaluate("window.sent")
        await watch.close_tabs()
        trace, page_span = re.findall(r"\w{16,}", sent)
        server = next(span for span in server_spans(collector) if span.name == "POST /orders/{number}")
        document = collector.span("GET /")

        assert {hexed(span.trace_id) for span in (click, request, server, query)} == {trace}
        # Our request and the server's work stand side by side below the span that the page named.
        assert hexed(request.parent_span_id) == hexed(server.parent_span_id) == page_span
        assert (request.kind, request.status.code) == (3, 0)
        told = attributes_of(request.attributes)
        assert told["http.request.method"] == "POST"
        assert told["http.response.status_code"] == 200
        assert told["url.full"] == f"{shop}orders/1234"
        assert told["server.port"] == int(shop.rpartition(":")[2].rstrip("/"))
        assert click.start_time_unix_nano <= request.start_time_unix_nano
        assert click.end_time_unix_nano >= request.end_time_unix_nano
        assert attributes_of(click.attributes)["gasoline.action.element"] == "Buy"
        # The document is part of the load, which the click is not.
        assert (document.trace_id, document.parent_span_id) == (load.trace_id, load.span_id)
        assert load.trace_id != click.trace_id
        assert thrown["exception.type"] == "TypeError"
        assert thrown["exception.message"] == "the answer was not understood"
        assert ".onclick" in thrown["exception.stacktrace"]
        assert vitals["browser.web_vital.rating"] == "good"
        assert vitals["browser.web_vital.navigation_type"] == "navigate"


def _exceptions(collector: Collector) -> dict:
    found = [attributes_of(log.attributes) for _, log in collector.logs if not log.event_name]
    return found[0] if found else {}


def _vitals(collector: Collector, name: str) -> dict:
    events = (attributes_of(log.attributes) for _, log in collector.logs if log.event_name == "browser.web_vital")
    return next((event for event in events if event["browser.web_vital.name"] == name), {})
