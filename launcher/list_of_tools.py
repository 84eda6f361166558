"""Makes the list of tools. An assistant reads it at the start of every session, so each byte costs each time.

The documentation describes every argument in full. The list has only what an assistant cannot guess.
"""
# ruff: noqa: INP001 - a module of the checkout, which is no package

from typing import Any

from gasoline_cdp import wire
from gasoline_cdp.operations.operation import Tool
from gasoline_cdp.tools.registry import TOOLS

# These mean the same in every tool, and their names explain them.
_SELF_EXPLAINING = {
    "tab_id", "url_filter", "limit", "cursor", "selector", "connection_id", "session_id", "name", "snapshot_name",
    "level", "correlation_id", "include_styles", "include_children", "severity_min", "enabled", "timeout_ms",
    "compare_a", "interactive_only", "request_id", "include_static", "test_name", "status_min",
}  # fmt: skip
# The names of the choices or the tool's own description explain these.
_DESCRIBED_ELSEWHERE = {
    ("analyze", "action"), ("diff_sessions", "action"), ("manage_state", "action"), ("generate", "format"),
    ("get_network_bodies", "full_body"), ("verify_fix", "action"), ("act", "steps"), ("debug", "action"),
    ("set_conditions", "headers"), ("set_conditions", "blocked"), ("set_conditions", "reset"),
    ("set_conditions", "cpu"),
}  # fmt: skip
# The description of these names every choice, and what it goes with; or anybody would guess the choice.
_CHOICES_DESCRIBED = {("observe", "what"), ("analyze", "scope"), ("observe", "level")}
# Few calls need these: the description only has their names. A wrong value is answered with what is right.
_NAMED_ONLY = {
    "observe": {
        "retry", "worker", "browser_context_id", "browser", "format", "include", "max_bytes", "test_id",
        "last_n_actions", "full_page",
    },
    "get_network_bodies": {"method", "status_max", "tab_id", "since", "limit", "output"},
    "get_websocket_events": {"tab_id", "limit", "since", "direction"},
    "query_dom": {"properties", "pierce", "max_depth", "limit", "include"},
    "set_conditions": {"locale", "timezone", "geolocation", "user_agent"},
    "run_accessibility_audit": {"include_passes", "force_refresh", "tab_id"},
    "analyze": {"rounds", "selector", "force_refresh", "tab_id"},
    "security_audit": {"checks", "tab_id", "url_filter", "limit"},
    "validate_api": {"url_filter", "ignore_endpoints", "limit"},
    "verify_fix": {"label", "include", "tab_id", "url_filter"},
    "diff_sessions": {"tab_id", "url_filter", "include"},
    "generate": {
        "method", "status_min", "status_max", "since", "include_bodies", "test_id", "retry", "url_filter",
        "language", "error_message",
    },
    "generate_test": {
        "language", "assertions", "base_url", "url_filter", "tab_id", "last_n_actions", "fixtures", "output",
    },
    "configure_streaming": {"events", "throttle_seconds", "url_filter"},
    "manage_state": {"include_url", "tab_id"},
    "highlight_element": {"duration_ms", "tab_id"},
    "debug": {"url_filter", "condition", "limit", "async_stacks", "by_line", "output"},
}  # fmt: skip
# Of these, the choices are named, too.
_NAMED_WITH_CHOICES = {
    ("security_audit", "checks"), ("query_dom", "include"), ("verify_fix", "include"),
    ("configure_streaming", "events"), ("generate_test", "assertions"),
}  # fmt: skip
# An answer that is cut says that a larger max_bytes shows more: only `observe` names it before.
_SAID_BY_ANSWERS = {"max_bytes"}


def made_list() -> list[dict[str, Any]]:
    """The list, from the tools. The keys have the MCP library's order.

    There are no titles: clients show the name then, and no title said more.
    """
    return [
        {
            **({"annotations": hints} if (hints := _hints(tool)) else {}),
            "description": _description(tool),
            "inputSchema": _brief(tool),
            "name": tool.name,
        }
        for tool in TOOLS.values()
    ]


def _description(tool: Tool) -> str:
    """What it does, and the names of arguments that few calls need."""
    parts = wire.schema_of(tool.args)["properties"]
    names = [
        f"{name} ({', '.join(part.get('items', part)['enum'])})" if (tool.name, name) in _NAMED_WITH_CHOICES else name
        for name, part in parts.items()
        if name in _NAMED_ONLY.get(tool.name, ())
    ]
    return f"{tool.description} Also takes {', '.join(names)}." if names else tool.description


def _hints(tool: Tool) -> dict[str, bool]:
    """The hints that differ from what clients assume: that a tool changes something, and cannot undo it."""
    if tool.read_only:
        # The other hints have no meaning then.
        return {"readOnlyHint": True}
    hints = {}
    if not (tool.every_call.pilot if tool.destructive is None else tool.destructive):
        hints["destructiveHint"] = False
    if tool.idempotent:
        hints["idempotentHint"] = True
    return hints


def _without_extras(item: dict[str, Any]) -> dict[str, Any]:
    """An object in a list. Names of choices explain themselves."""
    properties = {
        name: {key: value for key, value in part.items() if key != "description" or "enum" not in part}
        for name, part in item["properties"].items()
    }
    return {"properties": properties, "required": item.get("required", []), "type": "object"}


def _brief(tool: Tool) -> dict[str, Any]:
    schema = wire.schema_of(tool.args)
    properties = {}
    for name, given in schema["properties"].items():
        if name in _NAMED_ONLY.get(tool.name, ()) or name in _SAID_BY_ANSWERS:
            continue
        shown = dict(given)
        known = name in _SELF_EXPLAINING and name not in schema.get("required", ())
        if known or (tool.name, name) in _DESCRIBED_ELSEWHERE:
            shown = {key: value for key, value in shown.items() if key in {"type", "enum", "items", "default"}}
        if (tool.name, name) in _CHOICES_DESCRIBED:
            del shown["enum"]
        # Any object: the description has an example.
        for objects in (shown, shown.get("items", {})):
            if objects.get("additionalProperties") == {}:
                del objects["additionalProperties"]
        if "properties" in shown.get("items", {}):
            shown["items"] = _without_extras(shown["items"])
        if shown.get("default") in (False, *shown.get("enum", ())[:1]):
            del shown["default"]
        if shown.get("minimum") in (0, 1):
            del shown["minimum"]
        properties[name] = shown
    # Leave out that there are no other arguments: a call with one gets an error, and it would take 29 bytes per tool.
    required = {"required": schema["required"]} if "required" in schema else {}
    return {"properties": properties, **required, "type": "object"}
