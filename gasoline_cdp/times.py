"""Times as answers write them."""

import time
from datetime import UTC, datetime
from functools import lru_cache

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

# Whole snapshots have a time in each of thousands of entries, and formatting a number takes as long as the rest of it.
_MILLIS = tuple(f".{number:03d}Z" for number in range(1000))
# The last second of the year 9999.
_LAST_SECOND = 253_402_300_799.0


def iso(ts: float) -> str:
    """An ISO 8601 time. One outside the calendar becomes the nearest valid time."""
    if not 0.0 <= ts <= _LAST_SECOND:
        ts = _LAST_SECOND if ts > 0.0 else 0.0
    second = int(ts)
    # Microseconds are rounded and milliseconds cut, as datetime does it.
    millis = round((ts - second) * 1_000_000) // 1000
    if millis == len(_MILLIS):
        second, millis = second + 1, 0
    return _second(second) + _MILLIS[millis]


# Entries of an answer are close in time, and formatting a date takes longer than all the rest.
@lru_cache(maxsize=256)
def _second(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).replace(tzinfo=None).isoformat()


def http_date(ts: float) -> str:
    """A time as HTTP headers have it, in English whatever the machine's language is."""
    at = time.gmtime(ts)
    day = f"{_DAYS[at.tm_wday]}, {at.tm_mday:02d} {_MONTHS[at.tm_mon - 1]} {at.tm_year}"
    return f"{day} {time.strftime('%H:%M:%S', at)} GMT"
