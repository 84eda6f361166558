"""Shapes of answers: keys and types, never values."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gasoline_cdp.analysis.contracts.shapes import response_shape

pytestmark = pytest.mark.requirement("F2-TIMELINE")

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=30,
)


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        ('"secret"', "string"),
        ("12", "number"),
        ("1.5e3", "number"),
        ("true", "boolean"),
        ("null", "null"),
        ("[]", []),
        ("{}", {}),
        ('[1, "a"]', ["number|string"]),
        ('{"a": 1, "b": [{"c": null}], "d": false}', {"a": "number", "b": [{"c": "null"}], "d": "boolean"}),
        ('{"a": {"b": {"c": {"d": 1}}}}', {"a": {"b": {"c": {"d": "..."}}}}),
        ('{"a": {"b": {"c": []}}}', {"a": {"b": {"c": []}}}),
        ("[[[[[1]]]]]", [[[["..."]]]]),
    ],
)
def test_a_shape_is_made_of_types(body: str, shape: object) -> None:
    assert response_shape(body, 600) == shape


@pytest.mark.parametrize("body", [None, "", "<html>", '{"cut": [1, 2', "NaN", "[Infinity]", "[" * 100_000, "1" * 5000])
def test_what_is_not_json_has_no_shape(body: str | None) -> None:
    assert response_shape(body, 600) is None


def test_a_shape_that_does_not_fit_is_told_with_less_depth() -> None:
    assert response_shape('{"a": {"b": 1}}', 20) == {"a": {"b": "number"}}
    assert response_shape('{"a": {"b": 1}}', 15) == {"a": "..."}
    assert response_shape(json.dumps({f"field{number}": 1 for number in range(500)}), 600) == "..."
    assert response_shape(json.dumps({str(number): {"n": 1} for number in range(500)}), 600) == {
        "{id}": {"n": "number"}
    }


def leaves(shape: object) -> set[str]:
    if isinstance(shape, dict):
        return set().union(*map(leaves, shape.values()))
    return set().union(*map(leaves, shape)) if isinstance(shape, list) else set(str(shape).split("|"))


@given(JSON)
def test_no_value_is_in_a_shape(value: object) -> None:
    shape = response_shape(json.dumps(value), 600)
    assert leaves(shape) <= {"string", "number", "boolean", "null", "..."}
    if isinstance(value, dict) and isinstance(shape, dict):
        assert {key.removesuffix("?") for key in shape} <= {*(key.removesuffix("?") for key in value), "{id}"}
