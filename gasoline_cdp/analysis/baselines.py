"""What loading a path usually costs: a running average, against which the next load is judged."""

from collections.abc import Mapping

from attrs import field, frozen

from gasoline_cdp.analysis.regressions import METRICS, Metrics

# So many samples count alike; from then on each new one counts a fifth.
_ALIKE = 4
_NEWEST_SHARE = 0.2


@frozen(kw_only=True)
class Baseline:
    """The averages of so many loads. A metric counts the loads that had it, and is missing if none had."""

    samples: int = 0
    values: dict[str, float] = field(factory=dict)
    counts: dict[str, int] = field(factory=dict)


def merged(baseline: Baseline | None, sample: Mapping[str, float | None]) -> Baseline:
    """The baseline with one load more. What that load did not measure stays as it was."""
    before = baseline or Baseline()
    values, counts = dict(before.values), dict(before.counts)
    for name, value in sample.items():
        if value is None:
            continue
        count = counts[name] = counts.get(name, 0) + 1
        known = values.get(name, value)
        share = 1 / count if count <= _ALIKE else _NEWEST_SHARE
        values[name] = known + (value - known) * share
    return Baseline(samples=before.samples + 1, values=values, counts=counts)


def usual(baseline: Baseline) -> Metrics:
    """The averages, to be compared with a load."""
    return Metrics(**{name: baseline.values.get(name) for name in METRICS})
