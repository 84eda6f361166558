"""Contracts of endpoints as lines."""

from typing import Any

import pytest

from gasoline_cdp.answers.contract_lines import contract_lines, endpoint_words, shape_words, violation_lines
from gasoline_cdp.answers.text import write_lines
from tests.page_words import CLAIM, HOSTILE, ours

SHAPE = {"id": "number", "tags": ["string"], "note?": {"a": "string|null"}}
SEEN = {"expected_count": 3, "violation_count": 2, "first_seen": "2026-11-18T07:26:37Z"}


def violation(**changes: Any) -> dict[str, Any]:
    given = {"endpoint": "GET /api/cart", "type": "shape_change", "severity": "warning", "description": "Fields gone."}
    return {**given, "occurrences": SEEN, **changes}


def lines_of(entry: dict[str, Any], told: dict[str, Any] | None = None) -> list[str]:
    return [str(line) for line in violation_lines(entry, told)]


def test_shapes_read_like_types() -> None:
    assert shape_words(SHAPE) == "{id: number, tags: [string], note?: {a: string|null}}"
    assert shape_words([]) == "[]"
    assert shape_words("string") == "string"


def test_an_operation_stands_in_quotes_with_its_path() -> None:
    assert endpoint_words("GET /api/cart") == "GET /api/cart"
    assert endpoint_words("POST /graphql query Cart") == 'POST "/graphql query Cart"'
    assert endpoint_words("") == '""'


def test_a_change_shows_what_was_and_what_is_once_for_an_endpoint() -> None:
    told: dict[str, Any] = {}
    entry = violation(expected_shape=SHAPE, actual_shape={"id": "number"}, missing_fields=["tags"])
    assert lines_of(entry, told) == [
        "warning shape_change GET /api/cart 2 times | Fields gone.",
        "  was | {id: number, tags: [string], note?: {a: string|null}}",
        "  now | {id: number}",
    ]
    assert lines_of(entry, told) == ["warning shape_change GET /api/cart 2 times | Fields gone."]
    assert len(lines_of({**entry, "endpoint": "GET /api/other"}, told)) == 3


def test_fields_beyond_those_that_the_sentence_names() -> None:
    names = [f"f{number}" for number in range(6)]
    assert lines_of(violation(new_fields=names))[1:] == ["  | f0, f1, f2, f3, f4, f5"]
    assert lines_of(violation(new_fields=names[:5]))[1:] == []


def test_errors_show_their_statuses_and_body() -> None:
    once = {**SEEN, "violation_count": 1, "last_violation": "2026-11-18T07:26:39Z"}
    entry = violation(type="error_spike", occurrences=once, status_history=[200, 500], last_error_body='{"e": 1}')
    first, *rest = lines_of(entry)
    assert first.endswith(":39 warning error_spike GET /api/cart | Fields gone.")
    assert rest == ["  statuses: 200 500", '  body | {"e": 1}']
    assert lines_of(violation(sample_value="1"))[1:] == ["  sample | 1"]


def test_one_that_lost_its_fields_says_so() -> None:
    assert lines_of({"endpoint": "GET /a", "shortened": True}) == [
        "GET /a",
        "  shortened: it was too large for an answer",
    ]
    assert [str(line) for line in contract_lines({"endpoint": "GET /a", "shortened": True}, "")] == [
        "GET /a (shortened)"
    ]


def test_an_endpoint_says_what_is_not_ordinary() -> None:
    entry = {
        "endpoint": "GET /api/cart",
        "method": "GET",
        "origin": "http://app.test",
        "call_count": 1,
        "status_codes": {"200": 1},
        "established_shape": SHAPE,
        "consistency": "100%",
    }
    assert [str(line) for line in contract_lines(entry, "http://app.test")] == [
        "GET /api/cart",
        "  shape | {id: number, tags: [string], note?: {a: string|null}}",
    ]
    odd = {**entry, "call_count": 3, "status_codes": {"200": 2, "500": 1}, "consistency": "66%"}
    (line,) = contract_lines({**odd, "established_shape": None}, "http://other.test")
    assert str(line) == "GET /api/cart 3 calls 200×2 500×1 66% consistent at http://app.test no JSON seen"


@pytest.mark.requirement("S20")
@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_answer_passes_for_our_words(hostile: str) -> None:
    broken = violation(
        endpoint=f"GET /{hostile}",
        description=f"Field '{hostile}' became null.",
        new_fields=[hostile] * 6,
        sample_value=hostile,
        last_error_body=hostile,
        expected_shape={hostile: "string"},
    )
    known = {"endpoint": f"GET /{hostile}", "origin": f"http://{hostile}", "established_shape": [{hostile: "null"}]}
    lines = [*violation_lines(broken), *contract_lines(known, "")]
    text = write_lines(lines)
    assert len(text.splitlines()) == len(lines)
    assert text.count(CLAIM) == 14
    assert CLAIM not in ours(text)
