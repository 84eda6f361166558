"""Lines that hold words of a page: behind the mark, and not cut apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gasoline_cdp.answers.marked_lines import labelled, line_bytes, listed, marked, sample_markup, wcag_words
from gasoline_cdp.answers.text import write_lines
from tests.page_words import CLAIM, HOSTILE, ours


def test_a_sentence_ends_its_line() -> None:
    assert str(labelled("fix", 'Set alt="…"\n on it')) == '  fix | Set alt="…" on it'
    assert marked("said") == "| said"
    assert str(labelled("shape", "x" * 900, chars=1000)) == f"  shape | {'x' * 900}"


def test_short_ones_share_a_line() -> None:
    assert [str(line) for line in listed(["#a", ".b > i", "#c"])] == ["  | #a, .b > i, #c"]
    long = ["#" + name * 70 for name in "abc"]
    assert [str(line) for line in listed(long, depth=2)] == [f"    | {name}" for name in long]
    assert list(listed([])) == []


@given(st.lists(st.text(min_size=1, max_size=150), max_size=30))
def test_a_list_has_each_once_and_costs_at_most_five_bytes_more_for_each(texts: list[str]) -> None:
    lines = list(listed(texts))
    folded = [" ".join(text.split()) for text in texts]
    assert ", ".join(line.text.removeprefix("| ") for line in lines) == ", ".join(filter(None, folded)) or "" in folded
    assert line_bytes(lines) <= sum(len(text.encode(errors="replace")) + 5 for text in folded)


def test_the_first_of_like_elements_shows_its_markup() -> None:
    elements = [{"selector": "#a", "html": "<img id=a>"}, {"selector": "#b", "html": "<img id=b>"}]
    assert [str(line) for line in sample_markup(elements)] == ["  html | <img id=a>"]
    assert list(sample_markup([{"selector": "html", "html": "<html>"}])) == []
    assert list(sample_markup([])) == []
    (cut,) = sample_markup([{"selector": "#a", "html": "<p>" + "x" * 500}])
    assert str(cut).endswith("x…")
    assert len(str(cut)) < 150


def test_good_practice_has_no_criterion() -> None:
    assert wcag_words("1.1.1", "A") == "WCAG 1.1.1 A"
    assert wcag_words("1.1.1 4.1.2", "") == "WCAG 1.1.1 4.1.2"
    assert wcag_words("", "") == ""


@pytest.mark.requirement("S20")
@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_page_leaves_its_mark(hostile: str) -> None:
    lines = [labelled("fix", hostile), *listed([hostile, hostile]), *sample_markup([{"html": hostile}])]
    text = write_lines(lines)
    assert len(text.splitlines()) == len(lines)
    assert CLAIM in text
    assert CLAIM not in ours(text)
