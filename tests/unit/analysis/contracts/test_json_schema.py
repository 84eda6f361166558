"""A learned shape as JSON Schema that its own answers satisfy."""

import json
from typing import Any

import jsonschema
import pytest

from gasoline_cdp.analysis.contracts.json_schema import fitting_schema, json_schema
from gasoline_cdp.analysis.contracts.shape_tree import Node, learn


def learned(*answers: Any) -> Node:
    node = Node()
    for turn, answer in enumerate(answers):
        learn(node, answer, turn)
    return node


ANSWERS: list[list[Any]] = [
    [{"id": 1, "name": "x"}, {"id": 2}],
    [[{"a": None}, {"a": 1}]],
    [{f"2026-01-0{day}": {"n": day} for day in range(1, 10)}],
    [1, "x", None],
]


@pytest.mark.parametrize("answers", ANSWERS)
def test_the_answers_it_was_learned_from_satisfy_it(answers: list[Any]) -> None:
    schema = json_schema(learned(*answers))
    jsonschema.Draft202012Validator.check_schema(schema)
    for answer in answers:
        jsonschema.validate(answer, schema)


def test_fields_of_every_answer_are_required() -> None:
    assert json_schema(learned({"id": 1, "name": "x"}, {"id": 2})) == {
        "type": "object",
        "properties": {"id": {"type": "number"}, "name": {"type": "string"}},
        "required": ["id"],
    }


def test_a_dictionary_is_told_by_its_values() -> None:
    files = {f"src/part{letter}.js": {"size": 1, "kind": "x"} for letter in "abcdefgh"}
    schema = json_schema(learned(files))
    assert set(schema) == {"type", "additionalProperties"}
    assert schema["additionalProperties"]["properties"].keys() == {"size", "kind"}


def test_a_record_with_many_fields_is_no_dictionary() -> None:
    record = {f"field{letter}": 1 for letter in "abcdefghij"}
    assert set(json_schema(learned(record))["properties"]) == set(record)


def test_a_schema_fits_by_showing_fewer_levels() -> None:
    deep: Any = {"leaf": 1}
    for level in range(4):
        deep = {f"level{level}{letter}": deep for letter in "abc"}
    node = learned(deep)
    schema = fitting_schema(node, 400)
    assert len(json.dumps(schema, separators=(",", ":"))) <= 400
    assert schema["description"].startswith("Shown to ")
    assert fitting_schema(node, 10) == {"type": "object", "description": "Shown to 0 levels."}
    assert fitting_schema(node, 10**6) == json_schema(node)
