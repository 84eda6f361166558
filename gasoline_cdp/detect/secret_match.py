"""A secret that was found in a text: its kind, its position, and what is known of it."""

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

from attrs import define

REDACTED = "[REDACTED]"


@define(kw_only=True)
class SecretMatch:
    """A secret in a text, from `start` to `end`. Not frozen, only because frozen classes are slower to make."""

    kind: str
    start: int
    end: int
    # Of its field or parameter.
    name: str = ""
    # To be reported; others are only masked.
    reportable: bool = False
    test_mode: bool = False
    low_risk: bool = False
    # A checksum says that the value was altered or made up.
    checksum_failed: bool = False
    # Its name is a parameter of a query.
    in_query: bool = False
    # Its ends stay visible when it is masked.
    partial: bool = False

    def at(self, start: int, end: int) -> "SecretMatch":
        """The same secret at another position. Written out: `evolve` takes seven times as long."""
        return SecretMatch(
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
    """The parts of a text that are secrets to be reported."""

    def __init__(self, found: Iterable[SecretMatch]) -> None:
        spans = sorted((one.start, one.end) for one in found if one.reportable)
        self._starts = [start for start, _ in spans]
        # The furthest end of those that begin here or before.
        self._ends = [*accumulate((end for _, end in spans), max)]

    def __bool__(self) -> bool:
        return bool(self._starts)

    def cover(self, start: int, end: int) -> bool:
        """Whether this part lies inside one of them."""
        nearest = bisect_right(self._starts, start)
        return nearest > 0 and self._ends[nearest - 1] >= end
