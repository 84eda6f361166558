"""What a client can read without calling a tool: lists, one request, whole bodies, the schemas of answers.

A body that is too large for an answer is a resource: a client can store or search it without showing it to its model.
"""

import re
from collections.abc import Awaitable, Callable
from typing import Any, Literal

from attrs import evolve, frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.requests import went_wrong
from gasoline_cdp.answers.lines import AnswerForm
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends.late_imports import import_late
from gasoline_cdp.frontends.mcp.greeting import HANDSHAKE_VERSIONS
from gasoline_cdp.operations.answer import Answer
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Operation, Tool
from gasoline_cdp.operations.running import call_tool, run_operation
from gasoline_cdp.records import LogRecord, NetworkRecord, Record
from gasoline_cdp.tools.streaming import EVENTS_URI
from gasoline_cdp.unlisted.resources import BODY, EVENTS, SCHEMA, TOOL_INDEX, BodyText

_JSON = "application/json"
_LINES = "text/plain"
# Before 2026 a missing resource had an error code of its own; since then it is an invalid parameter.
_NOT_FOUND_BEFORE_2026 = -32002
_INVALID_PARAMS = -32602
_INTERNAL_ERROR = -32603


@frozen(kw_only=True)
class Content:
    """The content of a resource. `page`: it contains text of pages. `truncated`: it was longer."""

    text: str
    mime: str = _JSON
    page: bool = True
    truncated: bool = False


Read = Callable[[Context, str], Awaitable[Content]]


@frozen(kw_only=True)
class Listed:
    """A resource, or with `{…}` in its address a family of them. `read` gets the value of the placeholder."""

    uri: str
    name: str
    title: str
    description: str
    read: Read
    # An answer is lines or JSON, as the client prefers. A body has a type of its own.
    holds: Literal["answer", "json", "body"] = "answer"


async def _tools() -> dict[str, Tool]:
    tools: dict[str, Tool] = (await import_late("gasoline_cdp.tools.registry")).TOOLS
    return tools


def _sound(answer: Answer) -> Answer:
    if isinstance(answer.record, GasolineError):
        raise answer.record
    return answer


def _of(answer: Answer, context: Context, *, page: bool = True) -> Content:
    """An answer in the client's form. A document for programs is always JSON."""
    sound = _sound(answer)
    if context.form == "lines" and not isinstance(sound.record, dict):
        return Content(text=sound.text, mime=_LINES, page=page)
    return Content(text=sound.json.decode(), page=page)


def _view(what: str, **arguments: Any) -> Read:
    """A view of `observe`, with the maximum answer size."""

    async def read(context: Context, _: str) -> Content:
        more = {} if what == "status" else {"limit": limits.ENTRIES_MAX, "max_bytes": limits.ANSWER_BYTES_MAX}
        return _of(await call_tool(await _tools(), context, "observe", {"what": what, **more, **arguments}), context)

    return read


async def _one_request(context: Context, request_id: str) -> Content:
    asked = {"what": "network", "request_id": request_id, "max_bytes": limits.ANSWER_BYTES_MAX}
    return _of(await call_tool(await _tools(), context, "observe", asked), context)


def _body(side: Literal["request", "response"]) -> Read:
    async def read(context: Context, request_id: str) -> Content:
        body = _sound(await run_operation(BODY, context, {"request_id": request_id, "side": side})).record
        assert isinstance(body, BodyText)  # noqa: S101 - for the type checker
        return Content(text=body.text, mime=body.mime, truncated=body.truncated)

    return read


def _plain(operation: Operation, variable: str = "") -> Read:
    """The answer of an operation. The placeholder of the address is the argument of this name."""

    async def read(context: Context, given: str) -> Content:
        arguments = {variable: given} if variable else {}
        return _of(await run_operation(operation, context, arguments), context, page=operation.page_content)

    return read


RESOURCES: dict[str, Listed] = {
    listed.uri: listed
    for listed in (
        Listed(
            uri="gasoline://errors",
            name="errors",
            title="Errors",
            description="All that went wrong, newest first: as observe(what='errors').",
            read=_view("errors"),
        ),
        Listed(
            uri="gasoline://logs",
            name="logs",
            title="Console",
            description="The console of all pages, newest first: as observe(what='logs').",
            read=_view("logs"),
        ),
        Listed(
            uri="gasoline://network",
            name="network",
            title="Requests",
            description="The requests of all pages, newest first: as observe(what='network').",
            read=_view("network"),
        ),
        Listed(
            uri=EVENTS_URI,
            name="events",
            title="Significant events",
            description="What was new and significant since somebody streams or subscribed to this, newest first.",
            read=_plain(EVENTS),
        ),
        Listed(
            uri="gasoline://status",
            name="status",
            title="Status",
            description="The browser, the buffers, what was dropped: as observe(what='status').",
            read=_view("status"),
        ),
        Listed(
            uri="gasoline://tools",
            name="tools",
            title="Tools",
            description="The tools, and where the JSON Schema of each one's answer is.",
            read=_plain(TOOL_INDEX),
        ),
    )
}

TEMPLATES: tuple[Listed, ...] = (
    Listed(
        uri="gasoline://network/{id}",
        name="request",
        title="One request",
        description="Headers, timing, redirects and end of one request.",
        read=_one_request,
    ),
    Listed(
        uri="gasoline://network/{id}/request-body",
        name="request-body",
        title="Request body",
        description="What a request sent, whole while Chrome has it (1 MB at most), secrets masked.",
        read=_body("request"),
        holds="body",
    ),
    Listed(
        uri="gasoline://network/{id}/response-body",
        name="response-body",
        title="Response body",
        description="What a request got, whole while Chrome has it (1 MB at most), secrets masked.",
        read=_body("response"),
        holds="body",
    ),
    Listed(
        uri="gasoline://tools/{name}/output-schema",
        name="output-schema",
        title="Schema of a tool's answer",
        description="The JSON Schema of what a tool answers.",
        read=_plain(SCHEMA, "name"),
        holds="json",
    ),
)

# The resources that change, each with the records that change it.
CHANGING: dict[str, Callable[[Record], bool]] = {
    "gasoline://errors": lambda record: (
        (isinstance(record, LogRecord) and record.level == "error")
        or (isinstance(record, NetworkRecord) and went_wrong(record))
    ),
    "gasoline://logs": lambda record: isinstance(record, LogRecord),
    "gasoline://network": lambda record: isinstance(record, NetworkRecord),
}


def changed_by(record: Record) -> list[str]:
    """The resources that a record changes."""
    return [uri for uri, touches in CHANGING.items() if touches(record)]


def resource_of(uri: str) -> tuple[Listed, str] | None:
    """The resource at an address, and the value of its placeholder `{…}`."""
    if uri in RESOURCES:
        return RESOURCES[uri], ""
    for template in TEMPLATES:
        before, _, after = re.sub(r"\{\w+\}", "\n", template.uri).partition("\n")
        if uri.startswith(before) and uri.endswith(after) and len(uri) > len(before) + len(after):
            variable = uri[len(before) : len(uri) - len(after)]
            if "/" not in variable:
                return template, variable
    return None


def no_such_resource(uri: str) -> GasolineError:
    """The error for an unknown address."""
    return GasolineError(
        Code.NO_SUCH_RESOURCE,
        f"There is no resource {uri[:200]!r}. resources/list and resources/templates/list name them.",
    )


async def read(context: Context, uri: str) -> dict[str, Any]:
    """The content of a resource, in MCP's form. Raises `GasolineError` if the address is wrong."""
    hit = resource_of(uri)
    if hit is None:
        raise no_such_resource(uri)
    listed, variable = hit
    content = await listed.read(context, variable)
    meta = {"gasoline-cdp/page_content": True} if content.page else {}
    if content.truncated:
        meta["gasoline-cdp/truncated"] = True
    shown: dict[str, Any] = {"uri": uri, "mimeType": content.mime, "text": content.text}
    contents = [{**shown, "_meta": meta} if meta else shown]
    # The new era requires cache hints. Clients of the old one do not get them.
    return {"contents": contents, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


def _described(listed: Listed, key: str, form: AnswerForm) -> dict[str, Any]:
    shown = {key: listed.uri, "name": listed.name, "title": listed.title, "description": listed.description}
    mime = {"answer": _LINES if form == "lines" else _JSON, "json": _JSON, "body": None}[listed.holds]
    return shown if mime is None else {**shown, "mimeType": mime}


def refusal(error: GasolineError, uri: str, version: str) -> Exception:
    """An error in JSON-RPC's form, with the code of the protocol era and our message."""
    from mcp.shared.exceptions import MCPError  # noqa: PLC0415 - imported in a thread, by now

    missing = {Code.NO_SUCH_RESOURCE, Code.NO_SUCH_REQUEST, Code.UNKNOWN_TOOL, Code.BODY_UNAVAILABLE}
    code = _INTERNAL_ERROR
    if error.code in missing:
        code = _NOT_FOUND_BEFORE_2026 if version in HANDSHAKE_VERSIONS else _INVALID_PARAMS
    return MCPError(code=code, message=error.message, data={"uri": uri[:200], "error": error.code.value})


def handlers(context: Context, form: AnswerForm) -> dict[str, Any]:
    """The handlers for the library's server, for clients with this answer form."""
    listed = {
        "resources": [_described(one, "uri", form) for one in RESOURCES.values()],
        "resultType": "complete",
    }
    templates = {
        "resourceTemplates": [_described(one, "uriTemplate", form) for one in TEMPLATES],
        "resultType": "complete",
    }

    async def list_resources(_ctx: Any, _params: Any) -> Any:
        return listed

    async def list_templates(_ctx: Any, _params: Any) -> Any:
        return templates

    async def read_resource(ctx: Any, params: Any) -> Any:
        try:
            return await read(evolve(context, form=form), params.uri)
        except GasolineError as error:
            raise refusal(error, params.uri, ctx.protocol_version) from None

    return {
        "on_list_resources": list_resources,
        "on_list_resource_templates": list_templates,
        "on_read_resource": read_resource,
    }
