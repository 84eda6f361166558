"""Times, durations and sizes as lines show them. Three digits are enough for a reader."""

from collections.abc import Mapping
from datetime import datetime

from gasoline_cdp.limits import KB, MB


def clock(ts: str, *, exact: bool = False) -> str:
    """A timestamp as local time of day: `14:03:22`. With `exact`, with milliseconds."""
    local = datetime.fromisoformat(ts).astimezone()
    return local.strftime("%H:%M:%S") + (f".{local.microsecond // 1000:03}" if exact else "")


def day(ts: str) -> str:
    """A timestamp as local date; empty for today."""
    local = datetime.fromisoformat(ts).astimezone()
    return "" if local.date() == datetime.now().astimezone().date() else local.date().isoformat()


def seconds_between(first: str, last: str) -> float:
    """Seconds between two timestamps."""
    return (datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds()


def duration(ms: float) -> str:
    """`0.4ms`, `4ms`, `120ms`, `1.25s`, `12.5s`, `125s`."""
    if ms < 0.95:
        return f"{ms:.1f}".removesuffix(".0") + "ms"
    if ms < 999.5:
        return f"{ms:.0f}ms"
    return f"{_three(ms / 1000)}s"


def size(count: float) -> str:
    """`312B`, `1.25KB`, `12.5MB`."""
    if count < KB:
        return f"{count:.0f}B"
    return f"{_three(count / KB)}KB" if count < 999.5 * KB else f"{_three(count / MB)}MB"


def number(value: float) -> str:
    """A number without the noise of binary fractions."""
    return f"{round(value, 4):.10g}"


def box(bounds: Mapping[str, float]) -> str:
    """`80x24 at 10,649`. Only small numbers show tenths of a pixel."""
    width, height, x, y = (
        number(round(bounds[name]) if abs(bounds[name]) >= 9.95 else round(bounds[name], 1))
        for name in ("width", "height", "x", "y")
    )
    return f"{width}x{height} at {x},{y}"


def _three(value: float) -> str:
    digits = 2 if value < 9.995 else 1 if value < 99.95 else 0
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
