"""A client can call what it is offered, and nothing else."""

import pytest

from gasoline_cdp.frontends.client_options import DEFAULTS, ClientOptions
from gasoline_cdp.frontends.mcp.offered import refuse_tool, tools_for
from gasoline_cdp.tools.registry import TOOLS

pytestmark = pytest.mark.requirement("F9-TOOLS")


def test_a_tool_that_is_not_offered_is_refused_in_a_sentence() -> None:
    offered = tools_for(ClientOptions(tools=("observe",)))
    answer = refuse_tool(offered, "security_audit")
    assert answer.is_error
    assert answer.data["error"] == "unknown_tool"
    assert answer.data["message"].startswith("security_audit is not offered to this client")
    assert answer.data["details"] == {"tools": ["observe"]}
    unknown = refuse_tool(offered, "obsrve")
    assert unknown.is_error
    assert unknown.data["message"] == "There is no tool 'obsrve'. Tools: observe."


def test_what_is_asked_for_is_offered_and_by_default_everything() -> None:
    assert list(tools_for(ClientOptions(tools=("observe",)))) == ["observe"]
    assert tools_for(DEFAULTS) == TOOLS
