"""The HTTP server: every endpoint with its policy, behind one gate, on this machine only."""

from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from typing import Any

import trio
from attrs import evolve, frozen

from gasoline_cdp import __version__, wire
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.http.access import Access
from gasoline_cdp.frontends.http.event_stream import send_events
from gasoline_cdp.frontends.http.gate import PARSED, HttpGate, Policy, Scope
from gasoline_cdp.frontends.http.http_errors import refusal_body, status_of
from gasoline_cdp.frontends.http.ingestion import INGESTED, answer_ingestion
from gasoline_cdp.frontends.http.mcp_sessions import CALLER, HttpMcp
from gasoline_cdp.frontends.http.messages import HttpRequest, HttpResponse, query_of
from gasoline_cdp.frontends.late_imports import import_late
from gasoline_cdp.frontends.mcp.server import McpFrontend
from gasoline_cdp.frontends.mcp.streamed import subscribed_by_query
from gasoline_cdp.operations.answer import Answer
from gasoline_cdp.operations.client import Client
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Operation, Tool
from gasoline_cdp.operations.running import call_tool, run_operation
from gasoline_cdp.streaming import StreamSettings
from gasoline_cdp.unlisted.boundaries import TEST_BOUNDARY
from gasoline_cdp.unlisted.browsers import ATTACH, BROWSERS, DETACH
from gasoline_cdp.unlisted.captured import CAPTURED, CLEAR
from gasoline_cdp.unlisted.summary import SUMMARY

Endpoint = Callable[[HttpRequest], Awaitable[HttpResponse]]
# An ASGI application of its own.
Asgi = Callable[[Any, Any, Any], Awaitable[None]]
# Subscribes a client to the notifications that its query asks for, until the block ends.
Subscribe = Callable[[Mapping[str, str]], AbstractContextManager[AsyncIterator[Mapping[str, Any]]]]


@frozen
class Declared:
    """A path with its policy, and who answers. A path that ends in a slash is followed by a name."""

    path: str
    policy: Policy
    answer: Endpoint | None = None
    app: Asgi | None = None


class HttpFrontend:
    """Serves tools, snapshots, boundaries, ingestion, notifications and MCP. `nursery` holds the MCP sessions."""

    def __init__(
        self,
        context: Context,
        mcp: McpFrontend,
        access: Access,
        nursery: trio.Nursery,
        subscribe: Subscribe | None = None,
    ) -> None:
        self._context = context
        self.event_streams = 0
        self._nobody = Client("http")
        self._callers: BoundedDict[str, tuple[Client, ExitStack]] = BoundedDict(
            frontend_limits.HTTP_CALLERS, lambda _, caller: caller[1].close()
        )
        self._mcp = HttpMcp(context, mcp, nursery)
        subscribing = subscribe or partial(subscribed_by_query, context.streaming)
        self.routes = [
            Declared("/health", Policy(methods={"GET"}, needs="open"), self._health),
            Declared("/snapshot", Policy(methods={"GET"}), self._snapshot),
            Declared(
                "/clear", Policy(methods={"POST"}, body_bytes=frontend_limits.HTTP_SMALL_BYTES, json=True), self._clear
            ),
            Declared(
                "/browsers",
                Policy(methods={"GET", "POST"}, body_bytes=frontend_limits.HTTP_SMALL_BYTES, json=True),
                self._browsers,
            ),
            Declared("/browsers/", Policy(methods={"DELETE"}), self._detach),
            Declared(
                "/test-boundary",
                Policy(methods={"POST"}, body_bytes=frontend_limits.HTTP_SMALL_BYTES, json=True),
                self._test_boundary,
            ),
            Declared(
                "/verdict",
                Policy(methods={"POST"}, body_bytes=frontend_limits.HTTP_SMALL_BYTES, json=True),
                self._verdict,
            ),
            Declared("/artifact", Policy(methods={"GET"}), self._artifact),
            Declared(
                "/expect-no-leaks",
                Policy(methods={"POST"}, body_bytes=frontend_limits.HTTP_SMALL_BYTES, json=True),
                self._expect_no_leaks,
            ),
            Declared(
                "/tools/", Policy(methods={"POST"}, body_bytes=frontend_limits.HTTP_TOOL_BYTES, json=True), self._tool
            ),
            Declared(
                "/mcp",
                Policy(methods={"POST", "GET", "DELETE"}, body_bytes=frontend_limits.HTTP_MCP_BYTES, json=True),
                app=self._serve_mcp,
            ),
            Declared("/events/stream", Policy(methods={"GET"}), app=partial(self._stream_events, subscribing)),
            *(Declared(f"/{kind}", INGESTED, self._ingest) for kind in ("logs", "network-bodies", "websocket-events")),
            Declared("/performance-snapshot", INGESTED, self._ingest),
        ]
        policies = {declared.path: declared.policy for declared in self.routes}
        self._declared = {declared.path: declared for declared in self.routes}
        self.gate = HttpGate(self._serve, policies, access, strict=context.strict)

    async def _serve(self, scope: Scope, receive: Any, send: Any) -> None:
        """Answer a request that the gate has let pass: its path is declared."""
        path = scope["path"]
        declared = self._declared.get(path) or self._declared[path.rpartition("/")[0] + "/"]
        if declared.app is not None:
            await declared.app(scope, receive, send)
        elif declared.answer is not None:
            await (await declared.answer(HttpRequest(scope))).send(send)

    async def _health(self, _: HttpRequest) -> HttpResponse:
        """Report that we run. Everybody on this machine may ask, so the answer holds nothing else."""
        browser = self._context.browser
        if browser.check_alive is not None:
            await browser.check_alive()
        return HttpResponse(wire.encode({"status": "ok", "version": __version__, "browser": browser.state}))

    async def _snapshot(self, request: HttpRequest) -> HttpResponse:
        given = _query(request)
        if given.get("format") != "summary":
            return await self._run(CAPTURED, given)
        answer = await run_operation(SUMMARY, evolve(self._context, client=self._nobody, form="lines"), given)
        if answer.is_error:
            return _answered(answer, page_content=False)
        return HttpResponse(f"{answer.text}\n".encode(), headers=_PAGE_CONTENT, media_type="text/plain")

    async def _clear(self, request: HttpRequest) -> HttpResponse:
        given = request.parsed or {}
        return await self._run(CLEAR, {**_query(request), **given} if isinstance(given, dict) else given)

    async def _browsers(self, request: HttpRequest) -> HttpResponse:
        if request.method == "POST":
            return await self._run(ATTACH, request.parsed)
        return await self._run(BROWSERS, {})

    async def _detach(self, request: HttpRequest) -> HttpResponse:
        return await self._run(DETACH, {"browser": request.name})

    async def _test_boundary(self, request: HttpRequest) -> HttpResponse:
        return await self._run(TEST_BOUNDARY, request.parsed)

    async def _verdict(self, request: HttpRequest) -> HttpResponse:
        verdicts = await import_late("gasoline_cdp.unlisted.verdicts")
        return await self._run(verdicts.VERDICT, request.parsed)

    async def _artifact(self, request: HttpRequest) -> HttpResponse:
        """A whole document as a file, however large."""
        documents = await import_late("gasoline_cdp.unlisted.documents")
        answer = await run_operation(documents.DOCUMENT, evolve(self._context, client=self._nobody), _query(request))
        if answer.is_error:
            return _answered(answer, page_content=False)
        kind = "text/markdown" if answer.data["suffix"] == ".md" else "application/json"
        return HttpResponse(answer.data["text"].encode(), headers=_PAGE_CONTENT, media_type=kind)

    async def _expect_no_leaks(self, request: HttpRequest) -> HttpResponse:
        heaps = await import_late("gasoline_cdp.unlisted.heaps")
        return await self._run(heaps.EXPECT_NO_LEAKS, request.parsed)

    async def _tool(self, request: HttpRequest) -> HttpResponse:
        tools: dict[str, Tool] = (await import_late("gasoline_cdp.tools.registry")).TOOLS
        name = request.name
        calling = evolve(self._context, client=self._caller(request.header(CALLER.decode()) or ""))
        answer = await call_tool(tools, calling, name, request.scope.get(PARSED, {}))
        return _answered(answer, page_content=name in tools and tools[name].page_content)

    async def _run(self, operation: Operation, arguments: object) -> HttpResponse:
        answer = await run_operation(operation, evolve(self._context, client=self._nobody), arguments)
        return _answered(answer, page_content=operation.page_content)

    async def _ingest(self, request: HttpRequest) -> HttpResponse:
        return answer_ingestion(request, self._context.capture.ingest, self.gate.has_key(request.scope))

    async def _serve_mcp(self, scope: Any, receive: Any, send: Any) -> None:
        named = next((value for name, value in scope["headers"] if name == CALLER), b"")
        await self._mcp.handle(scope, receive, send, self._caller(named.decode("latin-1")))

    async def _stream_events(self, subscribe: Subscribe, scope: Any, receive: Any, send: Any) -> None:
        if self.event_streams >= frontend_limits.EVENT_STREAMS:
            raise GasolineError(
                Code.RATE_LIMITED,
                f"There are {frontend_limits.EVENT_STREAMS} event streams already. Close one that is not read.",
            )
        self.event_streams += 1
        try:
            with subscribe(query_of(scope)) as notifications:
                await send_events(receive, send, notifications)
        finally:
            self.event_streams -= 1

    def _caller(self, name: str) -> Client:
        """The client of a named caller, which can have events in its answers. Callers without a name share one."""
        name = name[: frontend_limits.HTTP_CALLER_CHARS]
        if not name:
            return self._nobody
        if name not in self._callers:
            client, ending = Client("http"), ExitStack()
            ending.enter_context(self._context.streaming.subscribe(StreamSettings(), client, pushes=False))
            self._callers[name] = client, ending
        self._callers.move_to_end(name)
        return self._callers[name][0]


# The counterpart of `_meta` over MCP: the answer contains text of web pages.
_PAGE_CONTENT = {"x-gasoline-page-content": "true"}


def _query(request: HttpRequest) -> dict[str, Any]:
    """The query as arguments: a number is written like a text there."""
    given: dict[str, Any] = dict(request.query)
    if given.get("retry", "").isdecimal():
        given["retry"] = int(given["retry"])
    return given


def _answered(answer: Answer, *, page_content: bool) -> HttpResponse:
    if answer.is_error:
        return HttpResponse(answer.json, status_of(answer.data["error"]))
    body = answer.json
    if answer.images:
        images = [{"mime": image.mime, "data": b64encode(image.data).decode()} for image in answer.images]
        body = wire.extend(body, {"images": images})
    return HttpResponse(body, headers=_PAGE_CONTENT if page_content or answer.events else {})


def refusals() -> dict[int, bytes]:
    """Bodies, by status, for requests that the server could not read."""
    garbled = GasolineError(Code.INVALID_PARAMS, "This is not HTTP/1.1 as it should be.", problems=["request"])
    host = GasolineError(Code.MISDIRECTED_REQUEST, "The Host header is missing, or there are several.")
    return {400: refusal_body(garbled), 421: refusal_body(host), 431: refusal_body(garbled), 501: refusal_body(garbled)}
