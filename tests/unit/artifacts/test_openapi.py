"""The OpenAPI document is valid, whatever was learned."""

import json
from typing import Any

import jsonschema
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from gasoline_cdp.analysis.contracts.contract import Contract
from gasoline_cdp.analysis.contracts.exchanges import ABSENT, Exchange
from gasoline_cdp.analysis.contracts.json_schema import json_schema
from gasoline_cdp.analysis.contracts.shape_tree import Node, learn
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


def test_what_calls_sent_is_described() -> None:
    document = make_openapi(
        [
            endpoint(
                "POST", "/orders", {"id": 1}, query="dry_run=true&page=2&tag=a&tag=b", status=201,
                request_type="application/json; charset=utf-8", request={"sku": "x", "count": 2},
                response_type="application/json",
            ),
            endpoint("POST", "/login", {}, request_type="application/x-www-form-urlencoded", request={"a": "1"}),
            endpoint("POST", "/upload", {"ok": True}, request_type="multipart/form-data; boundary=x"),
        ]
    )  # fmt: skip
    OpenAPIV31SpecValidator(document).validate()
    post = document["paths"]["/orders"]["post"]
    assert {one["name"]: one["schema"] for one in post["parameters"]} == {
        "dry_run": {"type": "boolean"},
        "page": {"type": "integer"},
        "tag": {"type": "array", "items": {"type": "string"}},
    }
    body = post["requestBody"]
    assert body["required"]
    assert body["content"]["application/json"]["schema"]["properties"] == {
        "sku": {"type": "string"},
        "count": {"type": "number"},
    }
    login = document["paths"]["/login"]["post"]["requestBody"]["content"]
    assert login["application/x-www-form-urlencoded"]["schema"]["properties"] == {"a": {"type": "string"}}
    assert document["paths"]["/upload"]["post"]["requestBody"]["content"] == {"multipart/form-data": {}}


def test_a_parameter_that_some_calls_lack_is_optional() -> None:
    made = endpoint("GET", "/items", [], [], query="page=1")
    made.observe(200, [], 1.0, exchange=Exchange(query="page=1&q=0x&1794965521840"))
    (page, q) = make_openapi([made])["paths"]["/items"]["get"]["parameters"]
    assert (page["required"], q["required"], q["schema"]) == (True, False, {"type": "string"})


def test_what_was_refused_does_not_blur_what_was_accepted() -> None:
    made = endpoint("POST", "/items", {}, query="page=1", request_type="application/json", request={"n": 1})
    wrong = Exchange(query="page=x&sort=up", request_type="application/json", request={"n": "one"})
    made.observe(422, {"detail": "no"}, 2.0, exchange=wrong)
    post = make_openapi([made])["paths"]["/items"]["post"]
    assert {one["name"]: (one["required"], one["schema"]["type"]) for one in post["parameters"]} == {
        "page": (True, "integer"),
        "sort": (False, "string"),
    }
    assert post["requestBody"]["content"]["application/json"]["schema"]["properties"] == {"n": {"type": "number"}}
    only_refused = make_openapi([endpoint("POST", "/x", {}, query="a=1", status=400)])["paths"]["/x"]["post"]
    assert [one["name"] for one in only_refused["parameters"]] == ["a"]


def test_errors_have_schemas_of_their_own() -> None:
    made = endpoint("GET", "/users/:id", {"id": 1}, response_type="application/json")
    problem = Exchange(response_type="application/problem+json")
    made.observe(404, {"title": "none such", "status": 404}, 2.0, exchange=problem)
    made.observe(502, ABSENT, 3.0, exchange=Exchange(response_type="text/html"))
    responses = make_openapi([made])["paths"]["/users/{id}"]["get"]["responses"]
    schema = responses["404"]["content"]["application/problem+json"]["schema"]
    assert schema["properties"] == {"title": {"type": "string"}, "status": {"type": "number"}}
    assert responses["502"]["content"] == {"text/html": {}}
    assert set(responses["200"]["content"]["application/json"]["schema"]["properties"]) == {"id"}


PACKAGE = {"name": "x", "main": "index.js", "dist": {"size": 1, "sum": "y"}}


@pytest.mark.parametrize(
    "value",
    [
        {f"1.{number}.0": PACKAGE for number in range(60)},
        {f"2026-11-{number:02}": number for number in range(1, 29)},
        dict.fromkeys(["alpha", "beta", "gamma", "delta", "eta", "theta", "iota", "kappa", "lambda"], PACKAGE),
        {f"login.title.{number}": "text" for number in range(100)},
        {"created": "x", "modified": "y", **{f"1.{number}.0": "2026" for number in range(50)}},
        {f"word{chr(97 + number // 26)}{chr(97 + number % 26)}": "text" for number in range(200)},
        {f"src/file{number}.ts": {"lines": number, "covered": 1} for number in range(40)},
    ],
    ids=["versions", "dates", "names", "translations", "mixed", "words", "files"],
)
def test_dictionaries_have_one_schema_for_all_their_values(value: Any) -> None:
    schema = schema_of({"data": value})
    inside = schema["properties"]["data"]
    assert "additionalProperties" in inside
    assert "properties" not in inside
    jsonschema.validate({"data": value}, schema, cls=jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    "value",
    [
        {
            f"{name}_url": "x"
            for name in ["user", "team", "hooks", "issue", "events", "assignees", "branches", "tags", "blobs", "refs"]
        },
        {"id": 1, "a": {"x": 1}, "b": {"x": 2}, "c": {"x": 1}, "d": 1, "e": 2, "f": 3, "g": 4},
        {"billing": {"zip": 1}, "shipping": {"zip": 2}},
    ],
    ids=["links", "record", "two addresses"],
)
def test_records_keep_their_fields(value: Any) -> None:
    assert set(schema_of(value)["properties"]) == set(value)


def test_a_huge_answer_is_described_in_few_bytes() -> None:
    tangled = {
        f"part{a}": {f"field{b}{'x' if a % 2 else 'y'}{a}": {f"leaf{c}{a}{b}": c for c in range(6)} for b in range(12)}
        for a in range(40)
    }
    document = make_openapi([endpoint("GET", "/huge", tangled)])
    OpenAPIV31SpecValidator(document).validate()
    assert len(json.dumps(document)) < 12_000
