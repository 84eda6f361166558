"""The newest performance snapshot and the baseline of each path, and the vitals of the pages that are open."""

from attrs import asdict, frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.performance.baselines import Baseline, merged
from gasoline_cdp.analysis.performance.loads import path_of
from gasoline_cdp.analysis.performance.regressions import metrics_of
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.records import PerformanceRecord, VitalsRecord


@frozen
class PathHistory:
    """What was known about a path before its newest load. That load is compared with it, and is not part of it."""

    baseline: Baseline
    previous: PerformanceRecord


class PerformanceStore:
    """Bounded. The least recently used path goes, and the tab that has not reported for longest.

    A load and a route change to the same path are kept separately. A snapshot joins the baseline of its path only when
    the next one arrives. So it is compared with those before it, and vitals that are filled in late still count.
    """

    def __init__(self) -> None:
        self.evicted = 0
        self._snapshots: BoundedDict[tuple[str, bool], PerformanceRecord] = BoundedDict(
            limits.PERFORMANCE_PATHS, self._evicted
        )
        self._vitals: BoundedDict[tuple[int, bool], VitalsRecord] = BoundedDict(limits.PAGES_REPORTING)
        self._histories: BoundedDict[tuple[str, bool], PathHistory] = BoundedDict(limits.PERFORMANCE_PATHS)

    def __len__(self) -> int:
        return len(self._snapshots)

    def add_snapshot(self, record: PerformanceRecord) -> None:
        """Store a snapshot in place of the last one of its path. A late report about an older one changes nothing."""
        key = record.path, record.soft_navigation
        known = self._snapshots.get(key)
        if known is not None and known.seq > record.seq:
            return
        if known is not None and known.page_id != record.page_id:
            # Only now, since late vitals were still being filled in.
            self._remember(key, known)
        self._snapshots[key] = record

    def _evicted(self, *_: object) -> None:
        self.evicted += 1

    def _remember(self, key: tuple[str, bool], record: PerformanceRecord) -> None:
        known = self._histories.get(key)
        baseline = merged(known.baseline if known else None, asdict(metrics_of(record)))
        # What a page had not fetched when it was left would look new in the next load.
        previous = known.previous if known and record.left_early else record
        self._histories[key] = PathHistory(baseline, previous)

    def history_of(self, record: PerformanceRecord) -> PathHistory | None:
        """What to compare a snapshot with; None for the first load of its path."""
        return self._histories.get((record.path, record.soft_navigation))

    def add_vitals(self, record: VitalsRecord) -> None:
        """Store a page's report. A new document ends the routes of the previous one."""
        tab_id = record.source.tab_id
        known = self._vitals.get((tab_id, False))
        if known is not None and known.source.navigation > record.source.navigation:
            return
        if not record.soft_navigation and (known is None or known.page_id != record.page_id):
            self._vitals.pop((tab_id, True), None)
        key = tab_id, record.soft_navigation
        self._vitals[key] = record

    def vitals_of(self, tab_id: int, navigation: int) -> tuple[VitalsRecord | None, VitalsRecord | None]:
        """The vitals of the page that a tab shows, and of its current route."""
        page, route = self._vitals.get((tab_id, False)), self._vitals.get((tab_id, True))
        return (
            page if page and page.source.navigation == navigation else None,
            route if route and route.source.navigation == navigation else None,
        )

    def vitals_of_page(self, page_id: str) -> VitalsRecord | None:
        """The last report of a page, while its tab still shows it."""
        return next((record for record in self._vitals.values() if record.page_id == page_id), None)

    def snapshot_of_page(self, page_id: str) -> PerformanceRecord | None:
        """The snapshot of one navigation, if it is still the newest of its path."""
        return next((record for record in self._snapshots.values() if record.page_id == page_id), None)

    def newer_load(self, record: PerformanceRecord) -> bool:
        """Whether a page shows a later load of the snapshot's path that has not been summarised yet."""
        return any(
            page.seq > record.seq
            and page.page_id != record.page_id
            and (path_of(page.url), page.soft_navigation) == (record.path, record.soft_navigation)
            for page in self._vitals.values()
        )

    def baseline_of(self, record: PerformanceRecord) -> Baseline | None:
        """What earlier loads of this snapshot's path cost; None if it is the first."""
        history = self.history_of(record)
        return history.baseline if history else None

    def reporting(self) -> list[VitalsRecord]:
        """The last reports of all open pages."""
        return list(self._vitals.values())

    def newest(self) -> list[PerformanceRecord]:
        """All snapshots, the newest first."""
        return sorted(self._snapshots.values(), key=lambda record: -record.seq)

    def used(self, record: PerformanceRecord) -> None:
        """Somebody asked for this path: drop others before it."""
        key = record.path, record.soft_navigation
        if key in self._snapshots:
            self._snapshots.move_to_end(key)

    def clear(self) -> int:
        """Forget all snapshots. The vitals of open pages stay, since pages report changes only.

        Baselines stay, too: buffers are cleared between two tests, and the tests are compared.
        """
        removed = len(self._snapshots)
        for key, record in self._snapshots.items():
            self._remember(key, record)
        self._snapshots.clear()
        return removed
