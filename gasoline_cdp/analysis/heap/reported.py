"""Leaks as they are reported: alike ones as one, without the few bytes that a library keeps for itself."""

import re

from attrs import define, evolve, field, frozen

# How many ids of one leak are named.
EXAMPLES = 2
# Bytes of an item that are not worth a finding if a library holds it, and how the files of libraries are called.
_SMALL = 256
_LIBRARY = re.compile(r"\.min\.js|\bvendors?\b|node_modules")


@frozen(kw_only=True)
class Leak:
    """One holder, what it keeps, and what to do."""

    kind: str
    # `Panel`, `<div.panel>`, `onResize (panel.js:6)`.
    what: str
    count: int
    per_round: float | None
    bytes: int
    detached_elements: int
    detached_trees: int
    # Who holds it, and what is behind it: the path from the item to what is largest or detached.
    held_by: str
    keeps: str
    location: str
    fix: str
    ids: list[int]
    holder_id: int


@define
class LeakReport:
    """What was found, worst first, and totals."""

    leaks: list[Leak] = field(factory=list)
    new_objects: int = 0
    new_bytes: int = 0
    detached_elements: int = 0
    detached_trees: int = 0
    # The positions of the locations that findings name.
    locations: dict[str, tuple[str, int, int]] = field(factory=dict)


def is_noise(leak: Leak) -> bool:
    """Whether it is a few bytes that a library keeps for itself: true, but nothing to act on."""
    plain = leak.kind in ("collection", "closure", "cache", "growth") and leak.what in (
        "Object",
        "Array",
        "Map",
        "Set",
        "string",
    )
    return (
        plain
        and not leak.detached_elements
        and leak.bytes < _SMALL * leak.count
        and bool(_LIBRARY.search(leak.held_by))
    )


def merge_alike(leaks: list[Leak]) -> list[Leak]:
    """Leaks that read alike as one: ten components that each hold one tree in the same way."""
    merged: dict[tuple[str, str, str], Leak] = {}
    for leak in leaks:
        key = (leak.kind, leak.what, leak.held_by)
        other = merged.get(key)
        merged[key] = (
            leak
            if other is None
            else evolve(
                other,
                count=other.count + leak.count,
                per_round=None if other.per_round is None else other.per_round + (leak.per_round or 0),
                bytes=other.bytes + leak.bytes,
                detached_elements=other.detached_elements + leak.detached_elements,
                detached_trees=other.detached_trees + leak.detached_trees,
                ids=[*other.ids, *leak.ids][:EXAMPLES],
            )
        )
    return list(merged.values())
