"""`gasoline-cdp heap`: read a heap snapshot of Chrome or Node; say what is in it, what grew, what holds an object."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gasoline_cdp.analysis.heap.classes import ClassChange, compare, inventory
from gasoline_cdp.analysis.heap.graph import HeapGraph
from gasoline_cdp.analysis.heap.reader import HeapFormatError, SnapshotReader
from gasoline_cdp.analysis.heap.summary import HeapSummary, ObjectDetails, explain, summarise
from gasoline_cdp.answers.amounts import size
from gasoline_cdp.artifacts.heap_page import heap_page
from gasoline_cdp.assets import artifact_style
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends.cli.snapshot_files import write_named
from gasoline_cdp.frontends.cli.terminal import cut, open_console

_CHUNK = 1 << 20
_SHOWN = 20
_PATHS = 10


def run_heap(path: Path, *, compare_with: Path | None, why: int | None, html: Path | None, as_json: bool) -> int:
    """Read, then print or write."""
    # The one to compare with first: of that, only what is compared is kept.
    before = inventory(_read(compare_with)) if compare_with is not None else None
    graph = _read(path)
    if why is not None:
        details = explain(graph, _node(graph, why))
        _print_json(attrs.asdict(details)) if as_json else _show_object(open_console(), details)
        return 0
    summary = summarise(graph)
    changes = compare(before, graph) if before is not None else None
    if as_json:
        _print_json(_as_json(summary, changes))
    else:
        _show(open_console(), path, summary, changes)
    if html is not None:
        page = heap_page(
            path.name,
            summary,
            changes=changes,
            before=compare_with.name if compare_with is not None else "",
            objects=_largest(graph),
            css=artifact_style("heap_page"),
        )
        write_named(html, page.encode("utf-8", "replace"))
        if not as_json:
            print(f"Wrote {html}.")
    return 0


def _read(path: Path) -> HeapGraph:
    reader = SnapshotReader()
    try:
        with path.open("rb") as file, _progress(path) as advance:
            while chunk := file.read(_CHUNK):
                reader.feed(chunk)
                advance(len(chunk))
        return HeapGraph(reader.finish())
    except HeapFormatError as error:
        raise GasolineError(Code.BAD_SNAPSHOT_FILE, f"Cannot use {path}: {error}") from error
    except OSError as error:
        raise GasolineError(Code.BAD_SNAPSHOT_FILE, f"Cannot read {path}: {error.strerror}.") from error


@contextmanager
def _progress(path: Path) -> Iterator[Any]:
    """A bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415 - takes longer than a small file

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f}%"))
    with Progress(*columns, console=open_console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"reading {path.name}", total=path.stat().st_size)
        yield lambda count: bar.advance(task, count)


def _node(graph: HeapGraph, number: int) -> int:
    node = graph.ordinal(number) if 0 <= number < 2**32 else None
    if node is None:
        raise GasolineError(Code.INVALID_PARAMS, f"There is no object with the id {number} in this snapshot.")
    return node


def _largest(graph: HeapGraph) -> list[ObjectDetails]:
    """The objects of scripts and pages that retain most."""
    kinds = [graph.header.node_type(name) for name in ("object", "closure", "native", "regexp", "array")]
    nodes = np.flatnonzero(np.isin(graph.node_type, kinds))
    order = np.argsort(-graph.retained_size[nodes], kind="stable")[:_PATHS]
    return [explain(graph, node) for node in nodes[order].tolist()]


def _as_json(summary: HeapSummary, changes: Sequence[ClassChange] | None) -> dict[str, Any]:
    answer = attrs.asdict(summary, filter=lambda field, _: field.name not in {"number", "classes"})
    hide = attrs.filters.exclude("number")
    answer["classes"] = [attrs.asdict(one, filter=hide) for one in summary.classes]
    if changes is not None:
        deltas = ("count_delta", "size_delta")
        answer["changes"] = [attrs.asdict(one) | {name: getattr(one, name) for name in deltas} for one in changes]
    return answer


def _print_json(answer: dict[str, Any]) -> None:
    print(json.dumps(answer))


def _show(console: Console, path: Path, summary: HeapSummary, changes: Sequence[ClassChange] | None) -> None:
    console.print(Text(f"{path.name}: {size(summary.size)} in {summary.nodes:,} objects", style="bold"))
    parts = [
        f"native {size(summary.native_size)}",
        f"strings {size(summary.string_size)}",
        f"code {size(summary.code_size)}",
        f"detached elements {summary.detached_elements:,}",
    ]
    if summary.engine == "fallback":
        parts.append("engine: fallback (no compiled kernel, so this was slower)")
    console.print(Text(", ".join(parts), style="dim"))
    if changes is not None:
        _show_changes(console, changes)
        return
    table = _table("class", "objects", "own size", "retained")
    for one in summary.classes[:_SHOWN]:
        table.add_row(_name(console, one.name), f"{one.count:,}", size(one.self_size), size(one.retained_size))
    console.print(table)
    _show_rest(console, len(summary.classes))


def _show_changes(console: Console, changes: Sequence[ClassChange]) -> None:
    if not changes:
        console.print("Nothing was added or removed.")
        return
    table = _table("class", "added", "removed", "size")
    for one in changes[:_SHOWN]:
        style = "red" if one.size_delta > 0 else "green"
        sign = "+" if one.size_delta > 0 else "-" if one.size_delta < 0 else ""
        delta = Text(f"{sign}{size(abs(one.size_delta))}", style=style)
        table.add_row(_name(console, one.name), f"{one.added:,}", f"{one.removed:,}", delta)
    console.print(table)
    _show_rest(console, len(changes))


def _show_object(console: Console, details: ObjectDetails) -> None:
    state = ", detached" if details.detached else ""
    console.print(Text(f"{_one_line(details.name)} @{details.id}", style="bold"), soft_wrap=True)
    console.print(f"{details.type}{state}, {size(details.self_size)}, retains {size(details.retained_size)}")
    if not details.path:
        console.print("Only weak references lead to it, so nothing keeps it alive.")
        return
    console.print("Held by:")
    for step in details.path:
        line = Text.assemble(f"  {_one_line(step.edge)} ", (f"{_one_line(step.name)} @{step.id}", "cyan"))
        console.print(line, soft_wrap=True)


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(first, no_wrap=True)
    for other in others:
        table.add_column(other, justify="right", no_wrap=True)
    return table


def _show_rest(console: Console, count: int) -> None:
    if count > _SHOWN:
        console.print(Text(f"and {count - _SHOWN:,} more classes (--json shows all)", style="dim"))


def _name(console: Console, name: str) -> Text:
    return Text(cut(_one_line(name), max(20, console.width - 45)))


def _one_line(text: str) -> str:
    """Text of a page: no control characters, and of a length that can be read."""
    shown = text if len(text) <= 200 else text[:199] + "…"
    return "".join(sign if sign.isprintable() else "�" for sign in shown)
