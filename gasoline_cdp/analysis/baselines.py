"""What loading a path usually costs: a running average, against which the next load is judged."""

from collections.abc import Mapping

from attrs import field, frozen

from gasoline_cdp.records import PerformanceRecord

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


def sample_of(record: PerformanceRecord) -> dict[str, float | None]:
    """The metrics of one load, as a baseline keeps them."""
    timing, tasks = record.timing, record.long_tasks
    return {
        "time_to_first_byte": timing.time_to_first_byte,
        "dom_interactive": timing.dom_interactive,
        "dom_content_loaded": timing.dom_content_loaded,
        "load": timing.load,
        "first_contentful_paint": timing.first_contentful_paint,
        "largest_contentful_paint": timing.largest_contentful_paint,
        "interaction_to_next_paint": timing.interaction_to_next_paint,
        "cumulative_layout_shift": record.cumulative_layout_shift,
        "request_count": float(record.network.request_count),
        "transfer_size": float(record.network.transfer_size),
        "long_tasks": float(tasks.count),
        "total_blocking_time": tasks.total_blocking_time,
    }
