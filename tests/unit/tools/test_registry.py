"""Every tool has the arguments that were promised, refuses others by name, and tells of errors in one shape."""

from typing import Any

import pytest

from gasoline_cdp import wire
from gasoline_cdp.errors import Code
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.tools.spec import call_tool
from tests.fakes import make_context

pytestmark = pytest.mark.requirement("F1-TOOLS")

# What each tool was promised to take, beyond what lists of anything share.
PROMISED = {
    "observe": "what level since test_id correlation_id",
    "get_websocket_events": "connection_id direction",
    "get_network_bodies": "method status_min status_max request_id full_body",
    "query_dom": "selector include_styles include_children max_depth properties pierce",
    "get_page_info": "",
    "run_accessibility_audit": "scope tags include_passes force_refresh",
    "analyze": "action scope selector force_refresh name",
    "security_audit": "checks severity_min",
    "verify_fix": "action session_id label",
    "diff_sessions": "action name compare_a compare_b",
    "validate_api": "action ignore_endpoints",
    "configure_streaming": "enabled events throttle_seconds",
    "check_performance": "url",
    "generate": "format output",
    "highlight_element": "selector duration_ms",
    "manage_state": "action snapshot_name include_url",
    "execute_javascript": "script timeout_ms",
}
GATED = {"analyze", "highlight_element", "manage_state", "execute_javascript"}
# Of lists of what was captured, which all are gone through in the same way.
LISTING = {"tab_id", "url_filter", "limit", "cursor"}
LISTS = {"observe", "get_websocket_events", "get_network_bodies", "security_audit"}
CHOICES: dict[tuple[str, str], str] = {
    ("observe", "what"): (
        "errors logs network network_bodies websockets actions vitals performance page tabs timeline dom_snapshots "
        "screenshot accessibility_tree analyze_result status"
    ),
    ("security_audit", "checks"): "credentials auth_patterns pii_exposure transport headers cookies",
    ("security_audit", "severity_min"): "critical warning info",
    ("verify_fix", "action"): "start watch compare status cancel",
    ("diff_sessions", "action"): "capture compare list delete",
    ("validate_api", "action"): "analyze report clear",
    ("manage_state", "action"): "save load list delete",
    ("analyze", "action"): "audit security regression",
    ("analyze", "scope"): "accessibility performance full headers cookies storage baseline compare",
}


def _properties(name: str) -> dict[str, Any]:
    properties: dict[str, Any] = wire.schema_of(TOOLS[name].args)["properties"]
    return properties


def test_the_tools_are_those_that_were_promised() -> None:
    assert set(TOOLS) == set(PROMISED)
    assert {name for name, tool in TOOLS.items() if tool.pilot} == GATED


@pytest.mark.parametrize("name", list(PROMISED))
def test_a_tool_takes_what_was_promised(name: str) -> None:
    wanted = set(PROMISED[name].split()) | (LISTING if name in LISTS else set())
    assert wanted - set(_properties(name)) == set()
    for (tool, argument), names in CHOICES.items():
        if tool == name:
            part = _properties(name)[argument]
            assert set(part.get("enum") or part["items"]["enum"]) == set(names.split())


@pytest.mark.parametrize("name", list(TOOLS))
async def test_an_unknown_argument_is_refused_by_name(name: str) -> None:
    known = next(iter(_properties(name)))
    wrong = known[:-1] + "q"
    context = make_context(pilot=True)
    answer = await call_tool(TOOLS, context, name, {wrong: "x", "zzzzzz": 1})
    assert answer.is_error
    assert answer.data["error"] == "invalid_params"
    problems = answer.data["details"]["problems"]
    assert f"{wrong!r} is not an argument of this tool; did you mean {known!r}?" in problems
    assert any(problem.startswith("'zzzzzz' is not an argument") for problem in problems)


@pytest.mark.parametrize("name", list(TOOLS))
@pytest.mark.parametrize("given", [[], "text", 5, {"tab_id": "x"}, {"tab_id": -1}, {"no": 1}, {"tab_id": 999_999}])
async def test_every_error_has_the_one_shape(name: str, given: object) -> None:
    for pilot in (False, True):
        answer = await call_tool(TOOLS, make_context(pilot=pilot), name, given)
        if not answer.is_error:
            continue
        assert list(answer.data)[:3] == ["status", "error", "message"]
        assert set(answer.data) <= {"status", "error", "message", "details"}
        assert answer.data["status"] == "error"
        assert answer.data["error"] in {code.value for code in Code}
        assert answer.data["message"].rstrip()[-1] in ".?)"
        assert isinstance(answer.data.get("details", {}), dict)
