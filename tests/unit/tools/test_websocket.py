"""`get_websocket_events` where nothing can be told, or more than fits."""

import pytest

from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.tools.registry import TOOLS
from tests.fakes import PAGE, make_context

pytestmark = pytest.mark.requirement("F2-SOCKETS")


@pytest.mark.parametrize(("tool", "arguments"), [("get_websocket_events", {}), ("observe", {"what": "websockets"})])
async def test_capture_that_is_off_is_told(tool: str, arguments: dict[str, str]) -> None:
    context = make_context()
    on = await call_tool(TOOLS, context, tool, arguments)
    assert on.data["summary"] == "0 connections, 0 open. No events."
    context.capture.sockets.enabled = False
    off = await call_tool(TOOLS, context, tool, arguments)
    assert "--no-websockets" in off.data["summary"]
    assert "0 connections" not in off.data["summary"]


async def test_connections_that_do_not_fit_are_counted_and_can_be_had() -> None:
    context = make_context()
    for number in range(20):
        url = f"ws://app.test/{number}/" + "x" * 300
        context.capture.sockets.created({"requestId": str(number), "url": url}, PAGE, object(), 1.0)
    few = (await call_tool(TOOLS, context, "get_websocket_events", {})).data
    assert few["connections_left_out"] == 20 - len(few["connections"]) > 0
    more = (await call_tool(TOOLS, context, "get_websocket_events", {"max_bytes": 50_000})).data
    assert len(more["connections"]) == 20
    assert "connections_left_out" not in more
