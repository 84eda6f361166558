"""The views `vitals` (the page shown now) and `performance` (what a navigation cost, by path)."""

import time
from typing import Any

from attrs import field, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.performance import THRESHOLDS, rate, values_of, worst
from gasoline_cdp.measures import LoadTiming, LongTasks, Vital, VitalName
from gasoline_cdp.records import PerformanceRecord, VitalsRecord
from gasoline_cdp.tools.listing import ObserveArgs
from gasoline_cdp.tools.paging import budget_of, iso, matches, part_of
from gasoline_cdp.tools.spec import Context
from gasoline_cdp.tools.wording import number_of

# Room for the fields around the lists, and a notice.
_AROUND = 500
_URL_CHARS = 300
_PATH_CHARS = 100
_SHIFTS_SHOWN = 3
_TASKS_SHOWN = 5


@frozen(kw_only=True)
class VitalEntry:
    """A metric in milliseconds (CLS: a score). Without a value, `reason` says why."""

    value: float | None
    rating: str | None
    reason: str | None = None
    # Why the value may still change.
    provisional: str | None = None
    target: str | None = None
    tag: str | None = None
    url: str | None = None
    interaction: str | None = None
    time: float | None = None
    phases: dict[str, float] | None = None
    shifts: list[dict[str, Any]] | None = None
    script: dict[str, Any] | None = None


@frozen(kw_only=True)
class LongTasksEntry:
    """Tasks over 50 ms; `entries` are the longest, each with the script that ran in it where the browser knows."""

    count: int
    total_blocking_time: float
    longest: float
    entries: list[dict[str, Any]] = field(factory=list)


@frozen(kw_only=True)
class PageVitals:
    """The vitals of one navigation so far; `overall` is the worst rating."""

    url: str
    navigation_type: str
    overall: str | None
    metrics: dict[str, VitalEntry]
    long_tasks: LongTasksEntry


@frozen(kw_only=True)
class VitalsAnswer:
    """The vitals of the page that a tab shows, and of the route it has moved to since it was loaded."""

    summary: str
    tab_id: int
    page: PageVitals | None
    soft_navigation: PageVitals | None = None


@frozen(kw_only=True)
class SnapshotEntry:
    """What a navigation cost, when it had settled. `unknown` says why a metric has no value."""

    ts: str
    tab_id: int
    path: str
    url: str
    soft_navigation: bool
    timing: LoadTiming
    network: dict[str, Any]
    long_tasks: LongTasksEntry
    cumulative_layout_shift: float | None
    ratings: dict[str, str]
    overall: str | None
    unknown: dict[str, str] = field(factory=dict)
    note: str | None = None


@frozen(kw_only=True)
class PathEntry:
    """A path of which a snapshot is kept."""

    path: str
    ts: str
    load: float | None
    overall: str | None
    soft_navigation: bool = False


@frozen(kw_only=True)
class PerformanceAnswer:
    """The snapshot asked for, and the paths that have one, newest first."""

    summary: str
    snapshot: SnapshotEntry | None
    paths: list[PathEntry]
    left_out: int = 0
    # Of the paths.
    cursor: str | None = None


def show_vitals(args: ObserveArgs, context: Context) -> VitalsAnswer:
    """The vitals of the page in the tab asked for, or used last."""
    tab = context.capture.tabs.pick(args.tab_id)
    page, route = context.telemetry.performance.vitals_of(tab.tab_id, tab.source.navigation)
    if page is None:
        return VitalsAnswer(
            summary="Nothing is measured yet: the page has only just opened, or is none (about:blank, an error).",
            tab_id=tab.tab_id,
            page=None,
        )
    # With few bytes to spend, the details go first.
    for detailed in (True, False):
        shown = page_vitals(page, detailed=detailed, settled=_has_settled(page, context))
        moved = page_vitals(route, detailed=detailed, settled=_has_settled(route, context)) if route else None
        answer = VitalsAnswer(summary=_sum_up(page, shown), tab_id=tab.tab_id, page=shown, soft_navigation=moved)
        if len(wire.encode(wire.dump(answer))) <= budget_of(args) - _AROUND:
            break
    return answer


def _has_settled(record: VitalsRecord, context: Context) -> bool:
    """Whether a page has been summed up. One from the back/forward cache never is: it has nothing more to load."""
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


def _round(name: VitalName, value: float) -> float:
    return round(value, 4 if name == "CLS" else 1)


def page_vitals(record: VitalsRecord, *, detailed: bool = True, settled: bool = True) -> PageVitals:
    """What a page reported, for an answer."""
    return PageVitals(
        url=record.url[:_URL_CHARS],
        navigation_type=record.navigation_type,
        overall=worst({name: vital.value for name, vital in record.vitals.items()}),
        metrics={name: _vital(name, record, detailed=detailed, settled=settled) for name in THRESHOLDS},
        long_tasks=_tasks(record.long_tasks, detailed=False),
    )


_LARGER_MAY_COME = "the page has not settled: something larger may still be painted"


def _vital(name: VitalName, record: VitalsRecord, *, detailed: bool, settled: bool) -> VitalEntry:
    vital = record.vitals.get(name)
    if vital is None:
        return VitalEntry(value=None, rating=None, reason=_why_unknown(name, record))
    shown = _details(vital) if detailed else {}
    # An interaction ends the search for the largest paint.
    open_ended = name == "LCP" and not settled and "INP" not in record.vitals
    return VitalEntry(
        value=_round(name, vital.value),
        rating=rate(name, vital.value),
        provisional=_LARGER_MAY_COME if open_ended else None,
        **shown,
    )


def _why_unknown(name: VitalName, record: VitalsRecord) -> str:
    if name == "INP":
        return "no interaction slower than 40 ms yet" if record.soft_navigation else "no interaction yet"
    if name == "TTFB":
        return "no document was requested" if record.soft_navigation else "the page has not finished loading"
    if record.soft_navigation:
        return "the browser measured no paint for this route change"
    return "the page was in the background when it loaded" if record.hidden else "nothing has been painted yet"


def _details(vital: Vital) -> dict[str, Any]:
    details = dict(vital.details)
    if "url" in details:
        details["url"] = details["url"][:_URL_CHARS]
    if "time" in details:
        details["time"] = round(details["time"], 1)
    if "phases" in details:
        details["phases"] = {name: round(value, 1) for name, value in details["phases"].items()}
    if "shifts" in details:
        details["shifts"] = [
            {
                "value": round(shift["value"], 4),
                "time": round(shift["time"], 1),
                "elements": shift["elements"][:_SHIFTS_SHOWN],
            }
            for shift in details["shifts"][:_SHIFTS_SHOWN]
        ]
    if "script" in details:
        details["script"] = _script(details["script"])
    return details


def _script(script: dict[str, Any]) -> dict[str, Any]:
    shown = {name: text[:_URL_CHARS] for name in ("url", "function", "invoker") if (text := script.get(name))}
    return {**shown, "duration": round(script["duration"], 1)}


def _tasks(tasks: LongTasks, *, detailed: bool) -> LongTasksEntry:
    entries: list[dict[str, Any]] = []
    for entry in tasks.entries[:_TASKS_SHOWN] if detailed else ():
        shown = {"start": round(entry["start"], 1), "duration": round(entry["duration"], 1)}
        entries.append({**shown, "script": _script(entry["script"])} if "script" in entry else shown)
    return LongTasksEntry(
        count=tasks.count,
        total_blocking_time=round(tasks.total_blocking_time, 1),
        longest=round(tasks.longest, 1),
        entries=entries,
    )


def show_performance(args: ObserveArgs, context: Context) -> PerformanceAnswer:
    """The snapshot of the path asked for, or of the page captured last."""
    store = context.telemetry.performance
    known = store.newest()
    chosen = _choose(known, args)
    if chosen is not None:
        store.used(chosen)
    budget = budget_of(args) - _AROUND
    shown = snapshot(chosen) if chosen else None
    if chosen and len(wire.encode(wire.dump(shown))) > budget // 2:
        shown = snapshot(chosen, detailed=False)
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
    """A sentence for an answer about a load that is not the newest of its path; empty if it is."""
    if not context.telemetry.performance.newer_load(record):
        return ""
    return (
        " That is the load before the one that is shown now, which is summed up "
        f"{limits.PERFORMANCE_SETTLE_SECONDS:g} s after it has loaded."
    )


def _choose(known: list[PerformanceRecord], args: ObserveArgs) -> PerformanceRecord | None:
    """The path that was named exactly, else the newest whose URL contains what was asked for."""
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


def snapshot(record: PerformanceRecord, *, detailed: bool = True) -> SnapshotEntry:
    """A snapshot for an answer."""
    values = values_of(record)
    shift = record.cumulative_layout_shift
    timing = wire.dump(record.timing)
    network = record.network
    return SnapshotEntry(
        ts=iso(record.ts),
        tab_id=record.source.tab_id,
        path=record.path[:_URL_CHARS],
        url=record.url[:_URL_CHARS],
        soft_navigation=record.soft_navigation,
        timing=LoadTiming(**{name: None if value is None else round(value, 1) for name, value in timing.items()}),
        network={
            **wire.dump(network),
            "slowest_requests": [wire.dump(request) for request in network.slowest_requests],
        },
        long_tasks=_tasks(record.long_tasks, detailed=detailed),
        cumulative_layout_shift=None if shift is None else round(shift, 4),
        ratings={name: rate(name, value) for name, value in values.items()},
        overall=worst(values),
        unknown={name: _why_missing(name, record) for name in THRESHOLDS if name not in values},
        note=_note(record),
    )


def _note(record: PerformanceRecord) -> str | None:
    if record.left_early:
        return "The page was left before it settled: what it would have loaded, shown and done later is not in it."
    if not record.network.complete:
        return "The page's first request is not in memory, so others may be missing here too."
    return None


def _why_missing(name: VitalName, record: PerformanceRecord) -> str:
    if name == "INP":
        return "no interaction" if record.left_early else "no interaction yet"
    if record.soft_navigation:
        return "not measured for this route change"
    return "nothing was painted, or the page was in the background"


def _path(record: PerformanceRecord) -> PathEntry:
    load = record.timing.load
    return PathEntry(
        path=record.path[:_PATH_CHARS],
        ts=iso(record.ts),
        load=None if load is None else round(load, 1),
        overall=worst(values_of(record)),
        soft_navigation=record.soft_navigation,
    )
