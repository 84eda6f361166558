"""Answers about memory: every scope of `analyze(action="memory")` that says more than counters."""

from collections.abc import Iterator
from typing import Any

from attrs import field, frozen

from gasoline_cdp.answers.amounts import number, size
from gasoline_cdp.answers.lines import Line, note, rest_of
from gasoline_cdp.answers.marked_lines import labelled, marked
from gasoline_cdp.answers.memory_entries import LeakEntry, MemoryCounters, MemoryTrendEntry
from gasoline_cdp.answers.quoting import quoted, word
from gasoline_cdp.answers.wording import number_of

_TEXT_CHARS = 120


@frozen(kw_only=True)
class MemoryAnswer:
    """What all scopes have in common."""

    status: str
    action: str
    scope: str
    tab_id: int
    url: str
    duration_ms: int
    notes: list[str] = field(factory=list)

    def render(self) -> Iterator[Line]:
        """What it is about, and notes. Each scope shows more."""
        yield Line(f"Memory of {self._where()}", tone="heading")
        yield from (note(text) for text in self.notes)

    def _where(self) -> str:
        return f"tab {self.tab_id}, {word(self.url)}"


@frozen(kw_only=True)
class MemorySnapshotAnswer(MemoryAnswer):
    """Counters of the page; with a name, also that a heap snapshot was kept."""

    snapshot: MemoryCounters
    trend: MemoryTrendEntry | None = None
    # name, objects, text_mb
    kept: dict[str, Any] | None = None

    def render(self) -> Iterator[Line]:
        """Counters, trend, and the snapshot."""
        yield Line(f"Memory of {self._where()}", tone="heading")
        yield self.snapshot.line()
        yield from self.snapshot.detached_lines()
        if self.trend is not None:
            yield self.trend.line()
        if self.kept is not None:
            kept = f"{number_of(self.kept['objects'], 'object')}, {number(self.kept['text_mb'])} MB as a file"
            yield Line(f"Heap snapshot {word(self.kept['name'])} is kept: {kept}.")
        yield from (note(text) for text in self.notes)


@frozen(kw_only=True)
class MemoryLeaksAnswer(MemoryAnswer):
    """Leaks since the baseline, worst first."""

    baseline: str | None
    between: str | None = None
    rounds: int | None = None
    summary: str
    findings: list[LeakEntry]
    left_out: int = 0
    new_objects: int
    new_bytes: int
    detached_elements: int
    detached_trees: int

    def render(self) -> Iterator[Line]:
        """The summary, and the leaks."""
        yield Line(f"{self.summary} {self._where()}", tone="heading" if self.findings else "good")
        for leak in self.findings:
            yield from leak.lines()
        yield from rest_of(self.left_out, None, "more leaks")
        yield from (note(text) for text in self.notes)


@frozen(kw_only=True)
class MemoryComparisonAnswer(MemoryAnswer):
    """The page now beside its baseline: counters, leaks, and classes that grew."""

    baseline: dict[str, Any]
    current: dict[str, Any]
    delta: dict[str, Any]
    findings: list[LeakEntry]
    classes: list[dict[str, Any]]
    left_out: int = 0

    def render(self) -> Iterator[Line]:
        """Growth, leaks, classes."""
        growth = f"{self.delta['heap_growth_mb']:+.2f} MB ({self.delta['heap_growth_pct']:+.1f} %)"
        yield Line(f"Heap {growth} since {word(self.baseline['name'])}. {self._where()}", tone="heading")
        counts = (
            f"detached elements {self.delta['detached_nodes_delta']:+d}",
            f"DOM nodes {self.delta['dom_nodes_delta']:+d}",
            f"listeners {self.delta['event_listeners_delta']:+d}",
        )
        yield Line("; ".join(counts) + ".")
        for leak in self.findings:
            yield from leak.lines()
        if self.classes:
            yield Line("Classes that grew:", tone="heading")
        for one in self.classes:
            yield Line(f"{one['count_delta']:+d} {one['bytes_delta']:+d}B {marked(one['name'])}", depth=1)
        yield from rest_of(self.left_out, None)
        yield from (note(text) for text in self.notes)


@frozen(kw_only=True)
class HeapRowsAnswer(MemoryAnswer):
    """Rows about a heap: classes, equal strings, unused captured variables, or paths to objects."""

    taken: str
    summary: str
    rows: list[dict[str, Any]]
    left_out: int = 0

    def render(self) -> Iterator[Line]:
        """The summary, and a line for each row."""
        yield Line(f"{self.summary} {self._where()}", tone="heading")
        yield from map(getattr(self, f"_{self.scope}_line"), self.rows)
        yield from rest_of(self.left_out, None)
        yield from (note(text) for text in self.notes)

    def _classes_line(self, row: dict[str, Any]) -> Line:
        sizes = f"{size(row['retained_bytes'])} retained, {size(row['bytes'])} own"
        return Line(f"{row['count']} × {sizes} @{row['example']} {marked(row['name'])}")

    def _strings_line(self, row: dict[str, Any]) -> Line:
        text = quoted(row["text"], _TEXT_CHARS)
        return Line(
            f"{row['count']} × {size(row['wasted_bytes'])} wasted @{row['example']} {text} {marked(row['held_by'])}"
        )

    def _closures_line(self, row: dict[str, Any]) -> Line:
        names = ", ".join(row["variables"])
        text = f"{names} of {row['function'] or '(anonymous)'} ({row['location']})"
        return Line(
            f"{size(row['retained_bytes'])} in {number_of(row['contexts'], 'scope')} @{row['example']} {marked(text)}"
        )

    def _retainers_line(self, row: dict[str, Any]) -> Line:
        return Line(f"{row['count']} × {size(row['retained_bytes'])} @{row['example']} {marked(row['path'])}")


@frozen(kw_only=True)
class HeapObjectAnswer(MemoryAnswer):
    """One object: fields, holders, dominators."""

    taken: str
    object: dict[str, Any]
    fields: list[dict[str, Any]]
    left_out: int = 0

    def render(self) -> Iterator[Line]:
        """What it is, who holds it, what it holds."""
        one = self.object
        sizes = f"{size(one['retained_bytes'])} retained, {size(one['bytes'])} own"
        detached = " detached" if one["detached"] else ""
        location = f" ({one['location']})" if one["location"] else ""
        yield Line(f"@{one['id']}{detached} {sizes} {marked(one['class'] + location)}", tone="heading")
        yield labelled("held by", one["held_by"])
        if one["holders"]:
            yield labelled("references from", ", ".join(one["holders"]))
        if one["dominators"]:
            yield labelled("dominated by", " ← ".join(one["dominators"]))
        for row in self.fields:
            yield Line(
                f"{size(row['retained_bytes'])} @{row['id']} {marked(row['name'] + ': ' + row['class'])}", depth=1
            )
        yield from rest_of(self.left_out, None, "more fields")
        yield from (note(text) for text in self.notes)
