"""How often the functions of a script ran, and the parts of each: as V8 counts them, by offsets in the script. Pure."""

from collections.abc import Iterable, Iterator
from typing import Any

from attrs import evolve, field, frozen

# Start, end and count.
Range = tuple[int, int, int]
# Where each part begins, and how often it ran. Parts follow each other without gaps.
Parts = tuple[tuple[int, int], ...]
# Start and end of a function: no other function of its script has both.
Span = tuple[int, int]


@frozen
class FunctionCounts:
    """A function. Its first part begins with it; there are more if V8 counted its blocks."""

    name: str
    start: int
    end: int
    count: int
    parts: Parts
    # Whether V8 counted blocks. Otherwise nothing is known of its parts.
    by_block: bool = False

    def plus(self, other: "FunctionCounts") -> "FunctionCounts":
        """Both counts of the same function together."""
        return evolve(
            self,
            count=self.count + other.count,
            parts=_sum(self.parts, other.parts),
            by_block=self.by_block or other.by_block,
        )

    def ranges(self) -> Iterator[Range]:
        """Its parts with their ends."""
        ends = [start for start, _ in self.parts[1:]] + [self.end]
        for (start, count), end in zip(self.parts, ends, strict=True):
            yield start, end, count


@frozen
class ScriptCounts:
    """The functions of a script that V8 reported: those that ran, and those inside them that did not."""

    script_id: str
    url: str
    functions: dict[Span, FunctionCounts] = field(factory=dict)

    def add(self, other: "ScriptCounts", room: int) -> int:
        """Add later counts of the same script. At most `room` functions are new; returns how many were."""
        new = 0
        for span, function in other.functions.items():
            known = self.functions.get(span)
            if known is not None:
                self.functions[span] = known.plus(function)
            elif new < room:
                self.functions[span] = function
                new += 1
        return new

    def used(self) -> int:
        """How many characters of the script ran. What belongs to no reported function belongs to one that did not."""
        ordered = sorted(self.functions.values(), key=lambda function: (function.start, -function.end))
        nested = [one for function in ordered for one in function.ranges()]
        nested.sort(key=lambda one: (one[0], -one[1]))
        if not nested:
            return 0
        parts = parts_of(nested)
        ends = [start for start, _ in parts[1:]] + [max(end for _, end, _ in nested)]
        return sum(end - start for (start, count), end in zip(parts, ends, strict=True) if count)


def read_counts(reply: dict[str, Any]) -> Iterator[ScriptCounts]:
    """The reply to Profiler.takePreciseCoverage. Code without an address, such as our own, is left out."""
    scripts = reply.get("result")
    for script in scripts if isinstance(scripts, list) else []:
        if not script.get("url"):
            continue
        functions = {}
        for function in script.get("functions") or ():
            ranges = [(one["startOffset"], one["endOffset"], one["count"]) for one in function.get("ranges") or ()]
            if ranges:
                start, end, count = ranges[0]
                functions[start, end] = FunctionCounts(
                    name=str(function.get("functionName") or ""),
                    start=start,
                    end=end,
                    count=count,
                    parts=parts_of(ranges),
                    by_block=bool(function.get("isBlockCoverage")),
                )
        yield ScriptCounts(str(script.get("scriptId")), str(script["url"]), functions)


def parts_of(ranges: Iterable[Range]) -> Parts:
    """Nested ranges, the outer before the inner, as parts that follow each other: the innermost range counts."""
    parts: dict[int, int] = {}
    open_ranges: list[tuple[int, int]] = []
    last = 0

    def close(until: int) -> None:
        while len(open_ranges) > 1 and open_ranges[-1][0] <= until:
            end, _ = open_ranges.pop()
            parts[end] = open_ranges[-1][1]

    for start, end, count in ranges:
        close(start)
        parts[start] = count
        open_ranges.append((end, count))
        last = max(last, end)
    close(last)
    return tuple((start, count) for start, count in sorted(parts.items()) if start < last)


def _sum(one: Parts, other: Parts) -> Parts:
    """Two counts of the same code together. They may have been counted in different parts."""
    if len(one) == len(other) == 1:
        return ((one[0][0], one[0][1] + other[0][1]),)
    counts_of = [dict(one), dict(other)]
    current = [0, 0]
    summed: list[tuple[int, int]] = []
    for start in sorted({start for start, _ in (*one, *other)}):
        current = [counts.get(start, before) for counts, before in zip(counts_of, current, strict=True)]
        if not summed or summed[-1][1] != sum(current):
            summed.append((start, sum(current)))
    return tuple(summed)
