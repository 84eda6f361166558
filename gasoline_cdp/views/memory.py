"""The view `memory`: counters of a page, and how they changed while it ran. It costs the page a millisecond."""

from collections.abc import Iterator

from attrs import frozen

from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.memory_entries import MemoryCounters, MemoryTrendEntry, show_counters, show_trend
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.operations.context import Context
from gasoline_cdp.probe.dom import asking
from gasoline_cdp.probe.memory import heap_limit, sample_memory
from gasoline_cdp.views.listing import ObserveArgs


@frozen(kw_only=True)
class MemoryView:
    """The memory of the page in a tab."""

    tab_id: int
    url: str
    memory: MemoryCounters
    trend: MemoryTrendEntry | None = None
    heap_snapshots: list[str]

    def render(self) -> Iterator[Line]:
        """Counters, trend, and the names of heap snapshots."""
        yield Line(f"Memory of tab {self.tab_id}, {word(self.url)}", tone="heading")
        yield self.memory.line()
        if self.trend is not None:
            yield self.trend.line()
        if self.heap_snapshots:
            yield Line(f"Heap snapshots: {', '.join(self.heap_snapshots)}.", tone="dim")


async def show_memory(args: ObserveArgs, context: Context) -> MemoryView:
    """Read the counters. They include garbage that V8 has not collected yet."""
    tab = context.tabs.pick(args.tab_id)
    with asking(tab):
        sample = await sample_memory(tab.session)
        limit = await heap_limit(tab.session)
    context.memory.add(tab, sample)
    return MemoryView(
        tab_id=tab.tab_id,
        url=tab.source.url,
        memory=show_counters(sample, limit),
        trend=show_trend(context.memory.of(tab)),
        heap_snapshots=context.heaps.names(),
    )
