"""`gasoline-cdp heap`: read a heap snapshot of Chrome or Node; say what is in it, what grew, what holds an object."""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from gasoline_cdp.analysis.heap.classes import ClassChange, compare, inventory
from gasoline_cdp.analysis.heap.graph import HeapGraph
from gasoline_cdp.analysis.heap.reader import HeapFormatError, SnapshotReader
from gasoline_cdp.analysis.heap.summary import HeapSummary, ObjectDetails, explain, summarise
from gasoline_cdp.errors import Code, GasolineError

if TYPE_CHECKING:
    from gasoline_cdp.analysis.heap.paths import Paths

_CHUNK = 1 << 20
_PATHS = 10
_PROTOTYPES = ("__proto__", "prototype")
_SYSTEM = re.compile(r"Window\b|global\b|system / |\(|.* \((prototype|internal cache)\)")
_NEEDED = "Give a .heapsnapshot file of Chrome, DevTools or Node, or take it again."


def run_heap(path: Path, *, compare_with: Path | None, why: int | None, html: Path | None, as_json: bool) -> int:
    """Read, then print or write. What only some of it needs is imported there: a third of the time of a small file."""
    # The one to compare with first: of that, only what is compared is kept.
    before = inventory(read_heap(compare_with)) if compare_with is not None else None
    graph = read_heap(path)
    if why is not None:
        node = _node(graph, why)
        details, readable = explain(graph, node), _readable(_paths(graph), node)
        if as_json:
            _print_json(attrs.asdict(details) | readable)
        else:
            from gasoline_cdp.frontends.cli.heap_tables import show_object  # noqa: PLC0415 - see above

            show_object(details, **readable)
        return 0
    summary = summarise(graph)
    changes = compare(before, graph) if before is not None else None
    if as_json:
        _print_json(_as_json(summary, changes))
    else:
        from gasoline_cdp.frontends.cli.heap_tables import show_heap  # noqa: PLC0415 - see above

        show_heap(path, summary, changes)
    if html is not None:
        from gasoline_cdp.artifacts.heap_page import heap_page  # noqa: PLC0415 - see above
        from gasoline_cdp.assets import artifact_style  # noqa: PLC0415 - see above
        from gasoline_cdp.frontends.cli.snapshot_files import write_named  # noqa: PLC0415 - see above

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


def read_heap(path: Path) -> HeapGraph:
    """Read a file, with a bar on a terminal. Raises `bad_snapshot_file` with the reason."""
    reader = SnapshotReader()
    try:
        with path.open("rb") as file, _progress(path) as advance:
            while chunk := file.read(_CHUNK):
                reader.feed(chunk)
                advance(len(chunk))
        return HeapGraph(reader.finish())
    except HeapFormatError as error:
        raise GasolineError(Code.BAD_SNAPSHOT_FILE, f"Cannot use {path}: {error} {_NEEDED}") from error
    except OSError as error:
        raise GasolineError(Code.BAD_SNAPSHOT_FILE, f"Cannot read {path}: {error.strerror}.") from error


@contextmanager
def with_enough_memory(path: Path) -> Iterator[None]:
    """Say so if there is too little to analyse a file."""
    try:
        yield
    except MemoryError:
        raise GasolineError(
            Code.HEAP_ANALYSIS_FAILED,
            f"There is not enough memory to analyse {path}. Close other programs, or take one of a smaller heap.",
        ) from None


@contextmanager
def _progress(path: Path) -> Iterator[Any]:
    """A bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415 - takes longer than a small file

    from gasoline_cdp.frontends.cli.terminal import open_console  # noqa: PLC0415 - see above

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f}%"))
    with Progress(*columns, console=open_console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"reading {path.name}", total=path.stat().st_size)
        yield lambda count: bar.advance(task, count)


def _node(graph: HeapGraph, number: int) -> int:
    node = graph.ordinal(number) if 0 <= number < 2**32 else None
    if node is None:
        raise GasolineError(Code.INVALID_PARAMS, f"This snapshot has no object with the id {number}.")
    return node


def _readable(paths: "Paths", node: int) -> dict[str, str]:
    """What the object is called where it was made, and the way to it without what is V8's and Blink's own."""
    from gasoline_cdp.audits.heap_questions import safe_texts, shown_location  # noqa: PLC0415 - see above

    heap = paths.heap
    readable = {
        "called": heap.function_of(node),
        "held_by": paths.text(paths.to(node)) if heap.reached[node] else "",
    }
    safe = safe_texts(readable, {location: shown_location(location) for location in heap.described.locations})
    return {name: str(text) for name, text in safe.items()}


def _paths(graph: HeapGraph) -> "Paths":
    from gasoline_cdp.analysis.heap.paths import Paths  # noqa: PLC0415 - see above
    from gasoline_cdp.analysis.heap.walk import ReadableHeap  # noqa: PLC0415 - see above

    heap = ReadableHeap(graph)
    _ = heap.parent_edge
    return Paths(heap)


def _largest(graph: HeapGraph) -> list[tuple[ObjectDetails, str]]:
    """The objects of scripts and pages that retain most, and the way to each. Not those of V8 and Blink themselves."""
    paths = _paths(graph)
    heap = paths.heap
    kinds = [graph.header.node_type(name) for name in ("object", "closure")]
    theirs = np.isin(graph.node_type, kinds) | heap.elements
    theirs &= heap.reached & ~heap.transparent & ~heap.foreign & ~heap.names(_SYSTEM, "object", "closure")
    if paths.is_of_browser:
        # What no window or variable leads to is the browser's own.
        theirs &= heap.stage == 1
    nodes = np.flatnonzero(theirs)
    largest = []
    for node in nodes[np.argsort(-graph.retained_size[nodes], kind="stable")].tolist():
        edge = int(heap.parent_edge[node])
        if edge < 0 or graph.edge_label(edge) not in _PROTOTYPES:
            largest.append((explain(graph, node), _readable(paths, node)["held_by"]))
        if len(largest) == _PATHS:
            break
    return largest


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
