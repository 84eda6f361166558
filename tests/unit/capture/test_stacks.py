"""Stacks: from Chrome's frames, and from the text that an error carries."""

from typing import Any

import pytest

from gasoline_cdp import limits
from gasoline_cdp.capture.stacks import mapping, only_frame, parse_stack, parse_stack_text, split_error, whole
from gasoline_cdp.records import StackFrame


def frame(number: int = 0, **changes: Any) -> dict[str, Any]:
    given = {"functionName": f"f{number}", "url": "http://app.test/a.js", "lineNumber": number, "columnNumber": 4}
    return {**given, **changes}


def test_places_are_counted_from_one() -> None:
    assert parse_stack({"callFrames": [frame(9)]}) == (StackFrame("f9", "http://app.test/a.js", 10, 5),)


def test_only_the_first_frames_are_kept() -> None:
    many = [frame(number) for number in range(limits.STACK_FRAMES + 5)]
    assert len(parse_stack({"callFrames": many})) == limits.STACK_FRAMES


@pytest.mark.parametrize("stack", [None, [], {}, {"callFrames": 5}, {"callFrames": ["x", None]}])
def test_what_is_no_stack_has_no_frames(stack: object) -> None:
    assert parse_stack(stack) == ()


def test_the_same_stack_again_is_the_same_and_another_is_not() -> None:
    first = parse_stack({"callFrames": [frame(1)]})
    assert parse_stack({"callFrames": [frame(1)]}) is first
    assert parse_stack({"callFrames": [frame(2)]}) != first


def test_a_place_without_a_stack() -> None:
    assert only_frame({"url": "http://app.test/a.js", "lineNumber": 0}) == (
        StackFrame("", "http://app.test/a.js", 1, 1),
    )
    assert only_frame({"lineNumber": 3}) == ()


def test_a_rejection_that_no_code_made_has_no_place() -> None:
    start = {"url": "http://h/", "lineNumber": 0, "columnNumber": 0}
    assert only_frame({**start, "text": "Uncaught (in promise) SyntaxError: not JSON"}) == ()
    assert only_frame({**start, "text": "Uncaught"}) == (StackFrame("", "http://h/", 1, 1),)
    assert only_frame({**start, "text": "Uncaught (in promise)", "columnNumber": 4}) != ()


def test_an_error_is_what_it_says_and_its_stack() -> None:
    assert split_error("TypeError: no\n    at f (a.js:1:2)") == ("TypeError: no", "    at f (a.js:1:2)")
    assert split_error("no stack\nbut two lines") == ("no stack\nbut two lines", "")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("at Cart.add (http://h/app.js:10:5)", StackFrame("Cart.add", "http://h/app.js", 10, 5)),
        ("at async load (http://h/app.js:1:2)", StackFrame("async load", "http://h/app.js", 1, 2)),
        ("at async http://h/app.js:1:2", StackFrame("async", "http://h/app.js", 1, 2)),
        ("at http://h:8080/app.js:10:5", StackFrame("", "http://h:8080/app.js", 10, 5)),
        ("at eval (eval at run (http://h/a.js:1:1), <anonymous>:3:4)", StackFrame("eval", "", 3, 4)),
    ],
)
def test_lines_of_a_stack(line: str, found: StackFrame) -> None:
    assert parse_stack_text(f"    {line}") == (found,)


@pytest.mark.parametrize("line", ["at Array.map (<anonymous>)", "Error: at x", "at nowhere", ""])
def test_lines_without_a_place_are_left_out(line: str) -> None:
    assert parse_stack_text(line) == ()


def test_values_of_the_wrong_type_count_as_nothing() -> None:
    assert mapping([1]) == {}
    assert mapping({"a": 1}) == {"a": 1}
    assert [whole(value) for value in (3, 3.9, "3", None, 1e300)] == [3, 3, 0, 0, 0]
