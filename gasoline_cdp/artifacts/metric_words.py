"""Names and values of performance metrics, as documents for people write them."""

from gasoline_cdp.analysis.performance.regressions import MetricName
from gasoline_cdp.limits import KB

LABELS: dict[MetricName, str] = {
    "load": "Load",
    "first_contentful_paint": "First contentful paint",
    "largest_contentful_paint": "Largest contentful paint",
    "time_to_first_byte": "Time to first byte",
    "interaction_to_next_paint": "Interaction to next paint",
    "cumulative_layout_shift": "Cumulative layout shift",
    "request_count": "Requests",
    "transfer_size": "Transferred",
    "long_task_count": "Long tasks",
    "total_blocking_time": "Blocking time",
}
_COUNTS = {"request_count", "long_task_count"}


def value_text(metric: MetricName, value: float) -> str:
    """A value with its unit: `120 ms`, `1.5 KB`, `0.100`."""
    if metric == "transfer_size":
        return size_text(value)
    if metric == "cumulative_layout_shift":
        return f"{value:.3f}"
    return f"{value:.0f}" if metric in _COUNTS else f"{value:.0f} ms"


def size_text(value: float) -> str:
    """`1.5 KB`, or bytes if it is less than one."""
    return f"{value / KB:.1f} KB" if value >= KB else f"{value:.0f} B"
