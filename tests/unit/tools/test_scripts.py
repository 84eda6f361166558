"""`execute_javascript` as lines: the result as JSON behind the mark, text as text."""

import json
from typing import Any

import pytest

from gasoline_cdp import limits, wire
from gasoline_cdp.tools.scripts import ScriptResult
from tests.reading import HOSTILE, assert_ours, lines_of


def result(value: Any, kind: str = "object", **changes: Any) -> ScriptResult:
    return ScriptResult(success=True, result=value, type=kind, tab_id=1, **changes)


@pytest.mark.parametrize(
    ("value", "kind", "line"),
    [
        (2, "number", "number from tab 1 | 2"),
        ("a b", "string", 'string from tab 1 | "a b"'),
        (None, "null", "null from tab 1 | null"),
        (None, "undefined", "undefined from tab 1"),
        ({"a": [1, "x"]}, "object", 'object from tab 1 | {"a":[1,"x"]}'),
    ],
)
def test_a_short_result_is_one_line(value: Any, kind: str, line: str) -> None:
    assert lines_of(result(value, kind)) == [line]


def test_a_long_result_stands_below_its_type() -> None:
    value = [{"id": number, "name": "x" * 50} for number in range(20)]
    heading, *rest = lines_of(result(value, "array"))
    assert heading == "array from tab 1:"
    assert json.loads("".join(line.removeprefix("| ") for line in rest)) == value


def test_text_of_several_lines_is_text() -> None:
    assert lines_of(result("a\n# b\n\nc", "string")) == ["string from tab 1:", "| a", "| # b", "| ", "| c"]


def test_what_has_no_room_for_marks_is_one_line() -> None:
    text = "\n" * 3000
    assert lines_of(result(text, "string", room=7000)) == [f"string from tab 1 | {json.dumps(text)}"]


def test_what_was_cut_is_told() -> None:
    shown = lines_of(result([1], "array", truncated=True, size_bytes=14_000, note="Too large."))
    assert shown == ["array from tab 1, 13.7KB in all | [1]", "Too large."]
    assert lines_of(result([1], "array", parts_at_least=900)) == ["array from tab 1, at least 900 parts | [1]"]


def test_the_room_of_an_answer_is_kept() -> None:
    value = {f"{number:03}": "x" * (number % 40) for number in range(250)}
    room = len(wire.encode(value)) * 21 // 20
    assert sum(len(line.encode()) + 1 for line in lines_of(result(value, room=room))) <= room + limits.KB // 10


@pytest.mark.parametrize("value", [HOSTILE, {HOSTILE: HOSTILE}, [HOSTILE] * 9, HOSTILE.replace("\n", "")])
def test_a_page_s_words_stay_the_page_s(value: Any) -> None:
    assert_ours(lines_of(result(value, HOSTILE)))
