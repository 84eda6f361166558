"""Lines: what they are made of, and what no page can do to them."""

import pytest

from gasoline_cdp.answers.lines import Line, cut_lines, note, rest_of, without_repeats
from gasoline_cdp.answers.text import write_lines


def test_the_parts_of_a_line_in_their_order() -> None:
    assert (
        str(Line("what", time="14:03:22", tag="r1 GET 500", place="a.js:1:2", depth=1))
        == "  14:03:22 r1 GET 500 what a.js:1:2"
    )
    assert str(Line("alone")) == "alone"


@pytest.mark.parametrize(
    "sign", ["\n", "\r", "\x85", "\u2028", "\u2029", "\x0b", "\x1b", "\u202e", "\u2066", "\U000e0041", "\ud800"]
)
def test_no_sign_ends_a_line_or_turns_it_around(sign: str) -> None:
    text = write_lines([Line(f"a{sign}b", tag=f"t{sign}", place=f"p{sign}"), Line("next")])
    assert sign not in text.replace("\n", "", 1)
    assert len(text.splitlines()) == 2


def test_what_the_line_above_says_is_not_said_again() -> None:
    body = "| a body that is long enough to fold"
    lines = [
        Line("/a", time="1", tag="r1 GET 500"),
        Line(body, depth=1),
        Line("/b", time="1", tag="r2 GET 500"),
        Line(body, depth=1),
        Line("/c", time="2", tag="r3"),
        Line("| short", depth=1),
        Line("no time"),
        Line("/d", time="2", tag="r4"),
    ]
    assert [str(line) for line in without_repeats(lines)] == [
        "1 r1 GET 500 /a",
        f"  {body}",
        "r2 GET 500 /b",
        "  (as r1)",
        "2 r3 /c",
        "  | short",
        "no time",
        "2 r4 /d",
    ]


def test_the_rest_is_spoken_of_only_if_there_is_one() -> None:
    assert list(rest_of(0, None)) == []
    assert list(rest_of(3, "17")) == [note('3 more: cursor="17"')]
    assert list(rest_of(3, None, "more paths")) == [note("3 more paths: a larger max_bytes shows them")]


def test_an_answer_that_is_too_long_ends_with_a_whole_line() -> None:
    text = "\n".join(f"line {number} " + "é" * 20 for number in range(100))
    assert cut_lines(text, 100_000) == text
    short = cut_lines(text, 1000)
    *kept, last = short.split("\n")
    assert len(short.encode()) <= 1000
    assert kept == text.split("\n")[: len(kept)]
    assert last == f"… {100 - len(kept)} more lines did not fit: narrow the question."
    assert len(cut_lines("é" * 5000, 1000).encode()) <= 1000
