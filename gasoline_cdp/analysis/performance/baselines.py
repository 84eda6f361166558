"""What loading a path usually costs: a running average to compare the next load with."""

from collections.abc import Mapping

from attrs import field, frozen

from gasoline_cdp.analysis.performance.regressions import METRICS, NOISE, Change, Metrics, regressions, rounded

# The first samples have equal weight. From then on each new one weighs a fifth.
_ALIKE = 4
_NEWEST_SHARE = 0.2
# With fewer samples we do not know how much the times of a page vary.
FEW = 3


@frozen(kw_only=True)
class Baseline:
    """Averages over several loads. A metric counts only the loads that measured it, and is missing if none did."""

    samples: int = 0
    values: dict[str, float] = field(factory=dict)
    # The worst recent values. A load no worse than an earlier one is no regression.
    worst: dict[str, float] = field(factory=dict)
    counts: dict[str, int] = field(factory=dict)


def merged(baseline: Baseline | None, sample: Mapping[str, float | None]) -> Baseline:
    """The baseline with one more load. Metrics that the load did not measure stay as they were."""
    before = baseline or Baseline()
    values, worst, counts = dict(before.values), dict(before.worst), dict(before.counts)
    for name, value in sample.items():
        if value is None:
            continue
        count = counts[name] = counts.get(name, 0) + 1
        known = values.get(name, value)
        share = 1 / count if count <= _ALIKE else _NEWEST_SHARE
        values[name] = known + (value - known) * share
        # A single bad load fades, so that it does not excuse all later ones.
        slowest = worst.get(name, value)
        worst[name] = max(value, slowest + (values[name] - slowest) * _NEWEST_SHARE)
    return Baseline(samples=before.samples + 1, values=values, worst=worst, counts=counts)


def compare_with(baseline: Baseline, load: Metrics) -> tuple[list[Change], list[Change]]:
    """Certain regressions and possible ones. With few loads we do not know how much the times of a page vary."""
    worse = [
        change
        for change in regressions(usual(baseline), load)
        if change.current > rounded(change.metric, baseline.worst.get(change.metric, change.baseline))
    ]
    if baseline.samples >= FEW:
        return worse, []
    sure = {change.metric for change in regressions(usual(baseline), load, noise=NOISE)}
    return (
        [change for change in worse if change.metric in sure],
        [change for change in worse if change.metric not in sure],
    )


def usual(baseline: Baseline) -> Metrics:
    """The averages, in a form to compare with a load."""
    return Metrics(**{name: baseline.values.get(name) for name in METRICS})
