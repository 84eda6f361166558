"""The MCP library's server with our tools, resources and prompts.

Imported with the library, for the first client: most of our own code is only needed by tools.
"""

from base64 import b64encode
from typing import TYPE_CHECKING, Any

from attrs import evolve

from gasoline_cdp import __version__
from gasoline_cdp.answers.lines import AnswerForm
from gasoline_cdp.frontends.client_options import DEFAULTS, ClientOptions
from gasoline_cdp.frontends.mcp import completions, prompts, resources, subscriptions
from gasoline_cdp.frontends.mcp.callers import caller
from gasoline_cdp.frontends.mcp.greeting import LIST_FRESH_MS, SERVER_NAME, SERVER_TITLE, instructions_for
from gasoline_cdp.frontends.mcp.library import import_library
from gasoline_cdp.frontends.mcp.offered import refuse_tool, tools_for
from gasoline_cdp.frontends.mcp.progress import open_progress
from gasoline_cdp.frontends.mcp.tool_list import tool_list
from gasoline_cdp.operations.answer import Answer
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Tool
from gasoline_cdp.operations.running import run_operation
from gasoline_cdp.streaming import Subscription
from gasoline_cdp.tools.streaming import LISTEN_KEY

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server


def tool_result(tool: Tool | None, answer: Answer, form: AnswerForm) -> dict[str, Any]:
    """An answer in MCP's form: lines only, or for programs JSON, both structured and as text.

    With both, clients would show the JSON to their model and drop the lines.
    """
    pictures = [
        {"type": "image", "data": b64encode(image.data).decode(), "mimeType": image.mime} for image in answer.images
    ]
    text = answer.text if form == "lines" else answer.json.decode()
    result: dict[str, Any] = {"content": [{"type": "text", "text": text}, *pictures]}
    if form == "json":
        result["structuredContent"] = answer.data
    result["isError"] = answer.is_error
    # The new era requires it. The library leaves it out in the old one.
    result["resultType"] = "complete"
    if tool is not None and not answer.is_error and (tool.page_content or answer.events):
        result["_meta"] = {"gasoline-cdp/page_content": True}
    return result


def build_server(context: Context, options: ClientOptions = DEFAULTS) -> "Server[Any]":
    """The library's server with our handlers, for clients with these options.

    Importing the library takes half a second: make the first call in a thread.
    """
    import_library()
    from mcp.server.caching import CacheHint  # noqa: PLC0415 - see above
    from mcp.server.lowlevel import Server  # noqa: PLC0415 - see above
    from mcp_types import NotificationParams  # noqa: PLC0415 - see above

    listed = {"tools": tool_list(options), "resultType": "complete"}
    offered = tools_for(options)

    async def list_tools(_ctx: object, _params: object) -> Any:
        return listed

    async def run_tool(ctx: Any, params: Any) -> Any:
        tool = offered.get(params.name)
        async with open_progress(ctx) as progress:
            calling = evolve(context, client=caller.get(), progress=progress, form=options.answers)
            answer = await run_operation(tool, calling, params.arguments) if tool else refuse_tool(offered, params.name)
        return tool_result(tool, answer, options.answers)

    def stream_of_caller() -> Subscription | None:
        client = caller.get(None)
        return context.streaming.of(client) if client else None

    async def initialized(ctx: Any, _params: object) -> None:
        # From here on a client of the handshake era may get notifications. Clients of later eras call `listen` instead.
        if stream := stream_of_caller():
            stream.pushes = True
        if subscribed := subscriptions.connection.get():
            subscribed.greeted(ctx.session)

    server: Server[Any] = Server(
        SERVER_NAME,
        version=__version__,
        title=SERVER_TITLE,
        instructions=instructions_for(options),
        # These lists never change while we run. The list of tools differs between clients.
        cache_hints={
            "tools/list": CacheHint(ttl_ms=LIST_FRESH_MS, scope="private"),
            "resources/list": CacheHint(ttl_ms=LIST_FRESH_MS, scope="public"),
            "resources/templates/list": CacheHint(ttl_ms=LIST_FRESH_MS, scope="public"),
            "prompts/list": CacheHint(ttl_ms=LIST_FRESH_MS, scope="public"),
        },
        on_list_tools=list_tools,
        on_call_tool=run_tool,
        **resources.handlers(context, options.answers),
        **subscriptions.handlers(context, stream_of_caller),
        **prompts.handlers(offered),
        **completions.handlers(context),
    )
    server.add_notification_handler("notifications/initialized", NotificationParams, initialized)
    server.extensions[LISTEN_KEY] = {}
    return server
