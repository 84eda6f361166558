"""What a test expects of a JSON answer, from its shape: which keys it has, and of which type. Values may differ."""

from typing import Any

from attrs import frozen

_TYPES = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean"}
_DEPTH = 3
_KEYS = 20


@frozen
class ObjectOf:
    """An object with at least these keys."""

    members: tuple[tuple[str, "Expected"], ...]


@frozen
class ArrayOf:
    """An array in which an element looks like this; None: any array."""

    element: "Expected | None"


# The name of a type, or a structure.
Expected = str | ObjectOf | ArrayOf


def expected_of(shape: Any, depth: int = _DEPTH) -> Expected | None:
    """The expectation, or None where the shape promises nothing: optional, of several types, or unknown."""
    if depth < 0:
        return None
    if isinstance(shape, str):
        return _TYPES.get(shape)
    if isinstance(shape, dict):
        return _object_of(shape, depth)
    if isinstance(shape, list) and len(shape) <= 1:
        return ArrayOf(expected_of(shape[0], depth - 1) if shape else None)
    return None


def _object_of(shape: dict[str, Any], depth: int) -> ObjectOf:
    members: list[tuple[str, Expected]] = []
    for key, member in shape.items():
        if key.endswith("?") or key == "{id}" or len(members) >= _KEYS:
            continue
        expected = expected_of(member, depth - 1)
        if expected is not None:
            members.append((key, expected))
    return ObjectOf(tuple(members))


def says_something(expected: Expected | None) -> bool:
    """Whether there is anything to check."""
    return expected is not None and expected != ObjectOf(())
