"""The pending requests of all browsers. Two browsers may use the same request ids, and each has its own clock."""

from collections.abc import Callable, Iterator
from itertools import count

from gasoline_cdp.capture.network import NetworkTracker
from gasoline_cdp.capture.pending_request import PendingRequest


class NetworkTrackers:
    """One tracker for each browser. The ids in records are unique over all of them."""

    def __init__(self, finished: Callable[[PendingRequest], None]) -> None:
        self.next_id = map("r{}".format, count(1)).__next__
        self._finished = finished
        self._trackers: dict[str, NetworkTracker] = {}

    def of(self, browser_id: str) -> NetworkTracker:
        """The tracker of a browser."""
        tracker = self._trackers.get(browser_id)
        if tracker is None:
            tracker = self._trackers[browser_id] = NetworkTracker(self._finished, self.next_id)
        return tracker

    def in_flight(self) -> Iterator[PendingRequest]:
        """Every hop not yet passed to `finished`, newest first."""
        if len(self._trackers) == 1:
            (tracker,) = self._trackers.values()
            return tracker.in_flight()
        hops = (pending for tracker in self._trackers.values() for pending in tracker.in_flight())
        return iter(sorted(hops, key=lambda pending: -pending.ts))

    def settle(self, now: float) -> None:
        """Finish what has waited long enough, by the wall clock."""
        for tracker in self._trackers.values():
            tracker.settle(now - tracker.clock)

    def browser_gone(self, browser_id: str, reason: str) -> None:
        """A browser is out of reach: no request's end will be reported."""
        if tracker := self._trackers.pop(browser_id, None):
            tracker.all_gone(reason)
