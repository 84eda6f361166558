"""`analyze(action="memory")`: counters, heap snapshots, and what they say."""

import time
from collections.abc import Awaitable, Callable
from typing import Any

import trio
from attrs import evolve

from gasoline_cdp import memory_limits
from gasoline_cdp.answers.marked_lines import line_bytes
from gasoline_cdp.answers.memory_entries import LeakEntry, leak_entry, megabytes, show_counters, show_trend
from gasoline_cdp.answers.paging import fitting, iso, json_bytes
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.audits.heap_questions import MemoryRequest, open_question
from gasoline_cdp.audits.memory_answers import (
    HeapObjectAnswer,
    HeapRowsAnswer,
    MemoryAnswer,
    MemoryComparisonAnswer,
    MemoryLeaksAnswer,
    MemorySnapshotAnswer,
)
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.probe.dom import asking
from gasoline_cdp.probe.memory import count_detached, heap_limit, sample_memory

_AROUND = 700
# What ends by itself, sooner or later.
_ENDING = ("timer", "animation frame", "idle callback", "promise")


async def analyze_memory(request: MemoryRequest, context: Context) -> MemoryAnswer:
    """Answer in the scope that is asked for."""
    begun = time.monotonic()
    tab = context.tabs.pick(request.tab_id)
    fields: dict[str, Any] = {"status": "success", "action": "memory", "scope": request.scope, "tab_id": tab.tab_id}
    answer = await _SCOPES[request.scope](request, tab, context, fields)
    return evolve(answer, duration_ms=round((time.monotonic() - begun) * 1000))


Fields = dict[str, Any]


async def _snapshot(request: MemoryRequest, tab: Tab, context: Context, fields: Fields) -> MemoryAnswer:
    """Counters with detached elements; and a heap snapshot if it has a name."""
    kept, notes = None, list[str]()
    target = await open_question(request, tab, context)
    if request.name:
        taken, dropped = await target.take(request.name)
        kept = {"name": taken.name, "objects": taken.objects, "text_mb": megabytes(taken.text_bytes)}
        notes += target.notes(taken.engine, dropped)
    with asking(tab):
        sample = await sample_memory(target.session)
        limit = await heap_limit(target.session)
    detached = None
    if target.is_page and sample.nodes <= memory_limits.DETACHED_NODES_MAX:
        try:
            detached = await count_detached(tab)
        except GasolineError as error:
            notes.append(f"Detached elements were not counted: {error.message}")
    context.memory.add(tab, sample)
    return MemorySnapshotAnswer(
        **fields,
        url=target.url,
        duration_ms=0,
        snapshot=show_counters(sample, limit, detached),
        trend=show_trend(context.memory.of(tab)) if target.is_page else None,
        kept=kept,
        notes=notes,
    )


async def _leaks(request: MemoryRequest, tab: Tab, context: Context, fields: Fields) -> MemoryAnswer:
    target = await open_question(request, tab, context)
    baseline, middle = target.baselines()
    reply, notes = await target.ask("leaks", baseline=baseline, middle=middle, rounds=request.rounds)
    if any(leak["kind"] in _ENDING for leak in reply["findings"]):
        # Timers that are only not due yet look the same.
        context.progress(0, None, "waits for timers that may still end")
        await trio.sleep(memory_limits.HEAP_TIMER_SECONDS)
        reply, notes = await target.ask("leaks", baseline=baseline, middle=middle, rounds=request.rounds)
    if baseline is None:
        notes.append(
            "No baseline: only detached trees are looked for. analyze(action='memory', scope='snapshot', "
            "name='before') keeps one; then repeat the action and ask with name and rounds."
        )
    findings, left_out = _fit(
        reply, context, baseline is not None, min(request.max_bytes, memory_limits.LEAKS_BYTES) - _AROUND
    )
    return MemoryLeaksAnswer(
        **fields,
        url=target.url,
        duration_ms=0,
        baseline=baseline.name if baseline else None,
        between=middle.name if middle else None,
        rounds=request.rounds,
        summary=leaks_summary(reply, baseline.name if baseline else "", request.rounds),
        findings=findings,
        left_out=left_out,
        new_objects=reply["new_objects"],
        new_bytes=reply["new_bytes"],
        detached_elements=reply["detached_elements"],
        detached_trees=reply["detached_trees"],
        notes=notes,
    )


def leaks_summary(reply: dict[str, Any], baseline: str, rounds: int | None) -> str:
    """How many leaks there are, since when, and how much is detached."""
    count = len(reply["findings"]) + reply["left_out"]
    since = f" since {baseline!r}" if baseline else ""
    repeated = f" in {number_of(rounds, 'round')}" if rounds else ""
    trees = reply["detached_trees"]
    kind = "new detached tree" if baseline else "detached tree"
    detached = f"; {number_of(trees, kind)} with {number_of(reply['detached_elements'], 'element')}" if trees else ""
    head = f"{number_of(count, 'leak')}" if count else "No leaks"
    return f"{head}{since}{repeated}{detached}."


def _fit(reply: dict[str, Any], context: Context, baseline: bool, room: int) -> tuple[list[LeakEntry], int]:
    entries = [leak_entry(leak, baseline=baseline) for leak in reply["findings"]]
    measure: Callable[[LeakEntry], int] = (
        (lambda entry: line_bytes(entry.lines())) if context.form == "lines" else json_bytes
    )
    shown = fitting(entries, room, measure)
    return shown, len(entries) - len(shown) + reply["left_out"]


async def _compare(request: MemoryRequest, tab: Tab, context: Context, fields: Fields) -> MemoryAnswer:
    target = await open_question(request, tab, context)
    baseline, middle = target.baselines()
    if baseline is None:
        raise GasolineError(
            Code.NO_SUCH_SNAPSHOT,
            "There is no baseline to compare with. Take one first: analyze(action='memory', scope='snapshot', "
            "name='before').",
        )
    reply, notes = await target.ask("compare", baseline=baseline, middle=middle, rounds=request.rounds)
    before, now = reply["before"], reply["now"]
    was, current = baseline.counters, target.asked.counters if target.asked else None
    growth = now["bytes"] - before["bytes"]
    findings, left_out = _fit(reply, context, True, memory_limits.LEAKS_BYTES - _AROUND)
    classes = fitting(reply["classes"], request.max_bytes - memory_limits.LEAKS_BYTES - _AROUND, json_bytes)
    return MemoryComparisonAnswer(
        **fields,
        url=target.url,
        duration_ms=0,
        baseline={
            "name": baseline.name,
            "timestamp": iso(baseline.taken_at),
            "heap_used_mb": megabytes(before["bytes"]),
        },
        current={"timestamp": iso(time.time()), "heap_used_mb": megabytes(now["bytes"])},
        delta={
            "heap_growth_mb": megabytes(growth),
            "heap_growth_pct": round(100 * growth / max(before["bytes"], 1), 1),
            "detached_nodes_delta": now["detached_elements"] - before["detached_elements"],
            "dom_nodes_delta": current.nodes - was.nodes if was and current else now["elements"] - before["elements"],
            "event_listeners_delta": current.listeners - was.listeners if was and current else 0,
        },
        findings=findings,
        classes=classes,
        left_out=left_out + len(reply["classes"]) - len(classes) + reply["classes_left_out"],
        notes=notes,
    )


async def _rows(request: MemoryRequest, tab: Tab, context: Context, fields: Fields) -> MemoryAnswer:
    target = await open_question(request, tab, context)
    reply, notes = await target.ask(request.scope, of=request.of)
    rows = reply["paths" if request.scope == "retainers" else request.scope]
    shown = fitting(rows, request.max_bytes - _AROUND, json_bytes)
    return HeapRowsAnswer(
        **fields,
        url=target.url,
        duration_ms=0,
        taken=target.taken(),
        summary=_rows_summary(request.scope, reply),
        rows=shown,
        left_out=len(rows) - len(shown) + reply["left_out"],
        notes=notes,
    )


def _rows_summary(scope: str, reply: dict[str, Any]) -> str:
    if scope == "classes":
        return f"{number_of(reply['objects'], 'object')}, {megabytes(reply['bytes'])} MB; classes by what they retain."
    if scope == "strings":
        return f"{megabytes(reply['wasted_bytes'])} MB wasted by equal strings."
    if scope == "closures":
        return f"{megabytes(reply['retained_bytes'])} MB kept by captured variables that no living function reads."
    return f"{number_of(reply['objects'], 'object')} of {reply['class']!r}, by who holds them."


async def _object(request: MemoryRequest, tab: Tab, context: Context, fields: Fields) -> MemoryAnswer:
    target = await open_question(request, tab, context)
    reply, notes = await target.ask("object", of=request.of)
    rows = fitting(reply["fields"], request.max_bytes - 2 * _AROUND, json_bytes)
    names = ("id", "class", "bytes", "retained_bytes", "detached", "location", "held_by", "holders", "dominators")
    return HeapObjectAnswer(
        **fields,
        url=target.url,
        duration_ms=0,
        taken=target.taken(),
        object={name: reply[name] for name in names},
        fields=rows,
        left_out=len(reply["fields"]) - len(rows) + reply["left_out"],
        notes=notes,
    )


_SCOPES: dict[str, Callable[[MemoryRequest, Tab, Context, Fields], Awaitable[MemoryAnswer]]] = {
    "snapshot": _snapshot,
    "compare": _compare,
    "leaks": _leaks,
    "retainers": _rows,
    "classes": _rows,
    "strings": _rows,
    "closures": _rows,
    "object": _object,
}
SCOPES = tuple(_SCOPES)
