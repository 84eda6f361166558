"""Memory in answers: counters, their trend, and leaks with who holds them."""

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import field, frozen

from gasoline_cdp.analysis.performance.loads import path_of
from gasoline_cdp.answers.amounts import number, size
from gasoline_cdp.answers.lines import Line, Tone
from gasoline_cdp.answers.marked_lines import labelled
from gasoline_cdp.answers.paging import iso
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.findings import Finding, Location
from gasoline_cdp.limits import MB
from gasoline_cdp.probe.memory import DetachedCount, MemorySample

# Growth below this is noise: V8 collects garbage when it likes.
_NOISE_BYTES = 1 * MB
_TREND_SAMPLES = 3


def megabytes(count: float) -> float:
    """Bytes as MB with two decimals."""
    return round(count / MB, 2)


@frozen(kw_only=True)
class MemoryCounters:
    """The counters of a page."""

    timestamp: str
    heap_used_mb: float
    heap_total_mb: float
    heap_limit_mb: float | None = None
    dom_node_count: int
    event_listener_count: int
    document_count: int
    # Elements in no document that JavaScript still reaches, their trees, and the roots by tag; only if counted.
    detached_nodes: int | None = None
    detached_trees: int | None = None
    detached_tags: dict[str, int] = field(factory=dict)

    def line(self) -> Line:
        """All of it in one line."""
        limit = f", limit {number(self.heap_limit_mb)} MB" if self.heap_limit_mb else ""
        parts = (
            f"heap {number(self.heap_used_mb)} MB used of {number(self.heap_total_mb)} MB{limit}",
            number_of(self.dom_node_count, "DOM node"),
            number_of(self.event_listener_count, "listener"),
            number_of(self.document_count, "document"),
        )
        return Line("; ".join(parts) + ".")

    def detached_lines(self) -> Iterator[Line]:
        """The detached elements, if they were counted."""
        if self.detached_nodes is not None:
            tags = ", ".join(f"{count} {word(tag)}" for tag, count in self.detached_tags.items())
            trees = number_of(self.detached_trees or 0, "tree")
            text = f"Detached: {number_of(self.detached_nodes, 'element')} in {trees}"
            yield Line(f"{text}{f' ({tags})' if tags else ''}.", tone="warning" if self.detached_nodes else "plain")


def show_counters(sample: MemorySample, limit: int = 0, detached: DetachedCount | None = None) -> MemoryCounters:
    """Counters as an answer has them."""
    return MemoryCounters(
        timestamp=iso(sample.ts),
        heap_used_mb=megabytes(sample.used),
        heap_total_mb=megabytes(sample.total),
        heap_limit_mb=megabytes(limit) if limit else None,
        dom_node_count=sample.nodes,
        event_listener_count=sample.listeners,
        document_count=sample.documents,
        detached_nodes=detached.elements if detached else None,
        detached_trees=detached.trees if detached else None,
        detached_tags=detached.tags if detached else {},
    )


@frozen(kw_only=True)
class MemoryTrendEntry:
    """How the counters changed since the first sample of this document."""

    samples: int
    seconds: float
    heap_mb: list[float]
    dom_nodes: list[int]
    listeners: list[int]
    verdict: str

    def line(self) -> Line:
        """First, middle and last value of each."""
        span = f"{self.seconds:.0f} s, {number_of(self.samples, 'sample')}"
        shown = (
            f"heap {_arrow(self.heap_mb)} MB",
            f"nodes {_arrow(self.dom_nodes)}",
            f"listeners {_arrow(self.listeners)}",
        )
        return Line(f"Trend over {span}: {'; '.join(shown)}: {self.verdict}.")


def _arrow(values: Sequence[float]) -> str:
    return " → ".join(map(number, values))


def show_trend(samples: Sequence[MemorySample]) -> MemoryTrendEntry | None:
    """The trend of some samples; None if there are too few."""
    if len(samples) < _TREND_SAMPLES:
        return None
    three = (samples[0], samples[len(samples) // 2], samples[-1])
    first, middle, last = three
    grows = [
        name
        for name, values in (
            ("nodes", [one.nodes for one in three]),
            ("listeners", [one.listeners for one in three]),
        )
        if values[0] < values[1] < values[2]
    ]
    if first.used + _NOISE_BYTES < middle.used and middle.used + _NOISE_BYTES < last.used:
        grows.insert(0, "heap")
    return MemoryTrendEntry(
        samples=len(samples),
        seconds=round(last.ts - first.ts, 1),
        heap_mb=[megabytes(one.used) for one in three],
        dom_nodes=[one.nodes for one in three],
        listeners=[one.listeners for one in three],
        verdict=f"{' and '.join(grows)} grew throughout" if grows else "no steady growth",
    )


@frozen(kw_only=True)
class LeakEntry:
    """A leak: what, how much, who holds it, where, and what to do."""

    severity: str
    kind: str
    message: str
    count: int
    per_round: float | None = None
    bytes: int
    detached_elements: int = 0
    detached_trees: int = 0
    held_by: str
    keeps: str = ""
    location: str = ""
    likely_cause: str
    guidance: str
    # Ids of examples, for the scopes `object` and `retainers`.
    ids: list[int] = field(factory=list)

    def lines(self) -> Iterator[Line]:
        """The message, the path, and the fix."""
        tone: Tone = "error" if self.severity == "high" else "warning"
        ids = " ".join(f"@{one}" for one in self.ids)
        yield Line(f"| {self.message} {ids}", tag=f"{self.severity} {self.kind}", tone=tone)
        yield labelled("held by", self.held_by)
        if self.keeps:
            yield labelled("keeps", self.keeps)
        if self.location and f"({self.location})" not in self.message:
            yield labelled("location", self.location)
        yield labelled("fix", self.guidance)


def leak_entry(leak: dict[str, Any], *, baseline: bool = True) -> LeakEntry:
    """A leak as the worker found it."""
    count, what = int(leak["count"]), str(leak["what"])
    rate = f", {number(leak['per_round'])} per round" if leak.get("per_round") else ""
    trees, elements = int(leak["detached_trees"]), int(leak["detached_elements"])
    detached = f", {number_of(trees, 'detached tree')} of {number_of(elements, 'element')}" if trees else ""
    noun = " more in the document" if leak["kind"] == "document" else " more" if baseline else ""
    cause = {
        "document": f"{what} is added to the document and not removed",
        "timer": f"timers that call {what} are not cleared",
        "listener": f"listeners {what} are not removed",
    }.get(str(leak["kind"]), f"{what} stays reachable: {leak['held_by']}")
    return LeakEntry(
        severity="high" if trees or int(leak["bytes"]) > MB else "medium",
        kind=str(leak["kind"]),
        message=f"{count} × {what}{noun}{rate}, {size(leak['bytes'])}{detached}",
        count=count,
        per_round=leak.get("per_round"),
        bytes=int(leak["bytes"]),
        detached_elements=elements,
        detached_trees=trees,
        held_by=str(leak["held_by"]),
        keeps=str(leak["keeps"]),
        location=str(leak["location"]),
        likely_cause=cause,
        guidance=str(leak["fix"]),
        ids=[int(one) for one in dict.fromkeys(leak["ids"])],
    )


def leak_finding(leak: LeakEntry, page: str) -> Finding:
    """A leak as a finding, for gates."""
    return Finding(
        rule="memory_leak",
        severity="high" if leak.severity == "high" else "medium",
        category="memory",
        title=f"{leak.message}, held by {leak.held_by}",
        location=Location(page=page, path=path_of(page)),
        fix=leak.guidance,
    )
