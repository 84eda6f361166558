"""One table says what got worse, for every comparison."""

import pytest
from attrs import evolve

from gasoline_cdp.analysis.performance.regressions import (
    METRICS,
    Metrics,
    improvements,
    metrics_of,
    regressions,
    rounded,
    written,
)
from tests.fakes import NO_TIMING, performance_record

USUAL = Metrics(
    load=1000,
    first_contentful_paint=1000,
    largest_contentful_paint=1000,
    time_to_first_byte=1000,
    interaction_to_next_paint=100,
    cumulative_layout_shift=0.1,
    request_count=20,
    transfer_size=200_000,
    long_task_count=2,
    total_blocking_time=100,
)


def worse(before: Metrics, after: Metrics) -> list[str]:
    return [change.metric for change in regressions(before, after)]


# The last value that is still well, and the first that is not.
@pytest.mark.parametrize(
    ("metric", "before", "well", "ill"),
    [
        ("load", 1000, 1500, 1501),
        ("load", 100, 300, 301),
        ("first_contentful_paint", 1000, 1500, 1501),
        ("largest_contentful_paint", 1000, 1500, 1501),
        ("time_to_first_byte", 100, 300, 301),
        ("interaction_to_next_paint", 100, 150, 151),
        ("cumulative_layout_shift", 0.25, 0.3, 0.31),
        ("request_count", 20, 30, 31),
        ("request_count", 4, 9, 10),
        ("transfer_size", 200_000, 400_000, 400_001),
        ("transfer_size", 1000, 103_400, 103_401),
        ("total_blocking_time", 0, 100, 101),
    ],
)
def test_a_metric_is_worse_only_beyond_both_conditions(metric: str, before: float, well: float, ill: float) -> None:
    assert worse(Metrics(**{metric: before}), Metrics(**{metric: well})) == []
    assert worse(Metrics(**{metric: before}), Metrics(**{metric: ill})) == [metric]


def test_long_tasks_where_there_were_none_count_once_they_block() -> None:
    none = Metrics(long_task_count=0, total_blocking_time=0)
    assert worse(none, Metrics(long_task_count=1, total_blocking_time=10)) == []
    assert worse(none, Metrics(long_task_count=1, total_blocking_time=60)) == ["long_task_count"]
    assert "long_task_count" in worse(USUAL, Metrics(long_task_count=5, total_blocking_time=300))


def test_what_was_not_measured_is_not_judged() -> None:
    assert worse(Metrics(load=None), Metrics(load=9000)) == []
    assert worse(Metrics(load=100), Metrics(load=None)) == []


def test_a_regression_says_from_what_to_what() -> None:
    (change,) = regressions(Metrics(load=1100), Metrics(load=3200))
    assert (change.baseline, change.current, change.absolute_change) == (1100, 3200, 2100)
    assert change.change_percent == pytest.approx(190.9)


def test_from_nothing_no_share_can_be_told() -> None:
    (change,) = regressions(Metrics(total_blocking_time=0), Metrics(total_blocking_time=400))
    assert change.change_percent is None


def test_an_improvement_is_a_regression_the_other_way_round() -> None:
    after = Metrics(load=400, transfer_size=50_000)
    assert [change.metric for change in improvements(USUAL, after)] == ["load", "transfer_size"]
    assert regressions(USUAL, after) == []


def test_every_metric_has_a_rule() -> None:
    much = Metrics(**dict.fromkeys(METRICS, 1000000000.0))
    assert worse(Metrics(**dict.fromkeys(METRICS, 0)), much) == list(METRICS)


@pytest.mark.parametrize(
    ("metric", "value", "told", "text"),
    [
        ("load", 75.70000000018626, 75.7, "76 ms"),
        ("cumulative_layout_shift", 0.12345678, 0.1235, "0.123"),
        ("transfer_size", 2048.4, 2048, "2.0 KB"),
        ("request_count", 7.5, 8, "8"),
    ],
)
def test_numbers_are_rounded_and_have_units(metric: str, value: float, told: float, text: str) -> None:
    assert rounded(metric, value) == told
    assert written(metric, value) == text


def test_metrics_are_rounded_where_they_are_taken() -> None:
    record = performance_record(1, "/cart", timing=evolve(NO_TIMING, load=38.299999999813735))
    assert metrics_of(record).load == 38.3
