"""What resources hold that no tool answers."""

import pytest

from gasoline_cdp.operations.running import run_operation
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.tools.schemas import output_schema
from gasoline_cdp.unlisted.resources import BODY, EVENTS, SCHEMA, TOOL_INDEX
from tests.fakes import make_context

pytestmark = pytest.mark.requirement("F3-MCP")


async def test_schemas_are_schemas_and_nothing_else() -> None:
    context = make_context(note="The browser crashed.")
    for name, tool in TOOLS.items():
        assert (await run_operation(SCHEMA, context, {"name": name})).data == output_schema(tool)
    index = (await run_operation(TOOL_INDEX, context, {})).data
    assert [entry["name"] for entry in index["tools"]] == list(TOOLS)
    assert (await run_operation(SCHEMA, context, {"name": "none"})).data["error"] == "unknown_tool"


async def test_there_may_be_no_events_and_no_such_body() -> None:
    context = make_context()
    assert (await run_operation(EVENTS, context, {})).data == {"watching": False, "events": []}
    missing = await run_operation(BODY, context, {"request_id": "r1", "side": "response"})
    assert missing.data["error"] in {"no_such_request", "body_unavailable"}
