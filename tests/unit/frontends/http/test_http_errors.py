"""Errors over HTTP: one shape, and a status for every code."""

import json
from typing import Any

import pytest

from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends.http.http_errors import STATUS, send_refusal, status_of


@pytest.mark.parametrize("code", Code)
def test_every_code_has_a_status_that_is_an_error(code: Code) -> None:
    assert 400 <= status_of(code.value) < 600
    assert STATUS[code] == status_of(code.value)


async def test_a_refusal_is_a_whole_answer() -> None:
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await send_refusal(send, GasolineError(Code.NO_SUCH_TAB, "There is no tab 7.", tab_id=7), [(b"x-more", b"1")])
    start, body = sent
    told = json.loads(body["body"])
    assert start["status"] == 404
    assert dict(start["headers"]) == {
        b"content-type": b"application/json",
        b"content-length": b"%d" % len(body["body"]),
        b"x-more": b"1",
    }
    assert (told["error"], told["message"]) == ("no_such_tab", "There is no tab 7.")
    assert not body.get("more_body")
