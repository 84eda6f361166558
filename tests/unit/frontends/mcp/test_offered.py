"""A client can call what it is offered, and nothing else."""

import pytest

from gasoline_cdp.frontends.client_options import DEFAULTS, ClientOptions
from gasoline_cdp.frontends.mcp.offered import call_offered, tools_for
from gasoline_cdp.tools.registry import TOOLS
from tests.fakes import make_context

pytestmark = pytest.mark.requirement("F9-TOOLS")


async def test_a_tool_that_is_not_offered_is_refused_in_a_sentence() -> None:
    offered = tools_for(ClientOptions(tools=("observe",)))
    answer = await call_offered(offered, make_context(), "security_audit", {})
    assert answer.is_error
    assert answer.data["error"] == "unknown_tool"
    assert answer.data["message"].startswith("security_audit is not offered to this client")
    assert answer.data["details"] == {"tools": ["observe"]}
    unknown = await call_offered(offered, make_context(), "obsrve", {})
    assert unknown.data["message"] == "There is no tool 'obsrve'. Tools: observe."


async def test_a_tool_that_is_offered_answers() -> None:
    offered = tools_for(ClientOptions(tools=("observe",)))
    answer = await call_offered(offered, make_context(), "observe", {"what": "errors"})
    assert answer.data["entries"] == []
    assert tools_for(DEFAULTS) == TOOLS
