"""What loading a path usually costs."""

import pytest

from gasoline_cdp.analysis.performance.baselines import Baseline, compare_with, merged
from gasoline_cdp.analysis.performance.regressions import Metrics


def after(*loads: float | None) -> Baseline:
    baseline = None
    for load in loads:
        baseline = merged(baseline, {"load": load})
    assert baseline is not None
    return baseline


def test_the_first_sample_is_copied() -> None:
    assert after(100.0) == Baseline(samples=1, values={"load": 100.0}, worst={"load": 100.0}, counts={"load": 1})


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


def judged(baseline: Baseline, load: float) -> tuple[list[str], list[str]]:
    worse, suspected = compare_with(baseline, Metrics(load=load))
    return [change.metric for change in worse], [change.metric for change in suspected]


def test_few_loads_do_not_tell_how_much_a_page_varies() -> None:
    """The times of an unchanged page double on a busy machine: that is a suspicion, and no finding."""
    for loads in ((300,), (300, 320)):
        assert judged(after(*loads), 650) == ([], ["load"])
        assert judged(after(*loads), 3000) == (["load"], [])
        assert judged(after(*loads), 400) == ([], [])
    assert judged(after(300, 320, 310), 650) == (["load"], [])


def test_bytes_and_counts_do_not_vary() -> None:
    worse, suspected = compare_with(merged(None, {"transfer_size": 1000}), Metrics(transfer_size=400_000))
    assert ([change.metric for change in worse], suspected) == (["transfer_size"], [])


def test_what_was_seen_before_is_no_regression() -> None:
    varying = after(300, 900, 320, 310)
    assert judged(varying, 740) == ([], [])
    assert judged(varying, 950) == (["load"], [])
    # One bad load is forgotten after a while.
    assert judged(after(300, 900, *[310] * 12), 850) == (["load"], [])
