"""How many requests a second somebody may make: a bucket for each, filled evenly, in a bounded number."""

from collections import OrderedDict

from gasoline_cdp.frontends import limits as frontend_limits


class Rates:
    """Buckets by name. A name that was not heard of for longest goes first, which only gives it a full bucket again."""

    def __init__(self, names: int = frontend_limits.INGEST_ORIGINS) -> None:
        self._names = names
        # Name → what is in the bucket, and when that was.
        self._buckets: OrderedDict[bytes, tuple[float, float]] = OrderedDict()

    def allow(self, name: bytes, now: float, per_second: float, burst: float) -> bool:
        """Take one from the bucket, if there is one."""
        left, then = self._buckets.get(name, (burst, now))
        left = min(burst, left + (now - then) * per_second)
        allowed = left >= 1
        self._buckets[name] = (left - 1 if allowed else left, now)
        self._buckets.move_to_end(name)
        while len(self._buckets) > self._names:
            self._buckets.popitem(last=False)
        return allowed
