"""The tools that one client is offered, and the error for calls of other tools."""

from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends.client_options import ClientOptions
from gasoline_cdp.operations.answer import Answer, failure
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Tool
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.tools.registry import TOOLS


def tools_for(options: ClientOptions) -> dict[str, Tool]:
    """The tools by name, in the order of the list of all tools."""
    return {name: tool for name, tool in TOOLS.items() if options.offers(name)}


async def call_offered(offered: dict[str, Tool], context: Context, name: str, arguments: object) -> Answer:
    """Run a tool if it is offered to this client."""
    if name in TOOLS and name not in offered:
        message = (
            f"{name} is not offered to this client, which was started with --tools. Offered: {', '.join(offered)}. "
            "The person who set it up can offer more: gasoline-cdp mcp --tools all"
        )
        return failure(GasolineError(Code.UNKNOWN_TOOL, message, tools=list(offered)))
    return await call_tool(offered, context, name, arguments)
