"""`get_websocket_events` where nothing can be told."""

import pytest

from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.tools.registry import TOOLS
from tests.fakes import make_context

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
