"""Rate limits: a token bucket per name, for a bounded number of names."""

from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.frontends import limits as frontend_limits


class Rates:
    """Token buckets by name. The least recently used one is dropped first, which only refills it."""

    def __init__(self, names: int = frontend_limits.INGEST_ORIGINS) -> None:
        # Name → tokens in the bucket, and the time of that count.
        self._buckets: BoundedDict[bytes, tuple[float, float]] = BoundedDict(names)

    def allow(self, name: bytes, now: float, per_second: float, burst: float) -> bool:
        """Take a token from the bucket. False if it is empty."""
        left, then = self._buckets.get(name, (burst, now))
        left = min(burst, left + (now - then) * per_second)
        allowed = left >= 1
        self._buckets[name] = (left - 1 if allowed else left, now)
        return allowed
