"""All tools, in the order in which an assistant reads them."""

from gasoline_cdp.tools import bodies, contracts, generate, observe, page, security, websocket
from gasoline_cdp.tools.spec import Tool

TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        *observe.TOOLS,
        *bodies.TOOLS,
        *websocket.TOOLS,
        *page.TOOLS,
        *security.TOOLS,
        *contracts.TOOLS,
        *generate.TOOLS,
    )
}
