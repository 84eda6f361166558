"""The shape of one JSON answer: its keys and types, without its values."""

from itertools import islice
from typing import Any

import orjson

from gasoline_cdp.analysis.contracts.shape_tree import SHOWN_DEPTH, Node, learn, shown

_CLIPPED_ELEMENTS = 20


def response_shape(body: str | None, budget: int) -> Any:
    """The shape of a body, or None if it is not JSON (or no longer, because it was cut)."""
    if not body:
        return None
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    return fitting_shape(value, budget)


def fitting_shape(value: Any, budget: int) -> Any:
    """The shape of one answer for a reader, to the greatest depth that fits into so many bytes; see `shown`."""
    node = Node()
    # An object with more keys does not fit anyway, unless it is a dictionary.
    learn(node, _clipped(value, budget // 10, SHOWN_DEPTH), 0)
    for depth in range(SHOWN_DEPTH, -1, -1):
        shape = shown(node, depth)
        if len(orjson.dumps(shape)) <= budget:
            return shape
    return "..."


def _clipped(value: Any, most: int, depth: int) -> Any:
    """The beginning of an answer, so that large ones take no longer than small ones."""
    if isinstance(value, dict):
        if depth < 0:
            return {}
        return {key: _clipped(member, most, depth - 1) for key, member in islice(value.items(), most)}
    if isinstance(value, list):
        return [] if depth < 0 else [_clipped(member, most, depth - 1) for member in value[:_CLIPPED_ELEMENTS]]
    return value
