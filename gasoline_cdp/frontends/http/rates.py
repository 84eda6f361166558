"""How many requests a second somebody may make: a bucket for each, filled evenly, in a bounded number."""

from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.frontends import limits as frontend_limits


class Rates:
    """Buckets by name. A name that was not heard of for longest goes first, which only gives it a full bucket again."""

    def __init__(self, names: int = frontend_limits.INGEST_ORIGINS) -> None:
        # Name → what is in the bucket, and when that was.
        self._buckets: BoundedDict[bytes, tuple[float, float]] = BoundedDict(names)

    def allow(self, name: bytes, now: float, per_second: float, burst: float) -> bool:
        """Take one from the bucket, if there is one."""
        left, then = self._buckets.get(name, (burst, now))
        left = min(burst, left + (now - then) * per_second)
        allowed = left >= 1
        self._buckets[name] = (left - 1 if allowed else left, now)
        return allowed
