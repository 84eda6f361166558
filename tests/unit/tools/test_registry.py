"""Every tool has the arguments that were promised, refuses others by name, and tells of errors in one shape."""

from typing import Any, get_args

import attrs
import pytest

from gasoline_cdp import wire
from gasoline_cdp.errors import Code
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Tool
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.records import ActionRecord, DomSnapshotRecord, SocketRecord
from gasoline_cdp.tools.observe import VIEWS
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.views.listing import ObserveArgs
from tests.fakes import PAGE, body_record, log_record, make_context, network_record, performance_record

pytestmark = pytest.mark.requirement("F1-TOOLS")

# What each tool was promised to take, beyond what lists of anything share.
PROMISED = {
    "observe": "what level since test_id correlation_id mark",
    "get_websocket_events": "connection_id direction",
    "get_network_bodies": "method status_min status_max request_id full_body output",
    "query_dom": "selector include_styles include_children max_depth properties include pierce",
    "get_page_info": "",
    "run_accessibility_audit": "scope tags include_passes force_refresh",
    "analyze": "action scope selector force_refresh name of rounds",
    "security_audit": "checks severity_min",
    "verify_fix": "action session_id label",
    "diff_sessions": "action name compare_a compare_b",
    "validate_api": "action ignore_endpoints",
    "debug": "action on url_filter at expression condition limit",
    "configure_streaming": "enabled events throttle_seconds",
    "check_performance": "url",
    "generate": "format output",
    "generate_test": "test_name language last_n_actions base_url assertions fixtures output",
    "act": "steps tab_id wait_for",
    "set_conditions": (
        "viewport network cpu media locale timezone geolocation permissions headers user_agent blocked mocks reset"
    ),
    "highlight_element": "selector duration_ms",
    "manage_state": "action snapshot_name include_url",
    "execute_javascript": "script timeout_ms",
}
GATED = {"act", "analyze", "debug", "highlight_element", "manage_state", "execute_javascript", "set_conditions"}
# Of lists of what was captured, which all are gone through in the same way.
LISTING = {"tab_id", "url_filter", "limit", "cursor"}
LISTS = {"observe", "get_websocket_events", "get_network_bodies", "security_audit"}
CHOICES: dict[tuple[str, str], str] = {
    ("observe", "what"): (
        "errors logs network network_bodies websockets actions vitals performance page tabs timeline dom_snapshots "
        "screenshot accessibility_tree memory analyze_result status"
    ),
    ("security_audit", "checks"): "credentials auth_patterns pii_exposure transport headers cookies",
    ("security_audit", "severity_min"): "critical warning info",
    ("verify_fix", "action"): "start watch compare replay status cancel",
    ("diff_sessions", "action"): "capture compare list delete",
    ("validate_api", "action"): "analyze report clear",
    ("manage_state", "action"): "save load list delete",
    ("analyze", "action"): "audit memory security regression",
    ("analyze", "scope"): (
        "accessibility performance full headers cookies storage baseline compare snapshot leaks retainers classes "
        "strings closures object"
    ),
}


def _properties(name: str) -> dict[str, Any]:
    properties: dict[str, Any] = wire.schema_of(TOOLS[name].args)["properties"]
    return properties


def test_the_tools_are_those_that_were_promised() -> None:
    assert set(TOOLS) == set(PROMISED)
    assert {name for name, tool in TOOLS.items() if tool.every_call.pilot} == GATED


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


CHOOSING = {name: tool for name, tool in TOOLS.items() if wire.chooser_of(tool.args)}
# They bound an answer, or name the tab that a view is of: with any view of `observe` they do no harm.
COMMON = {"tab_id", "limit", "cursor", "max_bytes"}
_GIVEN: dict[str, Any] = {"string": "r1", "integer": 3000, "boolean": True}


def test_every_tool_with_actions_says_which_argument_chooses_them() -> None:
    assert set(CHOOSING) == {
        "observe",
        "analyze",
        "validate_api",
        "verify_fix",
        "diff_sessions",
        "generate",
        "manage_state",
        "debug",
    }


def test_an_argument_names_actions_that_there_are() -> None:
    for tool in CHOOSING.values():
        fields = {field.name: field for field in attrs.fields(attrs.resolve_types(tool.args))}
        choices = set(get_args(fields[wire.chooser_of(tool.args)].type))
        for field in fields.values():
            assert set(field.metadata.get("only") or ()) < choices, field.name


def _values(tool: Tool) -> dict[str, Any]:
    """A value that asks for something, for each argument."""
    values: dict[str, Any] = {}
    for name, part in wire.schema_of(tool.args)["properties"].items():
        if "items" in part:
            values[name] = [part["items"].get("enum", ["x"])[0]]
        else:
            given = part.get("enum", [_GIVEN.get(part["type"])])[0]
            values[name] = min(given, part.get("maximum", given)) if part["type"] == "integer" else given
        if values[name] == part.get("default"):
            values[name] = not values[name]
    return values


@pytest.mark.parametrize("name", list(CHOOSING))
async def test_what_has_no_effect_is_refused_with_where_it_belongs(name: str) -> None:
    tool, refused = TOOLS[name], 0
    chooser = wire.chooser_of(tool.args)
    fields = {field.name: field for field in attrs.fields(attrs.resolve_types(tool.args))}
    for choice in get_args(fields[chooser].type):
        for argument, value in _values(tool).items():
            only = fields[argument].metadata.get("only")
            if argument == chooser or not only or choice in only:
                continue
            context = make_context(pilot=True)
            answer = await call_tool(TOOLS, context, name, {chooser: choice, argument: value})
            assert answer.data["error"] == "invalid_params"
            (problem,) = answer.data["details"]["problems"]
            assert problem.startswith(f"{argument} goes with {chooser}=")
            assert all(repr(place) in problem for place in only)
            refused += 1
            # Some clients fill in every argument.
            for nothing in (fields[argument].default, *([""] if value == _GIVEN["string"] else [])):
                wire.parse(tool.args, {**_required(tool), chooser: choice, argument: nothing})
    assert refused > 0


def _required(tool: Tool) -> dict[str, Any]:
    return {name: _values(tool)[name] for name in wire.schema_of(tool.args).get("required", ())}


class _Noting(ObserveArgs):
    """Arguments that remember which of them were read."""

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("_"):
            read.add(name)
        return super().__getattribute__(name)


read: set[str] = set()


def _filled() -> Context:
    context = make_context(bodies="all")
    context.telemetry.add(log_record(1, "an error"))
    context.telemetry.add(network_record(2))
    context.telemetry.add(network_record(3, type="Script"))
    context.telemetry.add(body_record(4))
    context.telemetry.add(SocketRecord(seq=5, ts=1.0, source=PAGE, connection_id="1", url="ws://a.test", event="open"))
    context.telemetry.add(ActionRecord(seq=6, ts=1.0, source=PAGE, type="click", selectors={}, fields={}))
    context.telemetry.add(DomSnapshotRecord(seq=7, ts=1.0, source=PAGE, trigger="load", elements=()))
    context.telemetry.add(performance_record(8, "/cart"))
    return context


@pytest.mark.parametrize("what", [view for view in VIEWS if view not in {"status", "vitals"}])
def test_a_view_reads_what_it_takes(what: Any) -> None:
    """Whatever a view takes beyond the common ones it looks at, and it looks at nothing else."""
    read.clear()
    VIEWS[what](_Noting(what=what), _filled())
    fields = [field.name for field in attrs.fields(ObserveArgs)]
    taken = {name for name in fields if wire.goes_with(ObserveArgs, name, {"what": what})} - {"what"}
    assert taken - COMMON <= read
    assert read & set(fields) <= taken | {"what"}


def test_clearing_takes_no_filter() -> None:
    """A caller who names some URLs does not want all contracts to be forgotten."""
    with pytest.raises(Exception, match="url_filter goes with action='analyze' or 'report' only"):
        wire.parse(TOOLS["validate_api"].args, {"action": "clear", "url_filter": "/api"})
