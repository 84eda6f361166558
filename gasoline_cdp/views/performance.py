"""The views `vitals` (the page shown now) and `performance` (what a navigation cost, by path)."""

import time
from collections.abc import Iterator

from attrs import frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.performance.loads import THRESHOLDS, rate, values_of, worst
from gasoline_cdp.answers.amounts import clock, duration
from gasoline_cdp.answers.lines import Line, rest_of
from gasoline_cdp.answers.paging import budget_of, iso, matches, part_of
from gasoline_cdp.answers.performance_entries import (
    PageVitals,
    SnapshotEntry,
    show_page_vitals,
    show_performance_snapshot,
)
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.measures import VitalName
from gasoline_cdp.operations.context import Context
from gasoline_cdp.records import PerformanceRecord, VitalsRecord
from gasoline_cdp.views.listing import ObserveArgs

# Room for the fields around the lists and a notice.
_AROUND = 500
_PATH_CHARS = 100


@frozen(kw_only=True)
class VitalsAnswer:
    """The vitals of the page in a tab, and of the route that it has changed to since."""

    summary: str
    tab_id: int
    page: PageVitals | None
    soft_navigation: PageVitals | None = None

    def render(self) -> Iterator[Line]:
        """One line per metric, in place of the summary."""
        if self.page is None or self.page.overall is None:
            yield Line(f"{self.summary} tab {self.tab_id}", tone="heading")
        else:
            yield Line(f"Overall {self.page.overall}. tab {self.tab_id}, {word(self.page.url)}", tone="heading")
            yield from self.page.lines()
        if self.soft_navigation:
            yield Line(f"Since it moved to {word(self.soft_navigation.url)}:", tone="heading")
            yield from self.soft_navigation.lines()


@frozen(kw_only=True)
class PathEntry:
    """A path that has a snapshot."""

    path: str
    ts: str
    load: float | None
    overall: str | None
    soft_navigation: bool = False


@frozen(kw_only=True)
class PerformanceAnswer:
    """The requested snapshot, and the paths that have one, newest first."""

    summary: str
    snapshot: SnapshotEntry | None
    paths: list[PathEntry]
    left_out: int = 0
    # Continues the list of paths.
    cursor: str | None = None

    def render(self) -> Iterator[Line]:
        """The requested load, and the paths with a known load."""
        yield Line(self.summary, tone="heading")
        if self.snapshot:
            yield from self.snapshot.lines()
        if len(self.paths) > 1 or not self.snapshot:
            for path in self.paths:
                words = (
                    word(path.path),
                    f"load {duration(path.load)}" if path.load is not None else "",
                    path.overall,
                    "route change" if path.soft_navigation else "",
                )
                yield Line(" ".join(filter(None, words)), time=clock(path.ts))
        yield from rest_of(self.left_out, self.cursor, "more paths")


def show_vitals(args: ObserveArgs, context: Context) -> VitalsAnswer:
    """The vitals of the page in the requested tab, or in the tab used last."""
    tab = context.tabs.pick(args.tab_id)
    page, route = context.telemetry.performance.vitals_of(tab.tab_id, tab.source.navigation)
    if page is None:
        return VitalsAnswer(
            summary="Nothing is measured yet: the page has only just opened, or is none (about:blank, an error).",
            tab_id=tab.tab_id,
            page=None,
        )
    # If the answer is too large, drop the details.
    for detailed in (True, False):
        shown = show_page_vitals(page, detailed=detailed, settled=_has_settled(page, context))
        moved = show_page_vitals(route, detailed=detailed, settled=_has_settled(route, context)) if route else None
        answer = VitalsAnswer(summary=_sum_up(page, shown), tab_id=tab.tab_id, page=shown, soft_navigation=moved)
        if len(wire.encode(wire.dump(answer))) <= budget_of(args) - _AROUND:
            break
    return answer


def _has_settled(record: VitalsRecord, context: Context) -> bool:
    """Whether a page has a snapshot. One from the back/forward cache never gets one: it has nothing more to load."""
    return (
        record.navigation_type == "back-forward-cache"
        or context.telemetry.performance.snapshot_of_page(record.page_id) is not None
    )


def _sum_up(record: VitalsRecord, shown: PageVitals) -> str:
    known = {name: vital.value for name, vital in record.vitals.items()}
    if not known:
        return "The page has just begun to load."
    parts = [
        f"{name} {_written(name, known[name])}{' so far' if shown.metrics[name].provisional else ''} "
        f"({rate(name, known[name])})"
        for name in THRESHOLDS
        if name in known
    ]
    missing = [name for name in THRESHOLDS if name not in known]
    rest = f" Not known: {', '.join(missing)}." if missing else ""
    return f"Overall {worst(known)}: {', '.join(parts)}.{rest}"


def _written(name: VitalName, value: float) -> str:
    return f"{value:.3f}" if name == "CLS" else f"{value:.0f} ms"


def show_performance(args: ObserveArgs, context: Context) -> PerformanceAnswer:
    """The snapshot of the requested path, or of the page captured last."""
    store = context.telemetry.performance
    known = store.newest()
    chosen = _choose(known, args)
    if chosen is not None:
        store.used(chosen)
    budget = budget_of(args) - _AROUND
    shown = show_performance_snapshot(chosen) if chosen else None
    if chosen and len(wire.encode(wire.dump(shown))) > budget // 2:
        shown = show_performance_snapshot(chosen, detailed=False)
    room = budget - len(wire.encode(wire.dump(shown)))
    paths, left_out, cursor = part_of([_path(record) for record in known], args.cursor, room)
    return PerformanceAnswer(
        summary=_sum_up_snapshot(chosen, len(known)) + (older_load(chosen, context) if chosen else ""),
        snapshot=shown,
        paths=paths,
        left_out=left_out,
        cursor=cursor,
    )


def older_load(record: PerformanceRecord, context: Context) -> str:
    """A warning that a load is not the newest of its path; empty if it is."""
    if not context.telemetry.performance.newer_load(record):
        return ""
    return (
        " That is the load before the one that is shown now, which is summed up "
        f"{limits.PERFORMANCE_SETTLE_SECONDS:g} s after it has loaded."
    )


def _choose(known: list[PerformanceRecord], args: ObserveArgs) -> PerformanceRecord | None:
    """The path that matches exactly, else the newest whose URL contains the filter."""
    exact = [
        record
        for record in known
        if record.path == args.url_filter and (not args.tab_id or record.source.tab_id == args.tab_id)
    ]
    fitting_ones = exact or [record for record in known if matches(record, args, record.url)]
    return fitting_ones[0] if fitting_ones else None


def _sum_up_snapshot(record: PerformanceRecord | None, known: int) -> str:
    if record is None:
        settled = f"a page is summed up {limits.PERFORMANCE_SETTLE_SECONDS:g} s after it has loaded"
        if known:
            return f"No such path; {number_of(known, 'path')} known. Note that {settled}."
        return f"No page has been captured yet: {settled}. Load or reload it."
    timing, network, tasks = record.timing, record.network, record.long_tasks
    what = "Route change" if record.soft_navigation else "Load"
    took = f" in {timing.load:.0f} ms" if timing.load is not None else ""
    return (
        f"{what}{took}, {number_of(network.request_count, 'request')}, {network.transfer_size / limits.KB:.0f} KB, "
        f"{number_of(tasks.count, 'long task')}; overall {worst(values_of(record)) or 'not known'}; "
        f"{max(0.0, time.time() - record.ts):.0f} s ago."
    )


def _path(record: PerformanceRecord) -> PathEntry:
    load = record.timing.load
    return PathEntry(
        path=record.path[:_PATH_CHARS],
        ts=iso(record.ts),
        load=None if load is None else round(load, 1),
        overall=worst(values_of(record)),
        soft_navigation=record.soft_navigation,
    )
