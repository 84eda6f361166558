"""Compares our heap analysis with that of DevTools' own worker, number by number."""

import json
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gasoline_cdp.analysis.heap.classes import aggregates, compare
from gasoline_cdp.analysis.heap.closures import unused_variables
from gasoline_cdp.analysis.heap.engines import Engine
from gasoline_cdp.analysis.heap.graph import HeapGraph
from gasoline_cdp.analysis.heap.reader import SnapshotReader
from gasoline_cdp.analysis.heap.strings import duplicate_strings
from tests.node_tools import NODE

SCRIPT = Path(__file__).with_suffix(".mjs")
WORKER = Path("chrome-devtools-mcp") / "build" / "src" / "third_party" / "devtools-heap-snapshot-worker.js"
_CHUNK = 1 << 20


def read_graph(file: Path, engine: Engine | None = None) -> HeapGraph:
    """Our graph of a snapshot."""
    reader = SnapshotReader(engine)
    with file.open("rb") as text:
        while chunk := text.read(_CHUNK):
            reader.feed(chunk)
    return HeapGraph(reader.finish())


def ask_devtools(packages: Path, into: Path, files: Sequence[Path]) -> None:
    """Have DevTools' worker write down what it says of some snapshots."""
    command = [str(NODE), "--max-old-space-size=8000", str(SCRIPT), str(packages / WORKER), str(into), *map(str, files)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def differences(graph: HeapGraph, said: Path) -> dict[str, int]:
    """In how many nodes, classes, interfaces and duplicated strings we differ from what DevTools said."""
    answers = json.loads((said / "answers.json").read_text(encoding="utf-8"))
    width = len(graph.header.node_fields)
    nodes = np.fromfile(said / "nodes.u32", np.uint32).reshape(-1, width)
    sizes = nodes[:, graph.header.node_fields.index("self_size")]
    detached = np.fromfile(said / "detachedness.u32", np.uint32) & 3
    edges = np.fromfile(said / "retainers.u32", np.uint32) // len(graph.header.edge_fields)
    found = {
        "self_size": graph.self_size != sizes,
        "distance": graph.distance != np.fromfile(said / "distance.i32", np.int32),
        "dominator": graph.dominator != np.fromfile(said / "dominator.u32", np.uint32),
        "retained_size": graph.retained_size != np.fromfile(said / "retained.f64", np.float64),
        "detachedness": graph.detachedness != detached,
        "retainers": graph.retainer_edge != edges,
    }
    counted = {name: int(np.count_nonzero(wrong)) for name, wrong in found.items()}
    counted["interfaces"] = _differ(
        [(one.name, list(one.properties)) for one in graph.classes.definitions],
        [(one["name"], one["properties"]) for one in answers["interfaces"]],
    )
    ours = {one.key: (one.name, one.count, one.self_size, one.retained_size, one.distance) for one in aggregates(graph)}
    theirs = {
        key: (one["name"], one["count"], one["self"], one["maxRet"], one["distance"])
        for key, one in answers["aggregates"].items()
    }
    counted["classes"] = _differ(sorted(ours.items()), sorted(theirs.items()))
    counted["strings"] = _differ(
        sorted((one.text, one.count, one.self_size, one.retained_size) for one in duplicate_strings(graph)),
        sorted(
            (one["value"], one["count"], one["totalSelfSize"], one["totalRetainedSize"]) for one in answers["strings"]
        ),
    )
    counted["closures"] = _differ(_unused(graph), _unused_said(answers["contexts"]["scopes"]))
    return counted


def _unused(graph: HeapGraph) -> list[tuple[Any, ...]]:
    return sorted(
        (scope.script, scope.start, int(graph.node_id[one.context]), one.name, int(graph.node_id[one.value]))
        for scope in unused_variables(graph)
        for one in scope.variables
    )


def _unused_said(scopes: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return sorted(
        (scope["scriptName"], scope["scopeStart"], context["contextNodeId"], one["name"], one["valueNodeId"])
        for scope in scopes
        for context in scope["contexts"]
        for one in context["deadFields"]
    )


def diff_differences(before: HeapGraph, after: HeapGraph, said: Path) -> int:
    """In how many classes our comparison differs."""
    diff: dict[str, dict[str, Any]] = json.loads((said / "diff.json").read_text(encoding="utf-8"))
    ours = {one.key: (one.added, one.removed, one.added_size, one.removed_size) for one in compare(before, after)}
    theirs = {
        key: (one["addedCount"], one["removedCount"], one["addedSize"], one["removedSize"]) for key, one in diff.items()
    }
    return _differ(sorted(ours.items()), sorted(theirs.items()))


def _differ(ours: Sequence[Any], theirs: Sequence[Any]) -> int:
    same = (Counter(map(repr, ours)) & Counter(map(repr, theirs))).total()
    return max(len(ours), len(theirs)) - same
