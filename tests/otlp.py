"""OpenTelemetry from outside: a collector that reads what arrives by the official definitions, and real receivers."""

import gzip
import os
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import rotel
import trio
from attrs import define, field
from google.protobuf.message import Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gasoline_cdp.frontends.http.loopback import serve_app
from tests.ports import free_port
from tests.processes import Running, open_process
from tests.support import PATIENCE

_KINDS: dict[str, type[Message]] = {
    "traces": ExportTraceServiceRequest,
    "logs": ExportLogsServiceRequest,
    "metrics": ExportMetricsServiceRequest,
}


def value_of(value: AnyValue) -> Any:
    """An attribute's value."""
    kind = value.WhichOneof("value")
    return None if kind is None else getattr(value, kind)


def attributes_of(given: Any) -> dict[str, Any]:
    """Attributes by name."""
    pairs: list[KeyValue] = list(given)
    return {pair.key: value_of(pair.value) for pair in pairs}


@define(eq=False)
class Collector:
    """What arrived. Each request is read with the official definitions; what does not parse is refused."""

    url: str = ""
    # The resource attributes, and the span, log record or metric.
    spans: list[tuple[dict[str, Any], Any]] = field(factory=list)
    logs: list[tuple[dict[str, Any], Any]] = field(factory=list)
    metrics: list[tuple[dict[str, Any], Any]] = field(factory=list)
    headers: list[dict[str, str]] = field(factory=list)
    # What to answer.
    status: int = 200
    _arrived: trio.Event = field(factory=trio.Event)

    async def receive(self, request: Request) -> Response:
        kind = request.path_params["kind"]
        data = await request.body()
        self.headers.append(dict(request.headers))
        if self.status != 200:
            return Response(status_code=self.status)
        message: Any = _KINDS[kind]()
        message.ParseFromString(gzip.decompress(data) if request.headers.get("content-encoding") == "gzip" else data)
        for group in getattr(message, {"traces": "resource_spans"}.get(kind, f"resource_{kind}")):
            resource = attributes_of(group.resource.attributes)
            scopes = {"traces": "scope_spans", "logs": "scope_logs", "metrics": "scope_metrics"}[kind]
            for scope in getattr(group, scopes):
                names = {"traces": "spans", "logs": "log_records", "metrics": "metrics"}
                kept = {"traces": self.spans, "logs": self.logs, "metrics": self.metrics}[kind]
                kept += [(resource, one) for one in getattr(scope, names[kind])]
        self._arrived.set()
        self._arrived = trio.Event()
        return Response(b"", media_type="application/x-protobuf")

    async def until(self, condition: Any) -> Any:
        """Wait until a condition holds; it is looked at again whenever something arrives."""
        with trio.fail_after(PATIENCE):
            while not (result := condition()):
                await self._arrived.wait()
            return result

    def span(self, name: str, **attributes: Any) -> Any:
        """The newest span of this name that has these attributes; None if there is none."""
        wanted = {key.replace("__", "."): value for key, value in attributes.items()}
        for _, span in reversed(self.spans):
            if span.name == name and wanted.items() <= attributes_of(span.attributes).items():
                return span
        return None


@asynccontextmanager
async def open_collector() -> AsyncIterator[Collector]:
    """A collector on loopback."""
    collector = Collector()
    app = Starlette(routes=[Route("/v1/{kind}", collector.receive, methods=["POST"])])
    async with serve_app(app) as url:
        collector.url = url.rstrip("/")
        yield collector


@asynccontextmanager
async def open_rotel(collector: Collector) -> AsyncIterator[str]:
    """Rotel, a receiver written in Rust, which passes on to a collector what it has read. Yields its address."""
    program = Path(rotel.__file__).parent / "rotel-agent"
    if not os.access(program, os.X_OK):
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    port = free_port()
    command = [
        str(program),
        "start",
        f"--otlp-http-endpoint=127.0.0.1:{port}",
        f"--otlp-grpc-endpoint=127.0.0.1:{free_port()}",
        "--exporter=otlp",
        "--otlp-exporter-protocol=http",
        f"--otlp-exporter-endpoint={collector.url}",
        "--batch-timeout=100ms",
    ]
    async with open_process(command) as running:
        await listening(running, port)
        yield f"http://127.0.0.1:{port}"


@asynccontextmanager
async def open_traced_server(endpoint: str) -> AsyncIterator[str]:
    """A server instrumented with OpenTelemetry, which sends its spans to an endpoint. Yields its address."""
    port = free_port()
    command = [sys.executable, str(Path(__file__).with_name("traced_server.py")), str(port), endpoint]
    async with open_process(command) as running:
        await listening(running, port)
        yield f"http://127.0.0.1:{port}/"


async def listening(running: Running, port: int) -> None:
    """Wait until a process listens on a port."""
    with trio.fail_after(PATIENCE):
        while True:
            assert running.process.returncode is None, running.stderr + running.stdout
            try:
                stream = await trio.open_tcp_stream("127.0.0.1", port)
            except OSError:
                await trio.sleep(0.05)
            else:
                await stream.aclose()
                return
