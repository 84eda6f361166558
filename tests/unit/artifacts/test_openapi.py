"""The OpenAPI document is valid, whatever was learned."""

from typing import Any

import jsonschema
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from gasoline_cdp.analysis.contracts import Contract
from gasoline_cdp.analysis.exchanges import ABSENT, Exchange
from gasoline_cdp.analysis.json_schema import json_schema
from gasoline_cdp.analysis.shape_tree import Node, learn
from gasoline_cdp.artifacts.openapi import make_openapi

pytestmark = pytest.mark.requirement("F5-OPENAPI")


def schema_of(*values: Any) -> dict[str, Any]:
    node = Node()
    for turn, value in enumerate(values):
        learn(node, value, turn)
    return json_schema(node)


def endpoint(method: str, path: str, *values: Any, operation: str = "", status: int = 200, **sent: Any) -> Contract:
    made = Contract(
        endpoint=f"{method} {path} {operation}".strip(), method=method, path=path, origin="https://api.test"
    )
    for value in values or (ABSENT,):
        made.observe(status, value, 1.0, exchange=Exchange(**sent))
    return made


VALUES: list[Any] = [
    {"id": 1, "tags": ["a", 1, None], "boss": None, "map": {"12": {"n": 1}, "13": {"n": 2}}},
    {"id": 2, "tags": [], "boss": {"id": 3}, "extra": True},
    [[1], [2.5, "x"]],
    "text",
]


def test_a_schema_accepts_what_it_was_learned_from() -> None:
    for values in ([VALUES[0], VALUES[1]], [VALUES[2]], [VALUES[3], 1], VALUES):
        schema = schema_of(*values)
        jsonschema.Draft202012Validator.check_schema(schema)
        for value in values:
            jsonschema.validate(value, schema, cls=jsonschema.Draft202012Validator)


def test_the_document_is_valid_openapi() -> None:
    document = make_openapi(
        [
            endpoint("GET", "/users/:id", *VALUES[:2]),
            endpoint("DELETE", "/users/:id", status=204),
            endpoint("GET", "/users/:id/posts/:id", VALUES[2]),
            endpoint("POST", "/graphql", {"data": {"a": 1}}, operation="A"),
            endpoint("POST", "/graphql", {"data": {"b": 1}}, operation="B"),
            endpoint("GET", "/odd/{brace}", {}),
            endpoint("GET", "/", [], status=404),
            endpoint("WS", "/socket"),
        ]
    )
    OpenAPIV31SpecValidator(document).validate()
    assert [one["name"] for one in document["paths"]["/users/{id}/posts/{id2}"]["parameters"]] == ["id", "id2"]
    graphql = document["paths"]["/graphql"]["post"]
    assert [one["title"] for one in graphql["responses"]["200"]["content"]["application/json"]["schema"]["anyOf"]] == [
        "A",
        "B",
    ]
    assert "/socket" not in document["paths"]


def test_nothing_learned_is_valid_too() -> None:
    OpenAPIV31SpecValidator(make_openapi([])).validate()
