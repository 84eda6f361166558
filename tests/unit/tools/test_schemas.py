"""What tools answer: each class has its schema, and its lines."""

import pytest

from gasoline_cdp import wire
from gasoline_cdp.answers.lines import Rendered
from gasoline_cdp.frontends.mcp.resources import RESOURCES, TEMPLATES
from gasoline_cdp.operations.jobs import Pending
from gasoline_cdp.operations.operation import Tool
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.tools.schemas import answers_of, observed, output_schema
from gasoline_cdp.tools.state import StateAnswer, StateList
from gasoline_cdp.unlisted.resources import EVENTS, TOOL_INDEX

pytestmark = pytest.mark.requirement("F3-MCP")

ANSWERS = {cls: None for tool in TOOLS.values() for cls in answers_of(tool)}


@pytest.mark.parametrize("cls", ANSWERS, ids=lambda cls: cls.__name__)
def test_every_answer_of_a_tool_has_lines(cls: type) -> None:
    assert issubclass(cls, Rendered)


def test_every_view_and_every_part_of_a_union_is_among_them() -> None:
    assert {cls for view in observed().values() for cls in view} < set(ANSWERS)
    assert answers_of(TOOLS["manage_state"]) == [StateAnswer, StateList]
    assert Pending in answers_of(TOOLS["analyze"])


def test_every_resource_that_is_no_view_has_lines() -> None:
    own = {"events": EVENTS, "tools": TOOL_INDEX}
    views = set(observed())
    assert {listed.name for listed in RESOURCES.values()} - views == set(own)
    assert all(issubclass(operation.answer, Rendered) for operation in own.values())
    # One request is a view; the others hold a document as it is.
    assert {listed.name for listed in TEMPLATES if listed.holds == "answer"} == {"request"}


@pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)
def test_what_only_lines_need_is_in_no_schema(tool: Tool) -> None:
    schema = output_schema(tool)
    for cls, one in zip(answers_of(tool), schema.get("anyOf", [schema]), strict=True):
        assert one["properties"] == wire.schema_of(cls)["properties"]
        assert not {"sentences", "steps", "room", "text_chars"} & set(one["properties"])
