"""Normalising any text: never an error, and blind to the values it is meant to be blind to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gasoline_cdp.analysis.normalise import endpoint_of, normalise_message


@pytest.mark.requirement("F3-STREAM-RULES")
@given(st.text(max_size=2000))
def test_any_message_and_any_address_can_be_normalised(text: str) -> None:
    assert isinstance(normalise_message(text), str)
    assert endpoint_of("GET", text).startswith("GET ")
    assert "?" not in endpoint_of("GET", f"http://app.test/{text}")


@pytest.mark.requirement("F3-STREAM-RULES")
@given(st.integers(0), st.integers(0), st.uuids(), st.uuids())
def test_numbers_and_ids_make_no_difference(one: int, other: int, first: object, second: object) -> None:
    assert normalise_message(f"item {one} of {first} failed") == normalise_message(f"item {other} of {second} failed")
    assert endpoint_of("GET", f"http://a.test/u/{one}/p/{first}") == endpoint_of(
        "GET", f"http://a.test/u/{other}/p/{second}"
    )
