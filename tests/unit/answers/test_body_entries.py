"""How the bodies of a request look in an answer."""

import pytest

from gasoline_cdp.answers.body_entries import body_resource, show_body
from gasoline_cdp.answers.shared_facts import SharedFacts
from tests.fakes import body_record


def test_the_fields_have_the_names_of_the_original_tool() -> None:
    entry = show_body(body_record(7))
    assert (entry.requestBody, entry.responseBody, entry.contentType) == (
        '{"sent": 1}',
        '{"got": 2}',
        "application/json",
    )
    assert (entry.id, entry.duration, entry.missing) == ("r7", 12.0, None)


@pytest.mark.parametrize(
    ("request_cut", "response_cut", "resource"),
    [
        (False, False, None),
        (False, True, "gasoline://network/r1/response-body"),
        (True, False, "gasoline://network/r1/request-body"),
        (True, True, "gasoline://network/r1/response-body"),
    ],
)
def test_a_body_that_was_cut_says_where_the_rest_is(
    request_cut: bool, response_cut: bool, resource: str | None
) -> None:
    entry = show_body(body_record(1, request_truncated=request_cut, response_truncated=response_cut))
    assert (entry.truncated, entry.resource) == (request_cut or response_cut, resource)


@pytest.mark.parametrize(
    ("kind", "body", "told"),
    [
        ("application/json", ' {"got": 2}', ""),
        ("application/json", "<!doctype html>", " application/json"),
        ("text/html", '{"got": 2}', " text/html"),
    ],
)
def test_json_says_itself_what_it_is(kind: str, body: str, told: str) -> None:
    entry = show_body(body_record(1, content_type=kind, response_body=body))
    first, *_ = entry.lines(SharedFacts(tab_id=1), 300)
    assert first.text == f"http://app.test/api/orders{told} 12ms"


def test_the_address_of_a_body() -> None:
    assert body_resource("r7") == "gasoline://network/r7/response-body"
    assert body_resource("r7", sent=True) == "gasoline://network/r7/request-body"
