"""Writes the browser's accessibility tree as the few lines that an assistant finds its way by."""

from collections.abc import Iterable
from typing import Any

from attrs import define, field

from gasoline_cdp.redact import REDACTED, safe_text

_NAME_CHARS = 120
_VALUE_CHARS = 80
_INDENT_MAX = 12
# Roles of nodes that only hold others, or that repeat what their parent says.
_TRANSPARENT = {"none", "generic", "presentation", "GenericContainer"}
_SILENT = {"InlineTextBox", "LineBreak", "ListMarker"}
_TEXT = {"StaticText", "LabelText"}
_WORDS = {"RootWebArea": "document", "StaticText": "text", "LabelText": "label", "image": "img", "Iframe": "iframe"}
# States worth a word when they are true, and those of which both values matter.
_IF_TRUE = ("focused", "disabled", "required", "readonly", "selected", "modal", "busy")
_EITHER = ("checked", "pressed", "expanded")
_BULLETS = "•●∙·*"
# What stands inside these is their value, which is told already.
_FIELDS = {"textbox", "searchbox", "spinbutton", "combobox", "slider", "ComboBoxMenuButton"}
_LEVELLED = {"heading", "treeitem"}


@define
class _Node:
    raw: dict[str, Any]
    children: "list[_Node]" = field(factory=list)


def write_tree(nodes: list[dict[str, Any]], *, suffix: str = "", start: int | None = None) -> list[str]:
    """Lines of one document's tree: `role "name" states [ref]`, indented by depth.

    `suffix` tells the references of a frame from the page's; `start` is the DOM node at which to begin.
    """
    known = {str(node.get("nodeId")): _Node(node) for node in nodes}
    roots = []
    for node in known.values():
        parent = known.get(str(node.raw.get("parentId", "")))
        if parent is None:
            roots.append(node)
    for node in known.values():
        node.children = [known[child] for child in map(str, node.raw.get("childIds") or ()) if child in known]
    if start is not None:
        roots = [node for node in known.values() if node.raw.get("backendDOMNodeId") == start]
    lines: list[str] = []
    # By hand, not by recursion: a page may nest its elements as deep as it likes.
    waiting = [(node, 0, "") for node in reversed(roots)]
    visited: set[int] = set()
    while waiting:
        node, depth, said = waiting.pop()
        if id(node) in visited:
            continue
        visited.add(id(node))
        line, name = _write(node.raw, said, suffix)
        if line is not None:
            lines.append("  " * min(depth, _INDENT_MAX) + line)
            depth, said = depth + 1, name or said
        if _role(node.raw) not in _TEXT and not (_role(node.raw) in _FIELDS and _value(node.raw)):
            waiting.extend((child, depth, said) for child in reversed(node.children))
    return lines


def _role(node: dict[str, Any]) -> str:
    return str((node.get("role") or {}).get("value") or "")


def _write(node: dict[str, Any], said: str, suffix: str) -> tuple[str | None, str]:
    """A node's line, or None where it says nothing new; and its name."""
    role, name = _role(node), " ".join(str((node.get("name") or {}).get("value") or "").split())
    if node.get("ignored") or role in _SILENT or not role:
        return None, ""
    if role in _TEXT:
        return (f'{_WORDS[role]} "{_quoted(name, _NAME_CHARS)}"', name) if name and name not in said else (None, "")
    states = list(_states(node))
    if role in _TRANSPARENT and not name and "focused" not in states:
        return None, ""
    parts = [safe_text(_WORDS.get(role, role), 40)]
    if name:
        parts.append(f'"{_quoted(name, _NAME_CHARS)}"')
    parts += states
    if number := node.get("backendDOMNodeId"):
        parts.append(f"[e{number}{suffix}]")
    return " ".join(parts), name


def _states(node: dict[str, Any]) -> Iterable[str]:
    properties = {one.get("name"): (one.get("value") or {}).get("value") for one in node.get("properties") or ()}
    if isinstance(level := properties.get("level"), int) and _role(node) in _LEVELLED:
        yield f"level={level}"
    for state in _IF_TRUE:
        if properties.get(state) is True:
            yield state
    if properties.get("invalid") not in (None, "false", False):
        yield "invalid"
    for state in _EITHER:
        value = properties.get(state)
        if value is not None:
            yield f"{state}={str(value).lower()[:10]}"
    if value := _value(node):
        shown = REDACTED if not value.strip(_BULLETS) else _quoted(value, _VALUE_CHARS)
        yield f'value="{shown}"'


def _value(node: dict[str, Any]) -> str:
    return str((node.get("value") or {}).get("value") or "")


def _quoted(text: str, limit: int) -> str:
    return safe_text(" ".join(text.split()), limit).replace('"', "'")
