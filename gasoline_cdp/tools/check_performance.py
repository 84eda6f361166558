"""`check_performance`: compares a page's load with its earlier loads and its budgets."""

import time
from collections.abc import Iterator

from attrs import evolve, field, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.normalise import origin_of
from gasoline_cdp.analysis.performance.baselines import compare_with
from gasoline_cdp.analysis.performance.budgets import Broken, broken_budgets
from gasoline_cdp.analysis.performance.regressions import Change, MetricName, metrics_of, written
from gasoline_cdp.analysis.performance.resources import Cause, compare_resources, probable_causes
from gasoline_cdp.analysis.sourcemaps.frames import cut
from gasoline_cdp.answers.amounts import number
from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.paging import json_bytes
from gasoline_cdp.answers.performance_change_lines import cause_lines
from gasoline_cdp.answers.performance_entries import SnapshotEntry, show_performance_snapshot
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.answers.wording import number_of, of_page
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Tool
from gasoline_cdp.operations.project_settings import find_budgets
from gasoline_cdp.records import PerformanceRecord
from gasoline_cdp.store.performance import PathHistory
from gasoline_cdp.views.performance import older_load

# Lengths of addresses to try until the answer fits.
_ADDRESS_CHARS = (limits.URL_CHARS, 300, 100, 40)


@frozen(kw_only=True)
class CheckArgs:
    """Arguments of check_performance."""

    url: str | None = wire.arg("path; default: the last loaded", default=None)
    tab_id: int | None = wire.arg("Include only this tab.", default=None, minimum=0)


@frozen(kw_only=True)
class CheckAnswer:
    """A verdict on the newest load of a path. `report` is the same as text for people, with text of pages in quotes."""

    summary: str
    snapshot: SnapshotEntry
    baseline_samples: int
    regressions: list[Change]
    # Slower than the few earlier loads, perhaps by chance. Load the page again to find out.
    suspected: list[Change] = field(factory=list)
    # The cause that explains most, and at most two that explain less.
    probable_cause: Cause | None = None
    further_causes: list[Cause] = field(factory=list)
    budgets_broken: list[Broken] = field(factory=list)
    report: str

    def render(self) -> Iterator[Line]:
        """The verdict with what got worse, then budgets, causes, and what the load cost.

        Omits `report`, which repeats all that.
        """
        yield Line(self.summary, tone="heading")
        for broken in self.budgets_broken:
            over = f"{number(broken.actual)} (limit {number(broken.limit)} of {word(broken.route)})"
            yield Line(over, tag=f"over budget: {word(broken.key)}", tone="error")
        shared = SharedFacts(origin=origin_of(self.snapshot.url))
        for cause in (*([self.probable_cause] if self.probable_cause else []), *self.further_causes):
            yield from cause_lines(cause, shared)
        yield from self.snapshot.lines()


async def check_performance(args: CheckArgs, context: Context) -> CheckAnswer:
    """Judge the newest load of a path."""
    record = _chosen(args, context)
    store = context.telemetry.performance
    store.used(record)
    history = store.history_of(record)
    verdict = judged(record, history)
    budgets = find_budgets(context.directory)
    broken = broken_budgets(budgets, record) if budgets else []
    samples = history.baseline.samples if history else 0
    summary = _summary(verdict, broken, samples) + older_load(record, context)
    # All that can make the answer long are addresses and names of routes. Its lines are shorter than its JSON.
    for chars in _ADDRESS_CHARS:
        answer = _answer(
            summary,
            evolve(record, path=cut(record.path, chars), url=cut(record.url, chars)),
            history,
            evolve(verdict, causes=tuple(_with_short_urls(cause, chars) for cause in verdict.causes)),
            [evolve(one, route=cut(one.route, chars)) for one in broken],
        )
        if json_bytes(answer) <= limits.ANSWER_BYTES:
            break
    return answer


def _answer(
    summary: str, record: PerformanceRecord, history: PathHistory | None, verdict: "Judged", broken: list[Broken]
) -> CheckAnswer:
    return CheckAnswer(
        summary=summary,
        snapshot=show_performance_snapshot(record, detailed=False),
        baseline_samples=history.baseline.samples if history else 0,
        regressions=verdict.worse,
        suspected=verdict.suspected,
        probable_cause=next(iter(verdict.causes), None),
        further_causes=list(verdict.causes[1:]),
        budgets_broken=broken,
        report=write_report(record, history, verdict, broken),
    )


def _with_short_urls(cause: Cause, chars: int) -> Cause:
    return evolve(cause, resources=tuple(evolve(one, url=cut(one.url, chars)) for one in cause.resources))


@frozen(kw_only=True)
class Judged:
    """What is worse than the baseline, what may be worse, and causes from the comparison with the previous load."""

    worse: list[Change] = field(factory=list)
    suspected: list[Change] = field(factory=list)
    causes: tuple[Cause, ...] = ()


def judged(record: PerformanceRecord, history: PathHistory | None) -> Judged:
    """Compare a load with its history."""
    if history is None:
        return Judged()
    worse, suspected = compare_with(history.baseline, metrics_of(record))
    changed = compare_resources(history.previous.resources, record.resources)
    causes = probable_causes([*worse, *suspected], changed, record.long_tasks)
    return Judged(worse=worse, suspected=suspected, causes=causes)


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


def _summary(verdict: Judged, broken: list[Broken], samples: int) -> str:
    parts = [f"{number_of(len(broken), 'budget')} broken." if broken else ""]
    earlier = number_of(samples, "earlier load")
    if not samples:
        parts.append("The first load of this path: the next one will be compared with it.")
    elif verdict.worse:
        parts.append(f"{number_of(len(verdict.worse), 'regression')} against {earlier}: {_listed(verdict.worse)}.")
    else:
        parts.append(f"No regression against {earlier}.")
    if verdict.suspected:
        parts.append(
            f"Perhaps worse, or only by chance: {_listed(verdict.suspected)}. Load the page again to know: {earlier} "
            f"cannot show how much its times vary."
        )
    return " ".join(part for part in parts if part)


def _listed(changes: list[Change]) -> str:
    return ", ".join(
        f"{one.metric} {written(one.metric, one.baseline)} → {written(one.metric, one.current)}" for one in changes
    )


def write_report(
    record: PerformanceRecord,
    history: PathHistory | None,
    verdict: Judged,
    broken: list[Broken],
) -> str:
    """The report for a person: one line per number, with the old number if it got worse."""
    timing, network, tasks = record.timing, record.network, record.long_tasks
    by_metric = {change.metric: change for change in (*verdict.worse, *verdict.suspected)}

    def line(label: str, metric: MetricName, value: float | None) -> str:
        shown = "not measured" if value is None else written(metric, value)
        change = by_metric.get(metric)
        if change is None:
            return f"  {label}: {shown}"
        percent = "" if change.change_percent is None else f", {change.change_percent:+.0f}%"
        return f"  {label}: {shown} (was {written(metric, change.baseline)}{percent})"

    lines = [
        f"Performance of {of_page(record.path)} ({max(0.0, time.time() - record.ts):.0f} s ago)",
        "",
        "Load timing",
        line("Time to first byte", "time_to_first_byte", timing.time_to_first_byte),
        line("First contentful paint", "first_contentful_paint", timing.first_contentful_paint),
        line("Largest contentful paint", "largest_contentful_paint", timing.largest_contentful_paint),
        line("Load", "load", timing.load),
        line("Interaction to next paint", "interaction_to_next_paint", timing.interaction_to_next_paint),
        "",
        "Network",
        line("Requests", "request_count", network.request_count),
        line("Transferred", "transfer_size", network.transfer_size),
        *(f"  Slow: {of_page(slow.url)} {slow.duration_ms:.0f} ms" for slow in network.slowest_requests),
        "",
        "Main thread",
        line("Long tasks", "long_task_count", tasks.count),
        line("Blocking time", "total_blocking_time", tasks.total_blocking_time),
        "",
        "Layout stability",
        line("Cumulative layout shift", "cumulative_layout_shift", record.cumulative_layout_shift),
        "",
        "Regressions",
        *([f"  {_listed([change])}" for change in verdict.worse] or ["  none"]),
        *(f"  perhaps {_listed([change])}" for change in verdict.suspected),
    ]
    for index, cause in enumerate(verdict.causes):
        lines += [
            f"  {'Further' if index else 'Probable'} cause: {cause.sentence}",
            *(f"    {of_page(resource.url)}" for resource in cause.resources),
        ]
    if broken:
        lines += [
            "",
            "Budgets broken",
            *(f"  {one.key}: {one.actual:.10g} (limit {one.limit:.10g}, {one.route})" for one in broken),
        ]
    samples = history.baseline.samples if history else 0
    last = (
        f"Baseline: {number_of(samples, 'sample')}." if samples else "No baseline yet: the next load will be compared."
    )
    return "\n".join([*lines, "", last])


TOOLS = (
    Tool(
        name="check_performance",
        title="Check performance",
        description=(
            "The newest load of a path against earlier ones and the project's budgets: regressions, probable causes."
        ),
        args=CheckArgs,
        answer=CheckAnswer,
        run=check_performance,
    ),
)
