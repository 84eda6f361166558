"""The accessibility tree before and after, and the lines of it that an answer shows."""

from contextlib import suppress

from attrs import evolve, frozen

from gasoline_cdp.analysis.accessibility.tree_changes import TreeChanges, compare_trees
from gasoline_cdp.analysis.accessibility.tree_lines import TreeLine, controls_only
from gasoline_cdp.cdp.connection import CdpClosed, CdpError
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.world import PageFault
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.probe.accessibility_tree import read_trees
from gasoline_cdp.probe.dom import asking
from gasoline_cdp.probe.input.replies import unless_dialog
from gasoline_cdp.store.seen_trees import SeenTree
from gasoline_cdp.views.accessibility_tree import lines_of

# Roles that only say how the page is laid out.
_BOXES = {
    "article", "cell", "columnheader", "gridcell", "li", "list", "listitem", "paragraph", "row", "rowgroup",
    "rowheader", "section",
}  # fmt: skip
# What people click although it is no control.
_ROWS = {"row", "LayoutTableRow", "li", "listitem", "article", "cell", "gridcell"}
# What stands between links, and says nothing.
_SEPARATORS = set(' "/|\\›»>·•-–—:,')


@frozen
class PageTree:
    """A tree as it was read."""

    tab_id: int
    # The letters of the document at the top.
    document: str
    lines: tuple[TreeLine, ...]


@frozen(kw_only=True)
class PageChange:
    """The lines for an answer. `whole`: another document, of which the controls are shown.

    `unread`: the page did not answer, so what changed is not known.
    """

    lines: tuple[str, ...] = ()
    whole: bool = False
    unread: bool = False
    changes: TreeChanges | None = None


def has_tree(tab: Tab) -> bool:
    """Whether a tab has a tree to read: not while a dialog is open."""
    return not tab.dialog and tab.state == "open" and tab.raw_url != "about:blank"


async def read_page(context: Context, tab: Tab, seconds: float) -> PageTree | None:
    """The tree now; None if the page has none to give, or does not give it in time."""
    if not has_tree(tab):
        return None
    with suppress(GasolineError, CdpClosed, CdpError, PageFault), asking(tab, seconds):
        trees = await unless_dialog(tab, lambda: read_trees(tab, None))
        if trees is not None:
            for tree in trees.trees:
                context.capture.actions.tree_built(tree.frame.world.session)
            return PageTree(tab.tab_id, trees.trees[0].document, tuple(lines_of(trees.trees)))
    return None


def compare_pages(tab: Tab, before: PageTree | None, now: PageTree | None, *, same_document: bool) -> PageChange:
    """What changed in the document, or the controls of another one."""
    if now is None or (before is None and same_document):
        return PageChange(unread=has_tree(tab))
    if before is None or (before.tab_id, before.document) != (now.tab_id, now.document):
        lines = _said_once([line for line in controls_only(now.lines) if line.control or not _separates(line)])
        return PageChange(lines=tuple(_in_short(line).render() for line in lines), whole=True)
    compared, changes = compare_trees(_unfocused(before.lines), _unfocused(now.lines))
    return PageChange(lines=tuple(line.render() for line in _news(compared)), changes=changes)


def _in_short(line: TreeLine) -> TreeLine:
    """Without the reference of what only says where the controls are, and nobody clicks."""
    if line.control or line.role in _ROWS:
        return line
    return evolve(line, ref="", states="" if line.role == "document" else line.states)


def _separates(line: TreeLine) -> bool:
    said = line.name or line.text
    return bool(said) and set(said) <= _SEPARATORS


def _said_once(lines: list[TreeLine]) -> list[TreeLine]:
    """Without what only stands around a control, and says what the line before says."""
    kept: list[TreeLine] = []
    for line in lines:
        said = line.name or line.text
        if line.control or not said or not kept or said != (kept[-1].name or kept[-1].text):
            kept.append(line)
    return kept


def _news(lines: list[TreeLine]) -> list[TreeLine]:
    """Without what went and came again with the same words, and without boxes that say nothing."""
    came = {line.words for line in lines if line.mark == "+"}
    kept = [
        line
        for line in lines
        if not (line.mark == "-" and not line.more and line.words in came)
        and not (line.mark == "+" and line.role in _BOXES and line.words == line.role)
    ]
    return kept if any(line.mark.strip() for line in kept) else lines


def _unfocused(lines: tuple[TreeLine, ...]) -> list[TreeLine]:
    """Without who has the focus: each click moves it, and that is no news."""
    return [
        evolve(line, states=" ".join(state for state in line.states.split(" ") if state != "focused"))
        if line.states.startswith("focused") or " focused" in line.states
        else line
        for line in lines
    ]


def remember(context: Context, before: PageTree | None, now: PageTree | None) -> None:
    """What a client was shown here, it has seen: `since="last"` need not repeat it."""
    if now is None or before is None:
        return
    question = (now.tab_id, None, None, False)
    seen = context.seen_trees.of(context.client.shown, question)
    if seen is not None and seen.document == now.document and seen.lines == before.lines:
        complete = seen.shown >= len(seen.lines)
        tree = SeenTree(
            document=now.document,
            lines=now.lines,
            shown=len(now.lines) if complete else min(seen.shown, len(now.lines)),
        )
        context.seen_trees.keep(context.client.shown, question, tree)
