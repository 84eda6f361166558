"""What all audits share: one at a time per tab, a time limit, a short cache, and an answer that fits."""

from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar

import trio

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.accessibility.judge import violations_of
from gasoline_cdp.analysis.locations import on_page
from gasoline_cdp.answers.paging import json_bytes
from gasoline_cdp.cdp.connection import CdpClosed, CdpError
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.world import PageFault
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.probe.accessibility import Axe, AxeRequest, AxeRun, free_page
from gasoline_cdp.probe.dom import ask_page, require_page

T = TypeVar("T")


async def in_turn(
    context: Context, tab: Tab, seconds: float, work: Callable[[], Awaitable[T]], *, narrow: str = ""
) -> T:
    """Run one analysis of a tab at a time. The time limit includes the wait for the previous one.

    `narrow` is advice for the caller on how to ask for less, if that is possible.
    """
    turn = context.audits.turn(tab.tab_id)
    started = False
    try:
        with trio.fail_after(seconds):
            async with turn:
                started = True
                return await work()
    except trio.TooSlowError as error:
        if started:
            if tab.tab_id in context.audits.stuck:
                context.audits.stuck.discard(tab.tab_id)
                await free_page(tab)
            raise GasolineError(
                Code.ANALYSIS_TIMEOUT,
                f"Tab {tab.tab_id} was not analysed within {seconds:.0f} s: the page is busy, hung or very large. "
                f"{f'{narrow}, or reload' if narrow else 'Reload'} the page and call again when it is idle.",
            ) from error
        raise GasolineError(
            Code.CONCURRENT_ANALYSIS,
            f"Another analysis of tab {tab.tab_id} was still running after {seconds:.0f} s. "
            "Wait for its end, then call again.",
        ) from error


async def when_loaded(tab: Tab) -> None:
    """Wait until the document has loaded: half of it would be judged as the whole."""
    if await ask_page(tab, "when_loaded", round(limits.LOAD_WAIT_SECONDS * 1000)) == "loading":
        raise GasolineError(
            Code.PAGE_NAVIGATED,
            f"Tab {tab.tab_id} is still loading its document, so nothing was judged and nothing was stored. "
            "Call again when the page has loaded.",
        )


def torn(tab: Tab) -> GasolineError:
    """The error for a page that navigated during the analysis: results from two documents say nothing about either."""
    return GasolineError(
        Code.PAGE_NAVIGATED,
        f"Tab {tab.tab_id} navigated during the analysis, so nothing was judged and nothing was stored. "
        "Call again when the page has loaded.",
    )


def unfinished(tab: Tab) -> GasolineError:
    """The error if some frames were not checked in time: their issues would count as gone now, and as new next time."""
    return GasolineError(
        Code.ANALYSIS_TIMEOUT,
        f"Not every frame of tab {tab.tab_id} answered in time, so nothing was judged and nothing was stored. "
        "Wait until the page is idle, or reload it, then call again.",
    )


async def run_axe(
    context: Context, tab: Tab, request: AxeRequest, *, fresh: float, force_refresh: bool
) -> tuple[AxeRun, bool]:
    """An accessibility audit, and whether it came from the cache. Call it inside `in_turn`."""
    navigation = tab.source.navigation
    key = (tab.tab_id, navigation, tab.raw_url, request)
    kept = None if force_refresh else context.audits.fresh(key, fresh)
    if kept is not None:
        return kept, True
    if tab.state == "crashed":
        raise GasolineError(Code.PAGE_HUNG, f"Tab {tab.tab_id} has crashed. Reload it, then ask again.")
    await require_page(tab)

    def report_progress(frames: int) -> None:
        context.progress(frames, None, f"{frames} of the page's documents checked")

    finished = False
    axe = Axe(tab, request, context.audits.generation(tab.tab_id), report_progress)
    tab.analysis = "an accessibility audit"
    try:
        run = await axe.audit()
        finished = True
        # An error page may have appeared while the audit began.
        await require_page(tab)
    except (CdpClosed, CdpError, PageFault) as error:
        if tab.state == "closed":
            raise GasolineError(Code.NO_SUCH_TAB, f"Tab {tab.tab_id} was closed while it was audited.") from error
        if tab.state == "crashed":
            raise GasolineError(Code.PAGE_HUNG, f"Tab {tab.tab_id} crashed while it was audited.") from error
        return AxeRun(warnings=["page_navigated"]), False
    finally:
        tab.analysis = ""
        if not finished:
            context.audits.spoil(tab.tab_id, running=axe.running)
    if tab.source.navigation != navigation:
        # The result may belong to either document.
        return AxeRun(warnings=["page_navigated"]), False
    # An incomplete audit is kept for its cursor only: no later call finds it by this key.
    lasting: Hashable = (*key, run.taken_at) if "timeout" in run.warnings else key
    elements = sum(len(rule["nodes"]) for kind in ("violations", "incomplete") for rule in run.result[kind])
    run.number = context.audits.keep(lasting, run, elements)
    findings = (on_page(finding, tab.source.url) for finding in violations_of(run.result))
    context.audit_findings.add_page(tab.source, request.scope, tuple(findings), partial=bool(run.warnings))
    return run, False


def steps_of(selector: str | None) -> tuple[str, ...]:
    """`host >>> button` → the steps into shadow roots and frames. Empty for the whole page."""
    return tuple(step.strip() for step in selector.split(">>>")) if selector else ()


# Fields of an entry that does not fit.
_NAMED = ("id", "severity", "category", "message", "count")


def spread(
    entries: list[dict[str, Any]],
    part: str,
    budget: int,
    size: Callable[[dict[str, Any]], int] = json_bytes,
    size_of_parts: Callable[[list[dict[str, Any]]], int] = lambda parts: len(wire.encode(parts)),
) -> tuple[list[dict[str, Any]], int]:
    """Fit entries into the budget: first each with one of its parts, then more parts in turn.

    Entries that do not fit are only named, with their count. Returns the entries, and how many are only named or
    missing. `size` and `size_of_parts` measure an entry and additional parts in the form that the client reads.
    """
    names = [{name: entry[name] for name in _NAMED if name in entry} for entry in entries]
    costs = [size(name) for name in names]
    # Size of the names of all remaining entries; at most half of the answer.
    rest = sum(costs)
    ceiling = budget // 2
    shown: list[dict[str, Any]] = []
    short = 0
    for entry, name, cost_of_name in zip(entries, names, costs, strict=True):
        rest -= cost_of_name
        for first in ({**entry, part: entry[part][:1]}, {**entry, part: []}, name):
            cost = size(first)
            if cost + (0 if first is name else min(rest, ceiling)) <= budget:
                break
        else:
            break
        short += first is name
        budget -= cost
        shown.append(first)
    for index in range(1, max((len(entry[part]) for entry in entries), default=0)):
        for entry, first in zip(entries, shown, strict=False):
            more = entry[part][index : index + 1]
            cost = size_of_parts(more)
            if more and len(first.get(part, ())) == index and cost <= budget:
                budget -= cost
                first[part] = [*first[part], *more]
    return shown, len(entries) - len(shown) + short
