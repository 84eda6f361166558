"""JavaScript values as JSON: what each becomes, and what anything else becomes."""

from typing import Any

import pytest

from gasoline_cdp import wire
from gasoline_cdp.analysis.plain_values import plain_value


def number(value: Any) -> dict[str, Any]:
    return {"type": "number", "value": value}


def string(value: str) -> dict[str, Any]:
    return {"type": "string", "value": value}


@pytest.mark.parametrize(
    ("deep", "plain"),
    [
        ({"type": "undefined"}, None),
        ({"type": "null"}, None),
        ({"type": "boolean", "value": False}, False),
        (number(1.5), 1.5),
        (number("NaN"), "NaN"),
        ({"type": "bigint", "value": "12"}, "12n"),
        (string("a\u202eb"), "ab"),
        ({"type": "date", "value": "1970-01-01T00:00:00.000Z"}, "1970-01-01T00:00:00.000Z"),
        ({"type": "regexp", "value": {"pattern": "a", "flags": "g"}}, "/a/g"),
        ({"type": "array", "value": [number(1), string("x")]}, [1, "x"]),
        ({"type": "object", "value": [["a", number(1)]]}, {"a": 1}),
        ({"type": "map", "value": [["a", number(1)], [number(2), string("b")]]}, {"[Map(2)]": [["a", 1], [2, "b"]]}),
        ({"type": "set", "value": [number(1)]}, {"[Set(1)]": [1]}),
        ({"type": "function"}, "[Function]"),
        ({"type": "arraybuffer"}, "[ArrayBuffer]"),
        # Deeper than was asked for.
        ({"type": "object", "weakLocalObjectReference": 9}, "[Object]"),
        ({"type": "node", "value": {"nodeType": 1, "localName": "a", "attributes": {"class": "b c"}}}, "<a.b.c>"),
        ({"type": "node", "value": {"nodeType": 3}}, "[Text]"),
        ({"type": "node"}, "[Node]"),
        (None, "[Unknown]"),
        ({}, "[None]"),
    ],
)
def test_each_kind(deep: Any, plain: Any) -> None:
    assert plain_value(deep) == plain
    wire.encode(plain_value(deep))


def test_cycles_are_named_and_repetitions_told_again() -> None:
    again = {"type": "array", "weakLocalObjectReference": 2}
    deep = {
        "type": "object",
        "weakLocalObjectReference": 1,
        "value": [
            ["list", {"type": "array", "weakLocalObjectReference": 2, "value": [number(1)]}],
            ["again", again],
            ["self", {"type": "object", "weakLocalObjectReference": 1}],
        ],
    }
    assert plain_value(deep) == {"list": [1], "again": [1], "self": "[Circular]"}


@pytest.mark.requirement("S19")
def test_what_is_secret_by_its_name_or_its_form_is_masked() -> None:
    token = "ghp_" + "A1b2C3d4E5" * 4
    deep = {
        "type": "object",
        "value": [
            ["password", string("hunter2")],
            ["text", string(f"it is {token}")],
            ["map", {"type": "map", "value": [["api_key", string("abcdef")]]}],
            ["token_count", number(3)],
        ],
    }
    plain = plain_value(deep)
    assert plain["password"] == "[REDACTED]"
    assert token not in plain["text"]
    assert plain["map"] == {"[Map(1)]": [["api_key", "[REDACTED]"]]}
    assert plain["token_count"] == 3
