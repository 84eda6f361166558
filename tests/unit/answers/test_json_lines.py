"""JSON as lines: whole in one line where it is short, and always the same JSON."""

import json
from typing import Any

import pytest

from gasoline_cdp import wire
from gasoline_cdp.answers.json_lines import json_lines, one_line

ROOM = 50_000
LONG = {
    "name": "x" * 100,
    "list": [{"id": number, "text": "y" * 40} for number in range(8)],
    "empty": {},
    "deep": {"a": {"b": {"c": ["z" * 200, "w"]}}},
}


def joined(lines: list[str]) -> Any:
    assert all(line.startswith("| ") for line in lines)
    return json.loads("".join(line.removeprefix("| ").lstrip() for line in lines))


@pytest.mark.parametrize("value", [None, True, 1.5, "a", [], {}, [1, 2], {"a": {"b": [None]}}])
def test_what_is_short_is_one_line(value: object) -> None:
    assert json_lines(value, ROOM) == [f"| {json.dumps(value, separators=(',', ':'))}"]


@pytest.mark.parametrize(
    ("value", "several"),
    [
        (LONG, True),
        ([LONG, LONG], True),
        (list(range(500)), True),
        (["s" * 300], False),
        ({"k" * 200: {"k": 1}}, False),
    ],
)
def test_what_is_long_takes_several_if_it_has_parts_and_stays_the_same(value: object, several: bool) -> None:
    lines = json_lines(value, ROOM)
    assert (len(lines) > 1) == several
    assert joined(lines) == value
    marks = sum(len(line) + 1 for line in lines) - len(one_line(value))
    assert marks < 0.2 * len(one_line(value))


def test_without_room_for_several_lines_there_is_one() -> None:
    assert json_lines(LONG, 100) == [f"| {one_line(LONG)}"]


def test_line_ends_in_texts_are_escaped() -> None:
    (line,) = json_lines("a\u2028b\u2029c\x85d\ne\r", ROOM)
    assert len(line.splitlines()) == 1
    assert json.loads(line.removeprefix("| ")) == "a\u2028b\u2029c\x85d\ne\r"


def test_what_is_nested_deeply_takes_time_in_proportion() -> None:
    value: list[Any] = ["x" * 300]
    for _ in range(200):
        value = [value, "y" * 10]
    lines = json_lines(value, ROOM)
    assert len(lines) < 30
    assert joined(lines) == value
    assert len(wire.encode(value)) < 10_000
