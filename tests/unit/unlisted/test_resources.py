"""What resources hold that no tool answers."""

import pytest

from gasoline_cdp.operations.running import run_operation
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.tools.schemas import output_schema
from gasoline_cdp.unlisted.resources import BODY, EVENTS, SCHEMA, TOOL_INDEX, Events
from tests.fakes import make_context
from tests.reading import HOSTILE, assert_ours, lines_of

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


async def test_tools_have_a_line_each_and_one_address_for_all_schemas() -> None:
    answer = await run_operation(TOOL_INDEX, make_context(), {})
    heading, *rest = lines_of(answer.record)
    assert rest == [f"{tool.name}: {tool.title}" for tool in TOOLS.values()]
    pattern = heading.rpartition(" ")[2]
    assert [entry["output_schema"] for entry in answer.data["tools"]] == [
        pattern.replace("NAME", name) for name in TOOLS
    ]


def test_events_have_a_line_each() -> None:
    event = {
        "timestamp": "2026-11-16T08:00:00Z",
        "category": "errors",
        "severity": "error",
        "message": HOSTILE,
        "context": {"tab_id": 1, "url": HOSTILE, "at": HOSTILE},
    }
    lines = lines_of(Events(watching=True, events=[event, event]))
    assert lines[0] == "2 significant events."
    assert len(lines) == 3
    assert_ours(lines)
    assert "nothing new is added" in lines_of(Events(watching=False, events=[]))[0]
