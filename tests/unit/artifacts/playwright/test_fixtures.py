"""Recorded answers as a module."""

import pytest

from gasoline_cdp.artifacts.playwright.fixtures import RecordedAnswer, write_fixtures

pytestmark = pytest.mark.requirement("F6-TESTS")


def answers(count: int, body: object = None) -> list[RecordedAnswer]:
    return [RecordedAnswer(method="GET", path=f"/api/{n}", status=200, body=body) for n in range(count)]


def test_an_answer_is_there_with_its_body_and_nothing_can_end_its_literal() -> None:
    made = write_fixtures(answers(1, {"name": "it's \u2028 `${x}`"}), "typescript")
    assert 'method: "GET", path: "/api/0", status: 200' in made.text
    assert "\\u2028" in made.text
    assert (made.count, made.left_out) == (1, 0)


def test_there_is_room_for_so_many_and_so_much() -> None:
    assert write_fixtures(answers(25), "typescript").left_out == 5
    large = write_fixtures(answers(3, "x" * 20_000), "typescript")
    assert (large.count, large.left_out) == (2, 1)


def test_javascript_has_no_types() -> None:
    assert ": Page" not in write_fixtures(answers(1), "javascript").text
