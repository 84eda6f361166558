"""What tools answer: each class has its schema, and its lines."""

import attrs
import pytest

from gasoline_cdp import wire
from gasoline_cdp.answers.lines import Rendered
from gasoline_cdp.comparisons.verify_answers import VerifyAnswer
from gasoline_cdp.frontends.mcp.resources import RESOURCES, TEMPLATES
from gasoline_cdp.operations.jobs import Pending
from gasoline_cdp.operations.operation import Tool
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.tools.schemas import answers_of, fields_of, observed, output_schema
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
def test_what_only_lines_need_is_in_no_schema_and_in_no_document(tool: Tool) -> None:
    schema = output_schema(tool)
    for cls, one in zip(answers_of(tool), schema.get("anyOf", [schema]), strict=True):
        internal = {field.name for field in attrs.fields(cls) if field.metadata.get("internal")}
        assert not internal & set(one["properties"])
        assert [field.name for field in fields_of(cls)] == list(one["properties"])


def test_some_answers_have_what_only_lines_need() -> None:
    assert {"sentences", "steps"} <= {field.name for field in attrs.fields(VerifyAnswer)}
    assert not {"sentences", "steps"} & set(wire.schema_of(VerifyAnswer)["properties"])
