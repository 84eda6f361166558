"""A small shop, instrumented with OpenTelemetry as its makers advise: traced_server.py PORT OTLP_ENDPOINT."""

import sys

import uvicorn
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.starlette import StarletteInstrumentor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

# The page makes the header as the browser SDK of OpenTelemetry does, and sends it with each request.
_PAGE = """<!doctype html><title>Shop</title><button id=buy>Buy</button><p id=answer></p><script>
const digits = (byte) => byte.toString(16).padStart(2, 0);
const hex = (bytes) => [...crypto.getRandomValues(new Uint8Array(bytes))].map(digits).join("");
document.querySelector("#buy").onclick = async () => {
  window.sent = `00-${hex(16)}-${hex(8)}-01`;
  const reply = await fetch("/orders/1234", { method: "POST", headers: { traceparent: window.sent } });
  document.querySelector("#answer").textContent = await reply.text();
  throw new TypeError("the answer was not understood");
};
</script>"""


async def page(_: Request) -> Response:
    return HTMLResponse(_PAGE)


async def order(_: Request) -> Response:
    with trace.get_tracer("shop").start_as_current_span("SELECT orders"):
        return JSONResponse({"ordered": True})


def main(port: int, endpoint: str) -> None:
    provider = TracerProvider(resource=Resource.create({"service.name": "shop"}))
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(endpoint=f"{endpoint}/v1/traces")))
    trace.set_tracer_provider(provider)
    app = Starlette(routes=[Route("/", page), Route("/orders/{number}", order, methods=["POST"])])
    StarletteInstrumentor.instrument_app(app)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
