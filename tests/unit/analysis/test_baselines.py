"""What loading a path usually costs."""

import pytest

from gasoline_cdp.analysis.baselines import Baseline, merged


def after(*loads: float | None) -> Baseline:
    baseline = None
    for load in loads:
        baseline = merged(baseline, {"load": load})
    assert baseline is not None
    return baseline


def test_the_first_sample_is_copied() -> None:
    assert after(100.0) == Baseline(samples=1, values={"load": 100.0}, counts={"load": 1})


@pytest.mark.parametrize(("loads", "mean"), [((100, 200), 150), ((100, 200, 600), 300), ((100, 200, 600, 300), 300)])
def test_the_second_to_the_fourth_give_the_mean(loads: tuple[float, ...], mean: float) -> None:
    assert after(*loads).values["load"] == pytest.approx(mean)


def test_from_the_fifth_on_the_newest_counts_a_fifth() -> None:
    assert after(100, 100, 100, 100, 200).values["load"] == pytest.approx(120)
    assert after(100, 100, 100, 100, 200, 200).values["load"] == pytest.approx(0.8 * 120 + 0.2 * 200)


def test_a_metric_that_is_missing_takes_nothing_away() -> None:
    assert after(100, None, None).values == {"load": 100}
    assert after(None, None).values == {}
    # It counts by itself: its first value is copied, whenever that comes.
    assert after(None, 70, 90).values["load"] == pytest.approx(80)
    assert after(None, 70).samples == 2
