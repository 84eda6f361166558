"""Colours that have enough contrast."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gasoline_cdp.analysis.accessibility.contrast import parse_colour, passing_colour, ratio, write_colour

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
    found = passing_colour((0x99, 0x99, 0x99), [(255, 255, 255)], 4.5)
    assert found is not None
    assert write_colour(found) == "#767676"


@given(COLOURS, COLOURS, st.sampled_from([3.0, 4.5, 7.0]))
def test_a_colour_that_is_offered_passes(
    colour: tuple[int, int, int], against: tuple[int, int, int], required: float
) -> None:
    found = passing_colour(colour, [against], required)
    if found is None:
        assert max(ratio((0, 0, 0), against), ratio((255, 255, 255), against)) < required
    else:
        assert ratio(found, against) >= required
        if ratio(colour, against) >= required:
            assert found == colour


@given(COLOURS, st.lists(COLOURS, min_size=2, max_size=3))
def test_a_colour_passes_on_all_grounds_or_there_is_none(
    colour: tuple[int, int, int], grounds: list[tuple[int, int, int]]
) -> None:
    found = passing_colour(colour, grounds, 3.0)
    if found is not None:
        assert min(ratio(found, ground) for ground in grounds) >= 3.0


def test_a_colour_is_judged_as_it_is_seen() -> None:
    def half(colour: tuple[int, int, int]) -> tuple[int, int, int]:
        red, green, blue = (round((channel + 255) / 2) for channel in colour)
        return red, green, blue

    assert passing_colour((0, 0, 0), [(255, 255, 255)], 4.5, half) is None
    found = passing_colour((120, 120, 120), [(255, 255, 255)], 3.0, half)
    assert found is not None
    assert ratio(half(found), (255, 255, 255)) >= 3.0
