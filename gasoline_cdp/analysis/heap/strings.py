"""Strings that are in the heap more than once, as DevTools counts them."""

from typing import TYPE_CHECKING

import attrs
import numpy as np

from gasoline_cdp.analysis.heap.columns import Longs
from gasoline_cdp.analysis.heap.edges import InternalEdges

if TYPE_CHECKING:
    from gasoline_cdp.analysis.heap.graph import HeapGraph


@attrs.frozen
class DuplicateString:
    """A text that several strings of the heap have."""

    text: str
    """The whole text, or its beginning if V8 wrote only that."""
    nodes: tuple[int, ...]
    self_size: int
    retained_size: int

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.nodes)

    @property
    def wasted(self) -> int:
        """What all but one of them take."""
        return self.self_size - self.self_size // len(self.nodes)


def duplicate_strings(graph: "HeapGraph") -> list[DuplicateString]:
    """Every text that more than one string has, what wastes most first."""
    groups: dict[tuple[str | int, ...], list[int]] = {}
    inside = InternalEdges(graph)
    cut = _cut_strings(inside)
    sized = graph.self_size != 0
    whole = np.flatnonzero((graph.node_type == graph.header.node_type("string")) & sized)
    by_name: dict[int, list[int]] = {}
    for node, name in zip(whole.tolist(), graph.node_name[whole].tolist(), strict=True):
        if node not in cut:
            by_name.setdefault(name, []).append(node)
    concatenated = _concatenated(graph, inside, sized)
    if concatenated:
        texts = {graph.strings[name]: name for name in by_name}
        for node in concatenated:
            text = graph.name(node)
            if node in cut:
                groups.setdefault((text, *cut[node]), []).append(node)
            elif text in texts:
                by_name[texts[text]].append(node)
            else:
                groups.setdefault((text,), []).append(node)
    for node in whole.tolist():
        if node in cut:
            groups.setdefault((graph.name(node), *cut[node]), []).append(node)
    duplicates = [_summed(graph, str(key[0]), nodes) for key, nodes in groups.items() if len(nodes) > 1]
    duplicates += [_summed(graph, graph.strings[name], nodes) for name, nodes in by_name.items() if len(nodes) > 1]
    return sorted(duplicates, key=lambda group: (-group.wasted, group.nodes))


def _summed(graph: "HeapGraph", text: str, nodes: list[int]) -> DuplicateString:
    return DuplicateString(
        text=text,
        nodes=tuple(sorted(nodes)),
        self_size=int(graph.self_size[nodes].sum()),
        retained_size=int(graph.retained_size[nodes].sum()),
    )


def _cut_strings(inside: InternalEdges) -> dict[int, tuple[int, int]]:
    """Strings of which the snapshot has only the beginning: their lengths and hashes tell them apart."""
    lengths, hashes = inside.targets("length"), inside.targets("hash")
    return {
        node: (inside.as_int(lengths.get(node)) or -1, inside.as_int(hashes.get(node)) or -1)
        for node, flag in inside.targets("truncated").items()
        if inside.as_bool(flag)
    }


def _concatenated(graph: "HeapGraph", inside: InternalEdges, sized: Longs) -> list[int]:
    """Strings that are made of two others. Those that were joined since hold one, and are no string of their own."""
    nodes = np.flatnonzero((graph.node_type == graph.header.node_type("concatenated string")) & sized)
    first, second = inside.targets("first"), inside.targets("second")
    empty: dict[int, bool] = {}

    def is_empty(node: int | None) -> bool:
        if node is None:
            return False
        if node not in empty:
            empty[node] = graph.name(node) == ""
        return empty[node]

    return [node for node in nodes.tolist() if not is_empty(first.get(node)) and not is_empty(second.get(node))]
