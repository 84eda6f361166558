"""What a step changed in a region, as a test can expect it again: roles, names and texts, without those that vary."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from attrs import evolve, frozen

from gasoline_cdp.analysis.flows.locators import Locator, css_of_id
from gasoline_cdp.analysis.flows.volatile import is_volatile

# One name or text alone is checked as such.
FEWEST = 2
# More than a reader of a test would compare.
_MOST = 20
# Roles of what tells a person something and goes again.
_MESSAGES = frozenset({"alert", "log", "status"})
_SAYS_SOMETHING = re.compile(r"\w")


@frozen(kw_only=True)
class OutlineNode:
    """An element as test runners see it."""

    role: str
    name: str = ""
    level: int | None = None
    checked: bool = False
    # Texts and elements in it, in order.
    children: tuple["OutlineNode | str", ...] = ()


@frozen
class Outline:
    """A region, and what a step changed in it."""

    region: Locator
    nodes: tuple[OutlineNode | str, ...]

    @property
    def texts(self) -> set[str]:
        """All names and texts."""
        return set(_texts(self.nodes))


def outline_of(
    reported: dict[str, Any] | None,
    varies: Callable[[str], bool] = lambda _: False,
    marked: Callable[[str], str] = str,
    fewest: int = FEWEST,
) -> Outline | None:
    """What may be expected to be there again; None if that has fewer texts. `marked`: see counters."""
    if not reported:
        return None
    region = _locator(reported["region"])
    nodes = _stable((_node(one) for one in reported["nodes"]), varies, marked)
    whole = nodes[0] if len(nodes) == 1 else None
    if isinstance(whole, OutlineNode) and region.kind == "role" and (whole.role, whole.name) == (region.detail, ""):
        # The locator already says so.
        nodes = whole.children
    if sum(1 for _ in _texts(nodes)) < fewest:
        return None
    return Outline(region, _first(nodes, [_MOST]))


def _first(nodes: Sequence[OutlineNode | str], left: list[int]) -> tuple[OutlineNode | str, ...]:
    """As many nodes as are `left`, in order."""
    kept: list[OutlineNode | str] = []
    for node in nodes:
        if left[0] <= 0:
            break
        left[0] -= 1
        shown = node if isinstance(node, str) else evolve(node, children=_first(node.children, left))
        if isinstance(shown, str) or shown.name or shown.children or shown.checked:
            kept.append(shown)
    return tuple(kept)


def without_known_messages(outline: Outline | None, known: Collection[str]) -> Outline | None:
    """Without messages that an earlier step brought: they go of themselves, sooner or later than the next step."""
    if outline is None:
        return None
    nodes = _without_messages(outline.nodes, known)
    return evolve(outline, nodes=nodes) if nodes == outline.nodes or sum(1 for _ in _texts(nodes)) >= FEWEST else None


def _without_messages(nodes: Sequence[OutlineNode | str], known: Collection[str]) -> tuple[OutlineNode | str, ...]:
    kept: list[OutlineNode | str] = []
    for node in nodes:
        if isinstance(node, str):
            kept.append(node)
        elif node.role not in _MESSAGES or not all(text in known for text in _texts([node])):
            children = _without_messages(node.children, known)
            if children or not node.children:
                kept.append(evolve(node, children=children))
    return tuple(kept)


def _locator(region: dict[str, str]) -> Locator:
    kind, value = region["kind"], region["value"]
    if kind == "test_id":
        return Locator("test_id", value, region.get("attribute", ""))
    if kind == "role":
        return Locator("role", "", value)
    return Locator("css", css_of_id(value) if kind == "id" else value)


def _node(given: Any) -> OutlineNode | str:
    if isinstance(given, str):
        return given
    return OutlineNode(
        role=given["role"],
        name=given.get("name", ""),
        level=given.get("level"),
        checked=bool(given.get("checked")),
        children=tuple(_node(child) for child in given.get("children", ())),
    )


def _stable(
    nodes: Iterator[OutlineNode | str], varies: Callable[[str], bool], marked: Callable[[str], str]
) -> tuple[OutlineNode | str, ...]:
    """Without what varies, and without elements of which nothing is left."""
    kept: list[OutlineNode | str] = []
    for node in nodes:
        if isinstance(node, str):
            if _SAYS_SOMETHING.search(node) and not is_volatile(node) and not varies(node):
                kept.append(marked(node))
            continue
        name = "" if is_volatile(node.name) or varies(node.name) else marked(node.name)
        children = _stable(iter(node.children), varies, marked)
        if name or children or node.checked:
            kept.append(evolve(node, name=name, children=children))
    return tuple(kept)


def _texts(nodes: Sequence[OutlineNode | str]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, str):
            yield node
        else:
            if node.name:
                yield node.name
            yield from _texts(node.children)
