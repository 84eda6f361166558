"""How a list of expressions is taken apart."""

import pytest

from gasoline_cdp.analysis.expressions import split_expressions


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a", ["a"]),
        ("a, b.c", ["a", "b.c"]),
        ("f(a, b), [1, 2], {x: 1, y: 2}", ["f(a, b)", "[1, 2]", "{x: 1, y: 2}"]),
        ("'a, b', `c, ${d}`", ["'a, b'", "`c, ${d}`"]),
        (r"'it\'s, so', x", [r"'it\'s, so'", "x"]),
        ("a, ", ["a"]),
    ],
)
def test_commas_separate_expressions_outside_of_brackets_and_quotes(text: str, parts: list[str]) -> None:
    assert split_expressions(text) == parts
