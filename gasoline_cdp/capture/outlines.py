"""Parses outlines of changed regions that pages report: known roles and whole texts only, in bounds."""

import re
from typing import Any

from gasoline_cdp import limits
from gasoline_cdp.redact import safe_text

_ROLE = re.compile(r"[a-z]{2,20}")
_REGIONS = ("test_id", "role", "id", "body")
_TEST_IDS = ("data-testid", "data-test-id", "data-cy")


def exact_text(value: object, limit: int) -> str | None:
    """A text that needs neither cut nor mask. Another would match nothing, or something else."""
    return value if isinstance(value, str) and value and safe_text(value, limit) == value else None


def parse_outline(given: object) -> dict[str, Any] | None:
    """The region and what changed in it, or None if nothing of it can be kept."""
    if not isinstance(given, dict):
        return None
    region = _region(given.get("region"))
    nodes = _nodes(given.get("nodes"), limits.OUTLINE_LEVELS, [limits.OUTLINE_NODES])
    return {"region": region, "nodes": nodes} if region and nodes else None


def _region(given: object) -> dict[str, str] | None:
    if not isinstance(given, dict) or given.get("kind") not in _REGIONS:
        return None
    value = exact_text(given.get("value"), limits.SELECTOR_CHARS)
    if value is None:
        return None
    region = {"kind": str(given["kind"]), "value": value}
    if region["kind"] == "test_id":
        if given.get("attribute") not in _TEST_IDS:
            return None
        region["attribute"] = str(given["attribute"])
    return region


def _nodes(given: object, levels: int, left: list[int]) -> list[Any]:
    """Nodes and texts, as many as are `left` for the whole outline."""
    nodes: list[Any] = []
    for one in given if isinstance(given, list) and levels else ():
        if not left[0]:
            break
        left[0] -= 1
        node = _node(one, levels, left) if isinstance(one, dict) else exact_text(one, limits.ACTION_VALUE_CHARS)
        if node is not None:
            nodes.append(node)
    return nodes


def _node(given: dict[str, Any], levels: int, left: list[int]) -> dict[str, Any] | None:
    role = given.get("role")
    if not isinstance(role, str) or not _ROLE.fullmatch(role):
        return None
    node: dict[str, Any] = {"role": role}
    if (name := exact_text(given.get("name"), limits.ACTION_VALUE_CHARS)) is not None:
        node["name"] = name
    level = given.get("level")
    if isinstance(level, int) and not isinstance(level, bool) and 1 <= level <= 6:
        node["level"] = level
    if given.get("checked") is True:
        node["checked"] = True
    if children := _nodes(given.get("children"), levels - 1, left):
        node["children"] = children
    return node
