"""The HTTP server: every endpoint with its policy, behind one gate, on this machine only."""

from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from typing import Any

import trio
from attrs import evolve, frozen
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router

from gasoline_cdp import __version__, wire
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.http.access import Access
from gasoline_cdp.frontends.http.event_stream import send_events
from gasoline_cdp.frontends.http.gate import PARSED, Gate, Policy
from gasoline_cdp.frontends.http.http_errors import refusal_body, status_of
from gasoline_cdp.frontends.http.ingestion import INGESTED, answer_ingestion
from gasoline_cdp.frontends.http.mcp_sessions import CALLER, HttpMcp
from gasoline_cdp.frontends.mcp.server import McpFrontend
from gasoline_cdp.frontends.mcp.streamed import subscribed_by_query
from gasoline_cdp.operations.answer import Answer
from gasoline_cdp.operations.client import Client
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Operation
from gasoline_cdp.operations.running import call_tool, run_operation
from gasoline_cdp.streaming import StreamSettings
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.unlisted.boundaries import TEST_BOUNDARY
from gasoline_cdp.unlisted.browsers import ATTACH, BROWSERS, DETACH
from gasoline_cdp.unlisted.captured import CAPTURED, CLEAR
from gasoline_cdp.unlisted.files import DOCUMENT
from gasoline_cdp.unlisted.summary import SUMMARY
from gasoline_cdp.unlisted.verdicts import VERDICT

Endpoint = Callable[[Request], Awaitable[Response]]
# Subscribes a client to the notifications that its query asks for, until the block ends.
Subscribe = Callable[[Mapping[str, str]], AbstractContextManager[AsyncIterator[Mapping[str, Any]]]]


@frozen
class Declared:
    """A path with its policy and its endpoint: a function for starlette, or an ASGI application of its own."""

    path: str
    policy: Policy
    endpoint: Endpoint | None = None
    app: Any = None


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
                "/tools/", Policy(methods={"POST"}, body_bytes=frontend_limits.HTTP_TOOL_BYTES, json=True), self._tool
            ),
            Declared(
                "/mcp",
                Policy(methods={"POST", "GET", "DELETE"}, body_bytes=frontend_limits.HTTP_MCP_BYTES, json=True),
                app=_Asgi(self._serve_mcp),
            ),
            Declared("/events/stream", Policy(methods={"GET"}), app=_Asgi(partial(self._stream_events, subscribing))),
            *(Declared(f"/{kind}", INGESTED, self._ingest) for kind in ("logs", "network-bodies", "websocket-events")),
            Declared("/performance-snapshot", INGESTED, self._ingest),
        ]
        # Only a router: starlette's own application would answer errors before the gate can, in another format.
        router = Router([_route(declared) for declared in self.routes], redirect_slashes=False)
        policies = {declared.path: declared.policy for declared in self.routes}
        self.gate = Gate(router, policies, access, strict=context.strict)

    async def _health(self, _: Request) -> Response:
        """Report that we run. Everybody on this machine may ask, so the answer holds nothing else."""
        browser = self._context.browser
        if browser.check_alive is not None:
            await browser.check_alive()
        return _json(wire.encode({"status": "ok", "version": __version__, "browser": browser.state}))

    async def _snapshot(self, request: Request) -> Response:
        given = _query(request)
        if given.get("format") != "summary":
            return await self._run(CAPTURED, given)
        answer = await run_operation(SUMMARY, evolve(self._context, client=self._nobody, form="lines"), given)
        if answer.is_error:
            return _answered(answer, page_content=False)
        return Response(f"{answer.text}\n", headers=_PAGE_CONTENT, media_type="text/plain")

    async def _clear(self, request: Request) -> Response:
        given = request.scope.get(PARSED) or {}
        return await self._run(CLEAR, {**_query(request), **given} if isinstance(given, dict) else given)

    async def _browsers(self, request: Request) -> Response:
        if request.method == "POST":
            return await self._run(ATTACH, request.scope.get(PARSED))
        return await self._run(BROWSERS, {})

    async def _detach(self, request: Request) -> Response:
        return await self._run(DETACH, {"browser": request.path_params["name"]})

    async def _test_boundary(self, request: Request) -> Response:
        return await self._run(TEST_BOUNDARY, request.scope.get(PARSED))

    async def _verdict(self, request: Request) -> Response:
        return await self._run(VERDICT, request.scope.get(PARSED))

    async def _artifact(self, request: Request) -> Response:
        """A whole document as a file, however large."""
        answer = await run_operation(DOCUMENT, evolve(self._context, client=self._nobody), _query(request))
        if answer.is_error:
            return _answered(answer, page_content=False)
        kind = "text/markdown" if answer.data["suffix"] == ".md" else "application/json"
        return Response(answer.data["text"], headers=_PAGE_CONTENT, media_type=kind)

    async def _tool(self, request: Request) -> Response:
        name = request.path_params["name"]
        calling = evolve(self._context, client=self._caller(request.headers.get(CALLER.decode(), "")))
        answer = await call_tool(TOOLS, calling, name, request.scope.get(PARSED, {}))
        return _answered(answer, page_content=name in TOOLS and TOOLS[name].page_content)

    async def _run(self, operation: Operation, arguments: object) -> Response:
        answer = await run_operation(operation, evolve(self._context, client=self._nobody), arguments)
        return _answered(answer, page_content=operation.page_content)

    async def _ingest(self, request: Request) -> Response:
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
            with subscribe(QueryParams(scope["query_string"])) as notifications:
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


class _Asgi:
    """Makes starlette treat a function as an ASGI application."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._app(scope, receive, send)


def _query(request: Request) -> dict[str, Any]:
    """The query as arguments: a number is written like a text there."""
    given: dict[str, Any] = dict(request.query_params)
    if given.get("retry", "").isdecimal():
        given["retry"] = int(given["retry"])
    return given


def _route(declared: Declared) -> Route:
    path = declared.path + ("{name}" if declared.path.endswith("/") else "")
    methods = None if declared.app is not None else sorted(declared.policy.methods)
    endpoint: Any = declared.app or declared.endpoint
    return Route(path, endpoint, methods=methods)


def _json(body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(body, status, headers, media_type="application/json")


def _answered(answer: Answer, *, page_content: bool) -> Response:
    if answer.is_error:
        return _json(answer.json, status_of(answer.data["error"]))
    body = answer.json
    if answer.images:
        images = [{"mime": image.mime, "data": b64encode(image.data).decode()} for image in answer.images]
        body = wire.extend(body, {"images": images})
    return _json(body, headers=_PAGE_CONTENT if page_content or answer.events else None)


def refusals() -> dict[int, bytes]:
    """Bodies, by status, for requests that the server could not read."""
    garbled = GasolineError(Code.INVALID_PARAMS, "This is not HTTP/1.1 as it should be.", problems=["request"])
    host = GasolineError(Code.MISDIRECTED_REQUEST, "The Host header is missing, or there are several.")
    return {400: refusal_body(garbled), 421: refusal_body(host), 431: refusal_body(garbled), 501: refusal_body(garbled)}
