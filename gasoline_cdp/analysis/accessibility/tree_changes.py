"""Compares two readings of an accessibility tree: which lines came, went, changed or moved."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from attrs import evolve, frozen

from gasoline_cdp.analysis.accessibility.tree_lines import TreeLine, with_ancestors

_BEFORE_CHARS = 100
_ADDED, _REMOVED, _CHANGED, _MOVED, _SAME = "+-~> "


@frozen(kw_only=True)
class TreeChanges:
    """What became of the lines. Of a part that went or moved as a whole, every line counts."""

    added: int = 0
    removed: int = 0
    changed: int = 0
    moved: int = 0

    def any(self) -> bool:
        """Whether anything is different."""
        return bool(self.added or self.removed or self.changed or self.moved)


def compare_trees(before: Sequence[TreeLine], now: Sequence[TreeLine]) -> tuple[list[TreeLine], TreeChanges]:
    """The lines that are different, each with its mark and the lines that it is inside of, and how many there are.

    `+` came, `-` went (with what was inside it), `~` changed, `>` moved (with what is inside it).
    """
    old, new = {line.key: line for line in before}, {line.key: line for line in now}
    old_parents, new_parents = dict(_parents(before)), dict(_parents(now))
    removed = [line.key for line in before if line.key not in new]
    removed_with = _heads(
        removed, old_parents, {key for key in removed if old_parents[key] in new or not old_parents[key]}
    )
    moved = _moved(before, now, old_parents, new_parents)
    moved_with = _heads([line.key for line in now if line.key in old], new_parents, moved)
    inside = Counter(removed_with.values()) + Counter(moved_with.values())
    gone: dict[str, list[TreeLine]] = defaultdict(list)
    for key in removed:
        if removed_with[key] == key:
            gone[old_parents[key]].append(evolve(old[key], mark=_REMOVED, more=_and_inside(inside[key] - 1)))
    merged = [evolve(line, depth=0) for line in gone.pop("", ())]
    changed = 0
    for line in now:
        was = old.get(line.key)
        if was is None:
            marked = evolve(line, mark=_ADDED)
        elif was.words != line.words:
            changed += 1
            where = f" (moved{_and_inside(inside[line.key] - 1)})" if line.key in moved else ""
            marked = evolve(line, mark=_CHANGED, more=f"{where} (was: {_cut(was.words)})")
        elif line.key in moved:
            marked = evolve(line, mark=_MOVED, more=_and_inside(inside[line.key] - 1))
        else:
            marked = evolve(line, mark=_SAME)
        merged.append(marked)
        merged += [evolve(one, depth=line.depth + 1) for one in gone.pop(line.key, ())]
    counts = TreeChanges(
        added=sum(key not in old for key in new), removed=len(removed), changed=changed, moved=len(moved_with)
    )
    return with_ancestors(merged, lambda line: line.mark != _SAME), counts


def _cut(words: str) -> str:
    return words if len(words) <= _BEFORE_CHARS else f"{words[: _BEFORE_CHARS - 1]}…"


def _and_inside(number: int) -> str:
    return f" (and {number} inside)" if number else ""


def _parents(lines: Iterable[TreeLine]) -> Iterator[tuple[str, str]]:
    """Each line's key, and that of the line that it is inside of, if any."""
    around: list[TreeLine] = []
    for line in lines:
        while around and around[-1].depth >= line.depth:
            around.pop()
        yield line.key, around[-1].key if around else ""
        around.append(line)


def _heads(keys: Iterable[str], parents: dict[str, str], heads: set[str]) -> dict[str, str]:
    """With which of the heads each key went: itself, or one that it is inside of, with all between them."""
    head_of: dict[str, str] = {}
    for key in keys:
        if key in heads:
            head_of[key] = key
        elif (head := head_of.get(parents[key])) is not None:
            head_of[key] = head
    return head_of


def _lasting(parents: dict[str, str], there: Collection[str]) -> dict[str, str]:
    """The nearest line around each that is in both trees: others around it came or went, and it stayed."""
    kept_ancestors: dict[str, str] = {"": ""}
    for key, parent in parents.items():
        kept_ancestors[key] = parent if parent in there else kept_ancestors[parent]
    return kept_ancestors


def _moved(
    before: Sequence[TreeLine], now: Sequence[TreeLine], old_parents: dict[str, str], new_parents: dict[str, str]
) -> set[str]:
    """The keys of lines that are inside another line now, or in another order: as few as can be."""
    positions = {line.key: number for number, line in enumerate(before)}
    around_before, around_now = _lasting(old_parents, new_parents), _lasting(new_parents, old_parents)
    moved: set[str] = set()
    siblings: dict[str, list[str]] = defaultdict(list)
    for line in now:
        if line.key not in positions:
            continue
        if around_now[line.key] != around_before[line.key]:
            moved.add(line.key)
        else:
            siblings[around_now[line.key]].append(line.key)
    for keys in siblings.values():
        stayed = _longest_rising([positions[key] for key in keys])
        moved.update(key for key in keys if positions[key] not in stayed)
    return moved


def _longest_rising(numbers: list[int]) -> set[int]:
    """The largest part of the numbers that is in rising order."""
    ends: list[int] = []
    lasts: list[int] = []
    before: list[int] = []
    for index, number in enumerate(numbers):
        length = bisect_left(ends, number)
        before.append(lasts[length - 1] if length else -1)
        if length == len(ends):
            ends.append(number)
            lasts.append(index)
        else:
            ends[length], lasts[length] = number, index
    rising: set[int] = set()
    index = lasts[-1] if lasts else -1
    while index >= 0:
        rising.add(numbers[index])
        index = before[index]
    return rising
