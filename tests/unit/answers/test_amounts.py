"""Times, durations and sizes: three digits."""

from datetime import UTC, datetime, timedelta

import pytest

from gasoline_cdp.answers.amounts import box, clock, day, duration, number, seconds_between, size


@pytest.mark.parametrize(
    ("ms", "text"),
    [(0, "0ms"), (0.44, "0.4ms"), (0.96, "1ms"), (9.94, "10ms"), (120.4, "120ms"), (999.4, "999ms"), (999.6, "1s"),
     (1250, "1.25s"), (12_500, "12.5s"), (125_000, "125s")],
)  # fmt: skip
def test_durations(ms: float, text: str) -> None:
    assert duration(ms) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0B"), (1023, "1023B"), (1024, "1KB"), (1280, "1.25KB"), (12_800, "12.5KB"), (1024 * 1024, "1MB"),
     (1_310_720, "1.25MB"), (131_072_000, "125MB")],
)  # fmt: skip
def test_sizes(count: int, text: str) -> None:
    assert size(count) == text


def test_numbers_have_no_digits_that_nobody_measured() -> None:
    assert number(715.6999999997206) == "715.7"
    assert number(3) == "3"


def test_times_are_local_and_the_date_is_said_if_it_is_not_today() -> None:
    now = datetime.now(UTC)
    text = now.isoformat(timespec="milliseconds")
    assert clock(text) == now.astimezone().strftime("%H:%M:%S")
    assert clock(text, exact=True) == f"{clock(text)}.{now.microsecond // 1000:03}"
    earlier = now - timedelta(days=2)
    assert day(earlier.isoformat()) == earlier.astimezone().date().isoformat()
    assert day(datetime.now(UTC).isoformat()) == ""
    assert seconds_between(earlier.isoformat(), now.isoformat()) == 2 * 86_400


def test_boxes_are_in_whole_pixels_unless_they_are_small() -> None:
    assert box({"x": 239.28, "y": -649.5, "width": 62.89, "height": 0.25}) == "63x0.2 at 239,-650"
