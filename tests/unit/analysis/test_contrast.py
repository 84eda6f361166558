"""Colours that have enough contrast."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gasoline_cdp.analysis.contrast import parse_colour, passing_colour, ratio, write_colour

COLOURS = st.tuples(*[st.integers(0, 255)] * 3)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("#ffffff", "#000000", 21.0),
        ("#767676", "#ffffff", 4.54),
        ("#999999", "#ffffff", 2.85),
        ("#abcdef", "#abcdef", 1.0),
    ],
)
def test_the_ratio_is_that_of_wcag(one: str, other: str, expected: float) -> None:
    first, second = parse_colour(one), parse_colour(other)
    assert first is not None
    assert second is not None
    assert ratio(first, second) == pytest.approx(expected, abs=0.005)
    assert ratio(second, first) == ratio(first, second)


@pytest.mark.parametrize("text", ["red", "#fff", "", None, 7, "#12345g", "rgb(0,0,0)"])
def test_what_is_no_colour_is_none(text: object) -> None:
    assert parse_colour(text) is None


def test_the_grey_everybody_knows() -> None:
    found = passing_colour((0x99, 0x99, 0x99), (255, 255, 255), 4.5)
    assert found is not None
    assert write_colour(found) == "#767676"


@given(COLOURS, COLOURS, st.sampled_from([3.0, 4.5, 7.0]))
def test_a_colour_that_is_offered_passes(
    colour: tuple[int, int, int], against: tuple[int, int, int], required: float
) -> None:
    found = passing_colour(colour, against, required)
    if found is None:
        assert max(ratio((0, 0, 0), against), ratio((255, 255, 255), against)) < required
    else:
        assert ratio(found, against) >= required
        if ratio(colour, against) >= required:
            assert found == colour
