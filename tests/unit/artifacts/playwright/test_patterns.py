"""Expressions that mean the same in both languages of the generated tests."""

import re

import pytest

from gasoline_cdp.analysis.flows.counters import COUNTED
from gasoline_cdp.artifacts.playwright.patterns import escaped, pattern_of


@pytest.mark.parametrize("text", ["a.b*c+d?", "^$", "${x}", "(1|2)", "[a]", "\\n", "a/b", "café – 3 €", "#1-2 &~"])
def test_a_text_matches_itself_and_nothing_else(text: str) -> None:
    assert re.fullmatch(escaped(text), text)
    assert not re.fullmatch(escaped(text), text.replace(text[0], "X", 1))


def test_numbers_that_change_may_be_others() -> None:
    pattern = pattern_of(f"{COUNTED} items (of {COUNTED})")
    assert re.fullmatch(pattern, "12 items (of 400)")
    assert not re.fullmatch(pattern, "twelve items (of 400)")


def test_a_slash_does_not_end_a_pattern_of_javascript() -> None:
    assert escaped("a/b") == r"a\/b"
