"""`check_performance`: what a page costs, against what it usually costs and against its budgets."""

import time
from pathlib import Path

from attrs import field, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.baselines import usual
from gasoline_cdp.analysis.budgets import Broken, Budgets, broken_budgets, read_budgets
from gasoline_cdp.analysis.regressions import Change, MetricName, metrics_of, regressions
from gasoline_cdp.analysis.resources import Cause, compare_resources, probable_cause
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.records import PerformanceRecord
from gasoline_cdp.store.performance import PathHistory
from gasoline_cdp.tools.performance import SnapshotEntry, snapshot
from gasoline_cdp.tools.spec import Context, Tool
from gasoline_cdp.tools.wording import number_of, of_page

# Where a person writes budgets, the first that has any: the file, and the table in it.
_BUDGET_FILES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("gasoline.toml", ("budgets",)),
    ("pyproject.toml", ("tool", "gasoline-cdp", "budgets")),
)


@frozen(kw_only=True)
class CheckArgs:
    """Arguments of check_performance."""

    url: str | None = wire.arg("path of the page, such as /checkout (default: the page captured last)", default=None)
    tab_id: int | None = wire.arg("only this tab", default=None, minimum=0)


@frozen(kw_only=True)
class CheckAnswer:
    """The newest load of a path, judged. `report` says the same for people; what pages wrote is in quotes there."""

    summary: str
    snapshot: SnapshotEntry
    baseline_samples: int
    regressions: list[Change]
    probable_cause: Cause | None = None
    budgets_broken: list[Broken] = field(factory=list)
    report: str


async def check_performance(args: CheckArgs, context: Context) -> CheckAnswer:
    """Judge the newest load of a path."""
    record = _chosen(args, context)
    store = context.telemetry.performance
    store.used(record)
    history = store.history_of(record)
    worse, cause = judged(record, history)
    budgets = find_budgets(context.directory)
    broken = broken_budgets(budgets, record) if budgets else []
    samples = history.baseline.samples if history else 0
    return CheckAnswer(
        summary=_summary(worse, broken, samples),
        snapshot=snapshot(record, detailed=False),
        baseline_samples=samples,
        regressions=worse,
        probable_cause=cause,
        budgets_broken=broken,
        report=write_report(record, history, worse, cause, broken),
    )


def judged(record: PerformanceRecord, history: PathHistory | None) -> tuple[list[Change], Cause | None]:
    """What got worse against the baseline, and why by comparison with the load before."""
    if history is None:
        return [], None
    worse = regressions(usual(history.baseline), metrics_of(record))
    changed = compare_resources(history.previous.resources, record.resources)
    return worse, probable_cause(worse, changed, record.long_tasks)


def _chosen(args: CheckArgs, context: Context) -> PerformanceRecord:
    known = [
        record
        for record in context.telemetry.performance.newest()
        if not args.tab_id or record.source.tab_id == args.tab_id
    ]
    wanted = args.url
    for record in known:
        if wanted is None or wanted in {record.path, record.url}:
            return record
    raise GasolineError(
        Code.NO_PERFORMANCE_DATA,
        f"No load {'of this path ' if wanted else ''}has been captured. A page is summed up "
        f"{limits.PERFORMANCE_SETTLE_SECONDS:g} s after it has loaded: load or reload it, then ask again.",
        paths=list(dict.fromkeys(record.path[:100] for record in known))[:20],
    )


def find_budgets(directory: Path | None) -> Budgets | None:
    """The budgets of the project that we were started in."""
    for name, section in _BUDGET_FILES if directory else ():
        try:
            text = (directory / name).read_text(encoding="utf-8") if directory else ""
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError) as error:
            raise GasolineError(Code.BAD_BUDGETS, f"{name} cannot be read: {error}.") from error
        if budgets := read_budgets(text, name=name, section=section):
            return budgets
    return None


def _summary(worse: list[Change], broken: list[Broken], samples: int) -> str:
    parts = [f"{number_of(len(broken), 'budget')} broken." if broken else ""]
    if not samples:
        parts.append("The first load of this path: the next one will be compared with it.")
    elif worse:
        names = ", ".join(change.metric for change in worse)
        parts.append(f"{number_of(len(worse), 'regression')} against {number_of(samples, 'earlier load')}: {names}.")
    else:
        parts.append(f"No regression against {number_of(samples, 'earlier load')}.")
    return " ".join(part for part in parts if part)


def write_report(
    record: PerformanceRecord,
    history: PathHistory | None,
    worse: list[Change],
    cause: Cause | None,
    broken: list[Broken],
) -> str:
    """The same for a person: one line a number, the old one beside what got worse."""
    timing, network, tasks = record.timing, record.network, record.long_tasks
    by_metric = {change.metric: change for change in worse}

    def line(label: str, metric: MetricName, value: float | None, unit: str) -> str:
        shown = "not measured" if value is None else _number(value, unit)
        change = by_metric.get(metric)
        if change is None:
            return f"  {label}: {shown}"
        percent = "" if change.change_percent is None else f", {change.change_percent:+.0f}%"
        return f"  {label}: {shown} (was {_number(change.baseline, unit)}{percent})"

    lines = [
        f"Performance of {of_page(record.path)} ({max(0.0, time.time() - record.ts):.0f} s ago)",
        "",
        "Load timing",
        line("Time to first byte", "time_to_first_byte", timing.time_to_first_byte, "ms"),
        line("First contentful paint", "first_contentful_paint", timing.first_contentful_paint, "ms"),
        line("Largest contentful paint", "largest_contentful_paint", timing.largest_contentful_paint, "ms"),
        line("Load", "load", timing.load, "ms"),
        line("Interaction to next paint", "interaction_to_next_paint", timing.interaction_to_next_paint, "ms"),
        "",
        "Network",
        line("Requests", "request_count", network.request_count, ""),
        line("Transferred", "transfer_size", network.transfer_size, "bytes"),
        *(f"  Slow: {of_page(slow.url)} {slow.duration_ms:.0f} ms" for slow in network.slowest_requests),
        "",
        "Main thread",
        line("Long tasks", "long_task_count", tasks.count, ""),
        line("Blocking time", "total_blocking_time", tasks.total_blocking_time, "ms"),
        "",
        "Layout stability",
        line("Cumulative layout shift", "cumulative_layout_shift", record.cumulative_layout_shift, "score"),
        "",
        "Regressions",
        *([f"  {change.metric}: {change.baseline:g} → {change.current:g}" for change in worse] or ["  none"]),
    ]
    if cause:
        lines += [
            f"  Probable cause: {cause.sentence}",
            *(f"    {of_page(resource.url)}" for resource in cause.resources),
        ]
    if broken:
        lines += [
            "",
            "Budgets broken",
            *(f"  {one.key}: {one.actual:g} (limit {one.limit:g}, {one.route})" for one in broken),
        ]
    samples = history.baseline.samples if history else 0
    last = (
        f"Baseline: {number_of(samples, 'sample')}." if samples else "No baseline yet: the next load will be compared."
    )
    return "\n".join([*lines, "", last])


def _number(value: float, unit: str) -> str:
    match unit:
        case "bytes":
            return f"{value / limits.KB:.1f} KB"
        case "score":
            return f"{value:.3f}"
        case "":
            return f"{value:g}"
        case _:
            return f"{value:.0f} {unit}"


TOOLS = (
    Tool(
        name="check_performance",
        title="Check performance",
        description=(
            "The newest load of a path against its earlier loads and the project's budgets: regressions with"
            " probable cause, and a report."
        ),
        args=CheckArgs,
        answer=CheckAnswer,
        run=check_performance,
    ),
)
