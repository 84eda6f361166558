"""All tools, in the order in which an assistant reads them."""

from gasoline_cdp.tools import bodies, check_performance, observe, page, sessions, verify, websocket
from gasoline_cdp.tools.spec import Tool

TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        *observe.TOOLS,
        *bodies.TOOLS,
        *websocket.TOOLS,
        *page.TOOLS,
        *verify.TOOLS,
        *sessions.TOOLS,
        *check_performance.TOOLS,
    )
}
