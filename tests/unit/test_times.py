"""Times are written as the standard library writes them."""

from datetime import UTC, datetime
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gasoline_cdp.times import http_date, iso


@given(st.floats(0, 4e9))
def test_a_time_is_written_as_datetime_does(ts: float) -> None:
    expected = datetime.fromtimestamp(ts, UTC).isoformat(timespec="milliseconds")
    assert iso(ts) == expected.replace("+00:00", "Z")


@pytest.mark.parametrize(("ts", "year"), [(-1.0, "1970"), (1e20, "9999"), (float("inf"), "9999")])
def test_a_time_outside_the_calendar_is_the_nearest_inside(ts: float, year: str) -> None:
    assert iso(ts).startswith(year)


@given(st.integers(0, 4_000_000_000))
def test_a_date_of_http_is_written_as_the_standard_library_does(ts: int) -> None:
    assert http_date(ts) == formatdate(ts, usegmt=True)
