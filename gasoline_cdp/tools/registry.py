"""All tools, in the order in which an assistant reads them."""

from gasoline_cdp.operations.operation import Tool
from gasoline_cdp.tools import (
    accessibility,
    act,
    analyze,
    bodies,
    check_performance,
    conditions,
    contracts,
    debug,
    dom,
    generate,
    generate_test,
    highlight,
    observe,
    page,
    scripts,
    security,
    sessions,
    state,
    streaming,
    verify,
    websocket,
)

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
        *security.TOOLS,
        *contracts.TOOLS,
        *verify.TOOLS,
        *sessions.TOOLS,
        *check_performance.TOOLS,
        *generate.TOOLS,
        *generate_test.TOOLS,
        *streaming.TOOLS,
        *act.TOOLS,
        *conditions.TOOLS,
        *highlight.TOOLS,
        *state.TOOLS,
        *scripts.TOOLS,
        *debug.TOOLS,
    )
}
