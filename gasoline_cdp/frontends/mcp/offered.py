"""The tools that one client is offered, and the answer to calls of other tools."""

from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends.client_options import ClientOptions
from gasoline_cdp.operations.answer import Answer, failure
from gasoline_cdp.operations.operation import Tool
from gasoline_cdp.operations.running import no_such_tool
from gasoline_cdp.tools.registry import TOOLS


def tools_for(options: ClientOptions) -> dict[str, Tool]:
    """The tools by name, in the order of the list of all tools."""
    return {name: tool for name, tool in TOOLS.items() if options.offers(name)}


def refuse_tool(offered: dict[str, Tool], name: str) -> Answer:
    """The answer to a call of a tool that is not offered to this client."""
    if name not in TOOLS:
        return no_such_tool(offered, name)
    message = (
        f"{name} is not offered to this client, which was started with --tools. Offered: {', '.join(offered)}. "
        "The person who set it up can offer more: gasoline-cdp mcp --tools all"
    )
    return failure(GasolineError(Code.UNKNOWN_TOOL, message, tools=list(offered)))
