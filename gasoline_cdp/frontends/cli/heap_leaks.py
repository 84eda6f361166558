"""`gasoline-cdp heap --leaks`: what leaks, by the snapshots in files."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

from gasoline_cdp import memory_limits, wire
from gasoline_cdp.analysis.heap.leaks import find_leaks
from gasoline_cdp.analysis.heap.walk import ReadableHeap
from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.memory_entries import LeakEntry, leak_entry
from gasoline_cdp.audits.heap_questions import safe_texts, shown_location
from gasoline_cdp.audits.memory import leaks_summary
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends.cli.answers import show_lines
from gasoline_cdp.frontends.cli.heap import read_heap
from gasoline_cdp.frontends.cli.terminal import open_console
from gasoline_cdp.heap_worker.questions import same_page

_NO_BASELINE = "Only detached trees are looked for: --compare OTHER names a snapshot taken before the action."


def run_leaks(path: Path, before: Path | None, between: Path | None, *, rounds: int | None, as_json: bool) -> int:
    """Print what survived since `before`, or what is detached."""
    if before is None and (between is not None or rounds is not None):
        raise GasolineError(Code.INVALID_PARAMS, "--between and --rounds need --compare: the snapshot taken first.")
    baseline = ReadableHeap(read_heap(before)) if before is not None else None
    middle = read_heap(between) if between is not None else None
    graph = read_heap(path)
    for other, earlier in ((before, baseline.graph if baseline else None), (between, middle)):
        if earlier is not None and not same_page(earlier, graph):
            raise GasolineError(
                Code.BAD_SNAPSHOT_FILE,
                f"{other} and {path} are of different pages, or ids were reset in between. Chrome resets them "
                "when the page is loaded again, and when the DevTools that took the first one is closed.",
            )
    report = find_leaks(baseline, graph, middle, rounds)
    most = memory_limits.LEAKS_SHOWN
    whole = attrs.asdict(report) | {"findings": [attrs.asdict(leak) for leak in report.leaks[:most]]}
    locations = {location: shown_location(location) for location in whole.pop("locations")}
    reply: dict[str, Any] = safe_texts(whole | {"left_out": max(len(report.leaks) - most, 0)}, locations)
    entries = [leak_entry(leak, baseline=before is not None) for leak in reply["findings"]]
    summary = leaks_summary(reply, before.name if before else "", rounds)
    if as_json:
        kept = ("left_out", "new_objects", "new_bytes", "detached_elements", "detached_trees")
        print(json.dumps({"summary": summary, "findings": wire.dump(entries)} | {name: reply[name] for name in kept}))
    else:
        show_lines(open_console(), _lines(summary, entries, reply["left_out"], baseline=before is not None))
    return 0


def _lines(summary: str, entries: list[LeakEntry], left_out: int, *, baseline: bool) -> Iterator[Line]:
    yield Line(summary, tone="heading" if entries else "good")
    for entry in entries:
        yield from entry.lines()
    if left_out:
        yield Line(f"and {left_out} more leaks", tone="dim")
    if not baseline:
        yield Line(_NO_BASELINE, tone="dim")
