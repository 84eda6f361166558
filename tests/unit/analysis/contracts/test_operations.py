"""Endpoints that share an address are told apart by what was asked."""

import json

import pytest

from gasoline_cdp.analysis.contracts.operations import name_endpoint

pytestmark = pytest.mark.requirement("F5-CONTRACTS")


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"operationName": "Viewer", "query": "query Viewer { me }"}, "POST /graphql Viewer"),
        ({"query": "mutation AddItem($x: ID) { add }"}, "POST /graphql AddItem"),
        ({"query": "{ viewer { id } }"}, "POST /graphql viewer"),
        ([{"operationName": "A"}, {"operationName": "B"}], "POST /graphql A+B"),
        ({"jsonrpc": "2.0", "method": "eth_call", "id": 1}, "POST /graphql eth_call"),
        ({"name": "x"}, "POST /graphql"),
    ],
)
def test_operations(body: object, name: str) -> None:
    assert name_endpoint("POST", "https://h/graphql", json.dumps(body)) == name


def test_a_body_that_was_cut_still_names_its_operation() -> None:
    assert name_endpoint("POST", "https://h/graphql", '{"operationName": "Big", "query": "que') == "POST /graphql Big"


def test_rest_stays_as_it_is() -> None:
    assert name_endpoint("POST", "https://h/users/1?q=2", '{"query": "text without braces"}') == "POST /users/:id"
    assert name_endpoint("GET", "https://h/users/1", None) == "GET /users/:id"
