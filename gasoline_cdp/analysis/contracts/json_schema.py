"""A learned shape as a short JSON Schema (2020-12). Dictionaries are described by the type of their values."""

import re
from collections.abc import Iterator
from typing import Any

import orjson

from gasoline_cdp.analysis.contracts.shape_tree import DEPTH, Node, absorb
from gasoline_cdp.analysis.normalise import is_id

# An object with fewer members may as well be a record.
_MAP_OF_CONTAINERS = 8
_MAP_OF_SIMPLE = 40
# Share of fields that two members must have in common.
_ALIKE = 0.6
# Keys that no programmer writes: with dots, slashes, spaces or a leading digit.
_DATA_KEY = re.compile(r"\d.*|.*[\s/.].*|[a-z]{2}[-_][A-Z]{2}", re.DOTALL)


def json_schema(node: Node, depth: int = DEPTH) -> dict[str, Any]:
    """The schema to this depth. Anything is allowed below it."""
    types = sorted(node.types)
    schema: dict[str, Any] = {"type": types[0] if len(types) == 1 else types} if types else {}
    if depth <= 0:
        return schema
    if "object" in node.types:
        values = node.values or _dictionary(node)
        if values is not None:
            schema["additionalProperties"] = json_schema(values, depth - 1)
        elif node.fields:
            schema["properties"] = {key: json_schema(member, depth - 1) for key, member in node.fields.items()}
            required = sorted(key for key, member in node.fields.items() if not member.optional)
            if required:
                schema["required"] = required
    if "array" in node.types and node.items is not None:
        schema["items"] = json_schema(node.items, depth - 1)
    return schema


def fitting_schema(node: Node, budget: int) -> dict[str, Any]:
    """The deepest schema that fits into so many bytes. At depth 0, only the type."""
    schema = json_schema(node)
    for depth in range(DEPTH - 1, -1, -1):
        if len(orjson.dumps(schema)) <= budget:
            break
        schema = json_schema(node, depth) | {"description": f"Shown to {depth} level{'s' if depth != 1 else ''}."}
    return schema


def _dictionary(node: Node) -> Node | None:
    """All members of an object as one node, if its keys are data: ids, dates, versions, file names, people's names."""
    members = node.fields
    if not _keys_are_data(members):
        return None
    values = Node()
    for member in members.values():
        absorb(values, member)
    values.optional = False
    return values


def _keys_are_data(members: dict[str, Node]) -> bool:
    if len(members) < _MAP_OF_CONTAINERS:
        return False
    types = set().union(*(member.types for member in members.values())) - {"null"}
    if len(types) > 1:
        return False
    data_keys = sum(is_id(key) or _DATA_KEY.fullmatch(key) is not None for key in members)
    if data_keys >= len(members) * 0.6:
        return True
    if types == {"object"}:
        likeness = list(_likeness(members))
        return sum(likeness) >= _ALIKE * len(likeness)
    return len(members) >= _MAP_OF_SIMPLE


def _likeness(members: dict[str, Node]) -> Iterator[float]:
    """How much each member has in common with the first one that has fields."""
    first = next((set(member.fields) for member in members.values() if member.fields), set[str]())
    for member in members.values():
        union = first | set(member.fields)
        yield len(first & set(member.fields)) / len(union) if union else 1.0
