"""The answer to tools/list. An assistant reads it at the start of every session, so each byte costs each time.

The documentation describes every argument in full. The list has only what an assistant cannot guess.
"""

from typing import Any

from gasoline_cdp import wire
from gasoline_cdp.frontends.client_options import DEFAULTS, ClientOptions
from gasoline_cdp.frontends.mcp.offered import tools_for
from gasoline_cdp.operations.operation import Tool

# These mean the same in every tool, and their names explain them.
_SELF_EXPLAINING = {
    "tab_id", "url_filter", "limit", "cursor", "max_bytes", "selector", "force_refresh", "method", "status_min",
    "status_max", "connection_id", "direction", "session_id", "name", "label", "snapshot_name", "level",
    "correlation_id", "include_passes", "include_styles", "include_children", "severity_min", "enabled",
    "events", "throttle_seconds", "checks", "properties", "max_depth", "duration_ms", "timeout_ms", "test_id",
    "compare_a", "ignore_endpoints", "interactive_only", "request_id", "include_static", "last_n_actions",
    "full_page", "retry", "worker", "browser_context_id", "browser", "test_name", "base_url", "error_message",
    "rounds",
}  # fmt: skip
# The names of the choices or the tool's own description explain these.
_DESCRIBED_ELSEWHERE = {
    ("analyze", "action"), ("diff_sessions", "action"), ("manage_state", "action"), ("generate", "format"),
    ("get_network_bodies", "full_body"), ("verify_fix", "action"), ("observe", "format"), ("observe", "include"),
    ("get_network_bodies", "since"), ("get_websocket_events", "since"),
    ("act", "steps"),
    *(("set_conditions", name) for name in (
        "locale", "timezone", "headers", "user_agent", "blocked", "reset", "cpu", "geolocation",
    )),
    ("generate", "since"), ("generate", "include_bodies"), ("generate", "retry"), ("generate_test", "language"),
    ("verify_fix", "include"), ("diff_sessions", "include"),
}  # fmt: skip
# The description of these names every choice, and what it goes with.
_CHOICES_DESCRIBED = {("analyze", "scope")}


def tool_list(options: ClientOptions = DEFAULTS) -> list[dict[str, Any]]:
    """The same bytes for all clients that are offered the same tools. The keys have the library's order.

    There are no titles: clients show the name then, and no title said more.
    """
    return [
        {
            **({"annotations": hints} if (hints := _hints(tool)) else {}),
            "description": tool.description,
            "inputSchema": _brief(tool),
            "name": tool.name,
        }
        for tool in tools_for(options).values()
    ]


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
        if shown.get("default") is False:
            del shown["default"]
        if shown.get("minimum") in (0, 1):
            del shown["minimum"]
        properties[name] = shown
    # Leave out that there are no other arguments: a call with one gets an error, and it would take 29 bytes per tool.
    required = {"required": schema["required"]} if "required" in schema else {}
    return {"properties": properties, **required, "type": "object"}
