"""Contracts: each row of what validate_api must show, by name."""

from typing import Any

import pytest

from gasoline_cdp import limits
from gasoline_cdp.analysis.contracts.contract import Contract
from gasoline_cdp.analysis.contracts.exchanges import ABSENT
from gasoline_cdp.findings import alert_level

pytestmark = pytest.mark.requirement("F5-CONTRACTS")

USER = {"id": 1, "name": "ada", "tags": ["x"], "address": {"street": "s", "zip": "1"}}


def contract(*values: Any, statuses: list[int] | None = None) -> Contract:
    made = Contract(endpoint="GET /users/:id", method="GET", path="/users/:id", origin="https://api.test")
    for number, value in enumerate(values):
        made.observe(statuses[number] if statuses else 200, value, 1_790_000_000.0 + number)
    return made


def told(made: Contract) -> list[tuple[str, str, str]]:
    """Of each violation its rule, its level, and the fields that it is about."""
    return [
        (
            violation.rule,
            alert_level(violation.severity),
            violation.location.name
            or ",".join(violation.evidence.get("missing_fields") or violation.evidence.get("new_fields") or ()),
        )
        for violation in made.violations()
    ]


def without(value: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: member for key, member in value.items() if key not in keys}


# Shape tracking


def test_shape_first_response_establishes() -> None:
    made = contract(USER)
    assert made.established_shape() == {
        "id": "number", "name": "string", "tags": ["string"], "address": {"street": "string", "zip": "string"},
    }  # fmt: skip


def test_shape_subsequent_responses_confirm() -> None:
    assert told(contract(*[USER] * 5)) == []


def test_shape_subsequent_response_violates() -> None:
    assert told(contract(*[USER] * 5, without(USER, "name"))) == [("shape_change", "warning", "name")]


# Violation types


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (without(USER, "name"), ("shape_change", "warning", "name")),
        ({**USER, "id": "1"}, ("type_change", "warning", "id")),
        ({**USER, "extra": 1}, ("new_field", "info", "extra")),
        ({**USER, "name": None}, ("null_field", "info", "name")),
        ({**USER, "tags": [1]}, ("array_shape_change", "warning", "tags[]")),
        ({**USER, "address": None}, ("null_field", "warning", "address")),
        ({**USER, "address": {"zip": "1"}}, ("shape_change", "warning", "address.street")),
    ],
    ids=["shape_change", "type_change", "new_field", "null_field", "array_shape_change", "object to null", "nested"],
)
def test_violation_types(changed: Any, expected: tuple[str, str, str]) -> None:
    assert told(contract(*[USER] * 4, changed)) == [expected]


@pytest.mark.parametrize(
    ("statuses", "severity"),
    [
        ([200, 200, 200, 500], ["critical"]),
        ([200, 200, 200, 404, 404], ["warning"]),
        ([200, 200, 200, 404], []),
        ([200, 500], []),
        ([200, 200, 200, 500, 200], []),
    ],
)
def test_violation_error_spike(statuses: list[int], severity: list[str]) -> None:
    made = contract(*[{"a": 1}] * len(statuses), statuses=statuses)
    assert [alert_level(v.severity) for v in made.violations() if v.rule == "error_spike"] == severity


def test_errors_do_not_change_the_shape() -> None:
    made = contract(USER, {"error": "x"}, USER, USER, statuses=[200, 500, 200, 200])
    assert "error" not in made.established_shape()
    assert told(made) == []


def test_graphql_errors_are_errors() -> None:
    good, bad = {"data": {"a": 1}}, {"data": None, "errors": [{"message": "no"}]}
    assert [v.rule for v in contract(good, good, good, bad, bad).violations()] == ["error_spike"]
    refused = {"errors": [{"message": "no such field"}]}
    assert [v.rule for v in contract(good, good, good, refused, refused).violations()] == ["error_spike"]
    report = {"errors": ["line 3"], "rows": 7}
    assert told(contract(*[report] * 5)) == []


def test_sample_values_are_redacted() -> None:
    made = contract(*[{"price": 1}] * 4, {"price": "19.99"})
    assert made.violations()[0].evidence["sample_value"] == "19.99"
    made = contract(*[{"price": 1}] * 4, {"price": "ada@corp.io"})
    assert made.violations()[0].evidence["sample_value"] == "[REDACTED]"
    made = contract(*[{"price": 1}] * 4, {"price": "ghp_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"})
    assert "wWPw5k4a" not in made.violations()[0].evidence["sample_value"]


@pytest.mark.requirement("S19")
@pytest.mark.parametrize("name", ["password", "access_token", "client_secret", "pin"])
def test_a_sample_of_a_secret_field_is_redacted(name: str) -> None:
    for before, after in ((1, "hunter2hunter2"), ("x", 4711)):
        made = contract(*[{"user": [{name: before}]}] * 4, {"user": [{name: after}]})
        assert made.violations()[0].evidence["sample_value"] == "[REDACTED]"


def test_one_failure_is_told_as_one() -> None:
    made = Contract("GET /x", "http://app.test", "GET")
    for status in (200, 200, 200, 500):
        made.observe(status, {"a": 1} if status == 200 else ABSENT, 1.0)
    assert made.violations()[0].title.endswith("then with error (500) the last time.")


# What is no break


def test_a_field_absent_in_one_of_ten_is_optional() -> None:
    thin = without(USER, "name")
    made = contract(*[USER] * 9, thin, *[USER] * 9, thin)
    assert told(made) == []
    assert "name?" in made.established_shape()


def test_a_nullable_field_is_learned() -> None:
    assert told(contract(*[USER] * 4, {**USER, "name": None}, USER, {**USER, "name": None})) == []


def test_integers_and_floats_are_numbers() -> None:
    assert told(contract(*[{"n": 1}] * 4, {"n": 1.5})) == []


def test_other_values_of_an_enum_are_no_change() -> None:
    assert told(contract(*[{"status": "open"}] * 4, {"status": "closed"})) == []


def test_dictionaries_keyed_by_ids_are_maps() -> None:
    made = contract(*[{"users": {str(number): {"n": 1}}} for number in range(6)])
    assert told(made) == []
    assert made.established_shape() == {"users": {"{id}": {"n": "number"}}}
    made.observe(200, {"users": {"99": {"n": "1"}}}, 1.0)
    assert [v.rule for v in made.violations()] == ["type_change"]


def test_dictionaries_keyed_by_names_are_maps() -> None:
    people = [{"alice": 1, "bob": 2}, {"carol": 3, "dan": 4}, {"eve": 5, "frank": 6}, {"grace": 7}]
    assert told(contract(*people)) == []


def test_arrays_of_mixed_shapes() -> None:
    posts = [{"type": "post", "text": "x"}, {"type": "image", "url": "u"}]
    assert told(contract(*[posts] * 4, [{"type": "video", "seconds": 3}])) == []


def test_secrets_and_essays_are_no_names_of_fields() -> None:
    secret = "ghp_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"
    strange = {secret: 1, "x" * 500: 1, "bell\x07": 1, "name": "ada"}
    made = contract(*[strange] * 4, {**strange, secret[:-1] + "y": 2})
    assert made.established_shape() == {"name": "string"}
    assert told(made) == []


# Consistency and minimum calls


def test_consistency_is_the_share_of_conforming_responses() -> None:
    assert contract(*[USER] * 4, without(USER, "name")).consistency == "80%"
    assert contract(*[USER] * 3, {}, {}, statuses=[201, 201, 201, 500, 500]).consistency == "60%"


def test_minimum_calls_no_violation_before_three() -> None:
    assert told(contract(USER, USER, without(USER, "name"))) == []
    assert told(contract(USER, USER, USER, without(USER, "name"))) != []


# Edge cases


def test_edge_non_json_and_empty_bodies() -> None:
    made = contract(ABSENT, ABSENT)
    assert made.established_shape() is None
    assert made.consistency == "100%"
    assert told(made) == []


def test_edge_very_deep_nesting() -> None:
    deep: Any = 1
    for _ in range(100):
        deep = {"x": deep}
    assert told(contract(*[deep] * 5)) == []


def test_edge_arrays_at_the_root() -> None:
    assert told(contract(*[[USER]] * 4, [without(USER, "id")])) == [("array_shape_change", "warning", "[].id")]
    assert told(contract(*[[]] * 4, [USER])) == []
    assert told(contract(*[[USER]] * 4, {"items": []})) == [("type_change", "warning", "")]


def test_violations_are_bounded() -> None:
    wide = {f"f{number}": number for number in range(200)}
    made = contract(*[wide] * 4, {key: str(value) for key, value in wide.items()})
    assert len(made.violations()) == limits.DEVIATIONS_PER_ENDPOINT
    assert made.deviations_full


# Answers from the browser's cache, and what is learned beside the shape


def test_not_modified_is_no_error() -> None:
    """A page that sends If-None-Match itself is answered 304 without a body."""
    made = contract(*[USER] * 3, *[ABSENT] * 3, statuses=[200, 200, 200, 304, 304, 304])
    assert told(made) == []
    assert made.consistency == "100%"
