"""Errors for messages that the library drops; tests/protocol/test_malformed.py sends them through every way in."""

import json
from typing import Any

import pytest

from gasoline_cdp.frontends.lines import Lines
from gasoline_cdp.frontends.mcp.malformed import (
    INVALID_REQUEST,
    PARSE_ERROR,
    error_of,
    errors_for,
    mistaken_for_notification,
    too_long,
)


def errors(line: bytes) -> list[tuple[Any, int]]:
    told = [json.loads(error) for error in errors_for(line)]
    assert all(error["jsonrpc"] == "2.0" and error["error"]["message"] for error in told)
    return [(error["id"], error["error"]["code"]) for error in told]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"{", [(None, PARSE_ERROR)]),
        (b"\xff", [(None, PARSE_ERROR)]),
        (b"[" * 100_000, [(None, PARSE_ERROR)]),
        (b"9" * 5000, [(None, PARSE_ERROR)]),
        (b"17", [(None, INVALID_REQUEST)]),
        (b"[]", [(None, INVALID_REQUEST)]),
        (b'[{"id":1,"method":"a"},{"method":"b"},{"id":2,"method":"c"}]', [(1, INVALID_REQUEST), (2, INVALID_REQUEST)]),
        (b'[{"id":1,"result":{}}]', [(None, INVALID_REQUEST)]),
        (b'{"jsonrpc":"2.0","id":"x","method":7}', [("x", INVALID_REQUEST)]),
        (b'{"jsonrpc":"2.0","id":true,"method":"a"}', [(None, INVALID_REQUEST)]),
        (b'{"jsonrpc":"2.0","id":4,"result":1}', [(None, INVALID_REQUEST)]),
    ],
)
def test_every_request_of_a_message_gets_an_error(line: bytes, told: list[tuple[Any, int]]) -> None:
    assert errors(line) == told


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "a"},
        {"jsonrpc": "2.0", "id": "1", "method": "a", "params": {}},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "error": {}},
    ],
)
def test_what_is_well_formed_has_no_error(message: dict[str, Any]) -> None:
    assert error_of(message) is None


@pytest.mark.parametrize("message", [[], 1, {"jsonrpc": "1.0"}, {"jsonrpc": "2.0", "id": 1, "result": {}, "error": {}}])
def test_what_is_not_has_one(message: Any) -> None:
    assert json.loads(error_of(message) or b"{}")["error"]["code"] == INVALID_REQUEST


def test_a_request_with_an_id_that_is_none_is_no_notification() -> None:
    assert mistaken_for_notification(b'{"id":null,"method":"a"}')
    assert not mistaken_for_notification(b'{"method":"a"}')
    assert not mistaken_for_notification(b"[]")


def test_a_line_that_is_too_long_is_told_without_an_id() -> None:
    told = json.loads(too_long())
    assert (told["id"], told["error"]["message"]) == (None, Lines.TOO_LONG)
