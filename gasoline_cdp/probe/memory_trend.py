"""Samples the memory of tabs while something happens in them. A page that is idle is never asked."""

from collections import deque

import trio

from gasoline_cdp import limits, memory_limits
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.cdp.connection import CdpClosed, CdpError
from gasoline_cdp.cdp.tabs import Tab, Tabs
from gasoline_cdp.probe.memory import MemorySample, sample_memory
from gasoline_cdp.store.telemetry import Telemetry


class MemoryTrend:
    """The last samples of each tab, of the document that it shows."""

    def __init__(self) -> None:
        # By tab: the navigation that the samples belong to, and the samples.
        self._samples: BoundedDict[int, tuple[int, deque[MemorySample]]] = BoundedDict(memory_limits.MEMORY_TABS)

    def of(self, tab: Tab) -> list[MemorySample]:
        """The samples of a tab, oldest first."""
        navigation, samples = self._samples.get(tab.tab_id) or (tab.source.navigation, ())
        return list(samples) if navigation == tab.source.navigation else []

    def add(self, tab: Tab, sample: MemorySample) -> None:
        """Keep a sample. Those of an earlier document go."""
        kept = self._samples.get(tab.tab_id)
        if kept is None or kept[0] != tab.source.navigation:
            kept = (tab.source.navigation, deque(maxlen=memory_limits.MEMORY_SAMPLES))
            self._samples[tab.tab_id] = kept
        kept[1].append(sample)

    async def run(self, tabs: Tabs, telemetry: Telemetry) -> None:
        """Sample the tabs that had records since the last look. A page without any is not asked."""
        seen = telemetry.last_seq
        while True:
            await trio.sleep(memory_limits.MEMORY_SAMPLE_SECONDS)
            rings = (telemetry.logs, telemetry.network, telemetry.actions)
            active = {record.source.tab_id for ring in rings for record in ring.newest() if record.seq > seen}
            seen = telemetry.last_seq
            for tab in [tab for tab in tabs.open() if tab.tab_id in active and tab.state == "open"]:
                await self._sample(tab)

    async def _sample(self, tab: Tab) -> None:
        """A busy or paused page is left alone: it will have a record again."""
        if tab.analysis or tab.dialog:
            return
        try:
            with trio.move_on_after(limits.FRAME_SECONDS):
                self.add(tab, await sample_memory(tab.session))
        except (CdpClosed, CdpError):
            return
