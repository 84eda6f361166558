"""A secret in a text: of which kind, where, and what is known of it."""

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

from attrs import define

REDACTED = "[REDACTED]"


@define(kw_only=True)
class Found:
    """A secret and where it stands: `start` to `end` is its value. Never changed, but made often."""

    kind: str
    start: int
    end: int
    # Of the field or parameter that holds it.
    name: str = ""
    # Worth telling somebody, rather than only masking.
    reportable: bool = False
    test_mode: bool = False
    low_risk: bool = False
    # A checksum says that the value was altered or made up.
    checksum_failed: bool = False
    # The name stands in a query.
    in_query: bool = False
    # Masked to its ends rather than whole.
    partial: bool = False

    def at(self, start: int, end: int) -> "Found":
        """The same elsewhere. Written out: `evolve` takes seven times as long."""
        return Found(
            kind=self.kind,
            start=start,
            end=end,
            name=self.name,
            reportable=self.reportable,
            test_mode=self.test_mode,
            low_risk=self.low_risk,
            checksum_failed=self.checksum_failed,
            in_query=self.in_query,
            partial=self.partial,
        )


class ReportedSpans:
    """Where in a text the secrets stand that will be reported."""

    def __init__(self, found: Iterable[Found]) -> None:
        spans = sorted((one.start, one.end) for one in found if one.reportable)
        self._starts = [start for start, _ in spans]
        # How far those reach that begin here or before.
        self._ends = [*accumulate((end for _, end in spans), max)]

    def __bool__(self) -> bool:
        return bool(self._starts)

    def cover(self, start: int, end: int) -> bool:
        """Whether one of them reaches over all of this part."""
        nearest = bisect_right(self._starts, start)
        return nearest > 0 and self._ends[nearest - 1] >= end
