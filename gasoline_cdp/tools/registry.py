"""All tools, in the order in which an assistant reads them."""

from gasoline_cdp.tools import (
    accessibility,
    analyze,
    bodies,
    check_performance,
    dom,
    highlight,
    observe,
    page,
    scripts,
    sessions,
    state,
    streaming,
    verify,
    websocket,
)
from gasoline_cdp.tools.spec import Tool

TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        *observe.TOOLS,
        *bodies.TOOLS,
        *websocket.TOOLS,
        *page.TOOLS,
        *dom.TOOLS,
        *accessibility.TOOLS,
        *analyze.TOOLS,
        *verify.TOOLS,
        *sessions.TOOLS,
        *check_performance.TOOLS,
        *streaming.TOOLS,
        *highlight.TOOLS,
        *state.TOOLS,
        *scripts.TOOLS,
    )
}
