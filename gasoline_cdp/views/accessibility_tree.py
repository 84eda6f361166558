"""The view `accessibility_tree`: the page as assistive technology meets it, in short lines."""

from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.accessibility.tree import write_tree
from gasoline_cdp.answers.paging import budget_of, start_of
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.operations.context import Context
from gasoline_cdp.probe.accessibility_tree import read_trees
from gasoline_cdp.probe.dom import asking, require_page
from gasoline_cdp.redact import safe_text
from gasoline_cdp.views.listing import ObserveArgs

# Room for the fields around the tree, and a notice.
_AROUND = 600


@frozen(kw_only=True)
class TreeAnswer:
    """Lines of `role "name" states [e12@k3f9a]`; query_dom takes ref=e12@k3f9a. `left_out` counts lines not shown."""

    summary: str
    tab_id: int
    url: str
    tree: str
    lines: int
    left_out: int = 0
    frames_unreached: int = 0
    cursor: str | None = None


async def show_tree(args: ObserveArgs, context: Context) -> TreeAnswer:
    """Read the trees, and show as many lines as there is room for."""
    tab = context.tabs.pick(args.tab_id)
    with asking(tab):
        found = await read_trees(tab, args.selector)
    await require_page(tab)
    trees = found.trees
    lines: list[str] = []
    for tree in trees:
        if tree.frame.path and tree.start is None:
            lines.append(f"frame {safe_text(tree.frame.path, 200)}")
        lines += write_tree(tree.nodes, suffix=tree.suffix, start=tree.start)
        context.capture.actions.tree_built(tree.frame.world.session)
    start = start_of(args.cursor) or 0
    budget = budget_of(args) - _AROUND
    shown: list[str] = []
    for line in lines[start:][: args.limit or limits.ENTRIES_MAX * 10]:
        # In JSON a quotation mark takes two bytes, and a line break too.
        budget -= len(line.encode()) + line.count('"') + 2
        if budget < 0:
            break
        shown.append(line)
    end = start + len(shown)
    left = len(lines) - end
    more = f" Shown from line {start + 1}; {left} more: go on with cursor, or name a selector." if left else ""
    return TreeAnswer(
        summary=f"{number_of(len(lines), 'line')} from {number_of(len(trees), 'document')}.{more}",
        tab_id=tab.tab_id,
        url=tab.source.url,
        tree="\n".join(shown),
        lines=len(lines),
        left_out=left,
        frames_unreached=found.frames_unreached,
        cursor=str(end) if left else None,
    )
