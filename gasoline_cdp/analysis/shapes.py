"""The shape of a JSON answer: its keys and types, and none of its values."""

import json
from typing import Any

_DEPTH = 3
_BEYOND = "..."


def response_shape(body: str | None, depth: int = _DEPTH) -> Any:
    """The shape of a body, or None where it is not JSON (or was cut, so that it no longer is).

    Primitives give the name of their type, objects a map from key to shape, arrays a list with the shape of their
    first element. The body itself is at depth 0; what lies deeper than `depth` is told as "...".
    """
    if not body:
        return None
    try:
        value = json.loads(body, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return _shape(value, depth)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _shape(value: object, depth: int) -> Any:
    if depth < 0:
        return _BEYOND
    if isinstance(value, dict):
        return {key: _shape(member, depth - 1) for key, member in value.items()}
    if isinstance(value, list):
        return [_shape(value[0], depth - 1)] if value else []
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "string" if isinstance(value, str) else "null"
