"""Says what got slower or heavier, by one table for every comparison."""

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
    """What one load cost; None where it was not measured. Milliseconds, bytes, counts, and for CLS a score."""

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


@frozen
class _Rule:
    """Worse only if both conditions hold: by more than this share, and by more than this much."""

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
# One task just over 50 ms is the machine's mood, not the page's: beside the table, the tasks must block for longer
# by this much before their number counts.
_TASKS_BLOCK_MS = 50.0


@frozen(kw_only=True)
class Change:
    """How a metric differs between two loads."""

    metric: MetricName
    current: float
    baseline: float
    # None where there was nothing before, so that no share can be told.
    change_percent: float | None
    absolute_change: float


def metrics_of(record: PerformanceRecord) -> Metrics:
    """The numbers of a snapshot that are compared."""
    timing = record.timing
    return Metrics(
        load=_rounded(timing.load),
        first_contentful_paint=_rounded(timing.first_contentful_paint),
        largest_contentful_paint=_rounded(timing.largest_contentful_paint),
        time_to_first_byte=_rounded(timing.time_to_first_byte),
        interaction_to_next_paint=_rounded(timing.interaction_to_next_paint),
        cumulative_layout_shift=record.cumulative_layout_shift,
        request_count=record.network.request_count,
        transfer_size=record.network.transfer_size,
        long_task_count=record.long_tasks.count,
        total_blocking_time=_rounded(record.long_tasks.total_blocking_time),
    )


def _rounded(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else round(milliseconds, 1)


def changes(before: Metrics, after: Metrics) -> list[Change]:
    """Every metric that both loads have, in the order of the table."""
    found = []
    for name in METRICS:
        old, new = getattr(before, name), getattr(after, name)
        if old is not None and new is not None:
            found.append(
                Change(
                    metric=name,
                    current=new,
                    baseline=old,
                    change_percent=round((new - old) / old * 100, 1) if old else None,
                    absolute_change=round(new - old, 4),
                )
            )
    return found


def regressions(before: Metrics, after: Metrics) -> list[Change]:
    """The metrics that got worse by more than chance and noise explain."""
    return [change for change in changes(before, after) if _is_worse(change, before, after)]


def improvements(before: Metrics, after: Metrics) -> list[Change]:
    """The metrics that would be regressions the other way round."""
    better = {change.metric for change in regressions(after, before)}
    return [change for change in changes(before, after) if change.metric in better]


def _is_worse(change: Change, before: Metrics, after: Metrics) -> bool:
    rule = _RULES[change.metric]
    grown = change.current - change.baseline
    if grown <= rule.amount or grown <= rule.share * change.baseline:
        return False
    if change.metric == "long_task_count":
        blocked = (after.total_blocking_time or 0) - (before.total_blocking_time or 0)
        return blocked > _TASKS_BLOCK_MS
    return True
