"""Decides what got slower or heavier. Every comparison uses this one table."""

from typing import Literal

from attrs import fields, frozen

from gasoline_cdp.limits import KB
from gasoline_cdp.records import PerformanceRecord

MetricName = Literal[
    "load",
    "first_contentful_paint",
    "largest_contentful_paint",
    "time_to_first_byte",
    "interaction_to_next_paint",
    "cumulative_layout_shift",
    "request_count",
    "transfer_size",
    "long_task_count",
    "total_blocking_time",
]


@frozen(kw_only=True)
class Metrics:
    """What one load cost; None if it was not measured. Milliseconds, bytes, counts, and a score for CLS."""

    load: float | None = None
    first_contentful_paint: float | None = None
    largest_contentful_paint: float | None = None
    time_to_first_byte: float | None = None
    interaction_to_next_paint: float | None = None
    cumulative_layout_shift: float | None = None
    request_count: float | None = None
    transfer_size: float | None = None
    long_task_count: float | None = None
    total_blocking_time: float | None = None


METRICS: tuple[MetricName, ...] = tuple(field.name for field in fields(Metrics))  # type: ignore[misc]


Unit = Literal["ms", "bytes", "score", ""]
_UNITS: dict[str, Unit] = {
    "cumulative_layout_shift": "score",
    "request_count": "",
    "long_task_count": "",
    "transfer_size": "bytes",
}


def unit_of(metric: str) -> Unit:
    """What a metric is measured in."""
    return _UNITS.get(metric, "ms")


def rounded(metric: str, value: float) -> float:
    """Rounded to the browser's precision: a tenth of a millisecond; bytes and counts to integers."""
    match unit_of(metric):
        case "score":
            return round(value, 4)
        case "ms":
            return round(value, 1)
        case _:
            return round(value)


def written(metric: str, value: float) -> str:
    """A value with its unit, as text."""
    match unit_of(metric):
        case "score":
            return f"{value:.3f}"
        case "bytes":
            return f"{value / KB:.1f} KB"
        case "ms":
            return f"{value:.0f} ms"
        case _:
            return f"{value:.0f}"


@frozen
class _Rule:
    """Worse only if both limits are exceeded: the relative one and the absolute one."""

    share: float
    amount: float


_RULES: dict[MetricName, _Rule] = {
    "load": _Rule(0.5, 200),
    "first_contentful_paint": _Rule(0.5, 200),
    "largest_contentful_paint": _Rule(0.5, 200),
    "time_to_first_byte": _Rule(0.5, 200),
    "interaction_to_next_paint": _Rule(0, 50),
    "cumulative_layout_shift": _Rule(0, 0.05),
    "request_count": _Rule(0.5, 5),
    "transfer_size": _Rule(1, 100 * KB),
    "long_task_count": _Rule(1, 0),
    "total_blocking_time": _Rule(0, 100),
}
# Factor on the limits for times, if few loads show how much they vary.
NOISE = 3.0
# Metrics that also depend on what else the machine does.
_NOISY = set(METRICS) - {"cumulative_layout_shift", "request_count", "transfer_size"}
# A single task just over 50 ms is noise of the machine. More tasks count only if they also block this much longer.
_TASKS_BLOCK_MS = 50.0


@frozen(kw_only=True)
class Change:
    """How a metric differs between two loads."""

    metric: MetricName
    current: float
    baseline: float
    # None if the value was 0 before, so that there is no percentage.
    change_percent: float | None
    absolute_change: float


def metrics_of(record: PerformanceRecord) -> Metrics:
    """The metrics of a snapshot that are compared. For a page that was left early, those that were final by then."""
    timing = record.timing
    values: dict[MetricName, float | None] = {
        "load": timing.load,
        "first_contentful_paint": timing.first_contentful_paint,
        "time_to_first_byte": timing.time_to_first_byte,
        "interaction_to_next_paint": timing.interaction_to_next_paint,
    }
    if not record.left_early:
        values |= {
            "largest_contentful_paint": timing.largest_contentful_paint,
            "cumulative_layout_shift": record.cumulative_layout_shift,
            "request_count": record.network.request_count,
            "transfer_size": record.network.transfer_size,
            "long_task_count": record.long_tasks.count,
            "total_blocking_time": record.long_tasks.total_blocking_time,
        }
    return Metrics(**{name: None if value is None else rounded(name, value) for name, value in values.items()})


def changes(before: Metrics, after: Metrics) -> list[Change]:
    """Every metric that both loads have, in table order."""
    changed = []
    for name in METRICS:
        old, new = getattr(before, name), getattr(after, name)
        if old is not None and new is not None:
            changed.append(
                Change(
                    metric=name,
                    current=rounded(name, new),
                    baseline=rounded(name, old),
                    change_percent=round((new - old) / old * 100, 1) if old else None,
                    absolute_change=rounded(name, new - old),
                )
            )
    return changed


def regressions(before: Metrics, after: Metrics, *, noise: float = 1.0) -> list[Change]:
    """The metrics that got worse by more than the table allows; `noise` is a factor on the limits for times."""
    return [change for change in changes(before, after) if _is_worse(change, before, after, noise)]


def improvements(before: Metrics, after: Metrics) -> list[Change]:
    """The metrics that would be regressions in the other direction."""
    better = {change.metric for change in regressions(after, before)}
    return [change for change in changes(before, after) if change.metric in better]


def varies(metric: str) -> bool:
    """Whether a metric differs between loads of an unchanged page. The first load of a browser is slow, for example."""
    return metric in _NOISY


def _is_worse(change: Change, before: Metrics, after: Metrics, noise: float) -> bool:
    rule = _RULES[change.metric]
    grown = change.current - change.baseline
    allowed = noise if change.metric in _NOISY else 1.0
    if grown <= rule.amount * allowed or grown <= rule.share * allowed * change.baseline:
        return False
    if change.metric == "long_task_count":
        blocked = (after.total_blocking_time or 0) - (before.total_blocking_time or 0)
        return blocked > _TASKS_BLOCK_MS * allowed
    return True
