"""Vitals and performance snapshots in an answer."""

from collections.abc import Iterator
from typing import Any

from attrs import field, frozen

from gasoline_cdp import wire
from gasoline_cdp.analysis.performance.loads import THRESHOLDS, rate, values_of, worst
from gasoline_cdp.answers.amounts import clock, duration, number, size
from gasoline_cdp.answers.lines import Line, Tone, note
from gasoline_cdp.answers.paging import iso
from gasoline_cdp.answers.quoting import word, written_fields
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.measures import LoadTiming, LongTasks, Vital, VitalName
from gasoline_cdp.records import PerformanceRecord, VitalsRecord

_URL_CHARS = 300
_SHIFTS_SHOWN = 3
_TASKS_SHOWN = 5
_TARGET_CHARS = 120
_TONES: dict[str, Tone] = {
    "poor": "error",
    "needs-improvement": "warning",
    "needs_improvement": "warning",
    "good": "good",
}


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

    def line(self, name: str) -> Line:
        """`LCP 1.25s good: img.hero`, or why it is not known."""
        if self.value is None:
            return Line(f"not known: {self.reason}", tag=name, tone="dim")
        value = number(self.value) if name == "CLS" else duration(self.value)
        words = (
            value,
            self.rating,
            f"({self.provisional})" if self.provisional else "",
            word(self.target, _TARGET_CHARS) if self.target else "",
            word(self.url) if self.url else "",
            word(self.interaction) if self.interaction else "",
            " ".join(f"{word(phase)} {duration(ms)}" for phase, ms in (self.phases or {}).items() if ms),
            written_fields(self.script) if self.script else "",
        )
        return Line(" ".join(filter(None, words)), tag=name, tone=_TONES.get(self.rating or "", "plain"))


@frozen(kw_only=True)
class LongTasksEntry:
    """Tasks over 50 ms. `entries` are the longest, each with its script if the browser knows it."""

    count: int
    total_blocking_time: float
    longest: float
    entries: list[dict[str, Any]] = field(factory=list)

    def lines(self) -> Iterator[Line]:
        """How many there were, and the longest. No lines if there were none."""
        if self.count:
            blocked = f"blocked {duration(self.total_blocking_time)}, longest {duration(self.longest)}"
            yield Line(f"{number_of(self.count, 'long task')}: {blocked}", tone="warning")
            for task in self.entries:
                yield Line(written_fields(task), depth=1)


@frozen(kw_only=True)
class PageVitals:
    """The vitals of one navigation so far; `overall` is the worst rating."""

    url: str
    navigation_type: str
    overall: str | None
    metrics: dict[str, VitalEntry]
    long_tasks: LongTasksEntry

    def lines(self) -> Iterator[Line]:
        """One line per metric."""
        for name, vital in self.metrics.items():
            yield vital.line(name)
            for shift in vital.shifts or ():
                yield Line(written_fields(shift), tag="shift", depth=1)
        yield from self.long_tasks.lines()


@frozen(kw_only=True)
class SnapshotEntry:
    """What a navigation cost once it had settled. `unknown` says why a metric has no value."""

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

    def lines(self) -> Iterator[Line]:
        """What the load cost: times, transfer, long tasks, ratings."""
        kind = "route change" if self.soft_navigation else "load"
        yield Line(f"{word(self.path)} tab {self.tab_id}", time=clock(self.ts), tag=kind)
        times = {name: value for name, value in wire.dump(self.timing).items() if value is not None}
        if times:
            yield Line(" ".join(f"{name} {duration(value)}" for name, value in times.items()), tag="timing", depth=1)
        yield Line(_network_words(self.network), tag="network", depth=1)
        rated = [f"{name} {rating}" for name, rating in self.ratings.items()]
        if self.cumulative_layout_shift is not None:
            rated.append(f"layout shift {number(self.cumulative_layout_shift)}")
        if rated:
            yield Line(", ".join(rated), tag="rated", depth=1)
        yield from self.long_tasks.lines()
        for name, why in self.unknown.items():
            yield Line(why, tag=f"{name} not known:", depth=1, tone="dim")
        if self.note:
            yield note(self.note)


def _network_words(network: dict[str, Any]) -> str:
    """`28 requests 7.15KB (8.51KB decoded): script 5 3.13KB, fetch 20 2.19KB; slowest r6 87ms`."""
    types = [f"{kind} {one['count']} {size(one['size'])}" for kind, one in network["by_type"].items() if one["count"]]
    slowest = [f"{one['id']} {duration(one['duration_ms'])}" for one in network["slowest_requests"]]
    words = (
        f"{number_of(network['request_count'], 'request')} {size(network['transfer_size'])}",
        f"({size(network['decoded_size'])} decoded)",
        f": {', '.join(types)}" if types else "",
        f"; slowest {', '.join(slowest)}" if slowest else "",
        "" if network["complete"] else "; not all are known",
    )
    return " ".join(filter(None, words)).replace(" :", ":").replace(" ;", ";")


def _round(name: VitalName, value: float) -> float:
    return round(value, 4 if name == "CLS" else 1)


def show_page_vitals(record: VitalsRecord, *, detailed: bool = True, settled: bool = True) -> PageVitals:
    """A vitals record as an entry."""
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
    # The browser stops looking for a larger paint at the first interaction.
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


def show_performance_snapshot(record: PerformanceRecord, *, detailed: bool = True) -> SnapshotEntry:
    """A performance record as an entry."""
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
