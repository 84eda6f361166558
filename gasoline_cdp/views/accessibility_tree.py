"""The view `accessibility_tree`: the page as assistive technology reads it, in short lines."""

from collections.abc import Iterator, Sequence

from attrs import evolve, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.accessibility.tree import write_tree
from gasoline_cdp.analysis.accessibility.tree_changes import TreeChanges, compare_trees
from gasoline_cdp.analysis.accessibility.tree_lines import TreeLine, containing, controls_only
from gasoline_cdp.answers.lines import Line, note, rest_of
from gasoline_cdp.answers.paging import budget_of, start_of
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.probe.accessibility_tree import Tree, read_trees
from gasoline_cdp.probe.dom import asking, require_page
from gasoline_cdp.redact import safe_text
from gasoline_cdp.store.seen_trees import SeenTree
from gasoline_cdp.views.listing import ObserveArgs

# Room for the fields around the tree, and a notice.
_AROUND = 600
_LINES_MAX = limits.ENTRIES_MAX * 10
_DOCUMENT = "document"
_FRAME = "frame "


@frozen(kw_only=True)
class TreeAnswer:
    """Lines of `role "name" states: "text" @kfd12`, a text alone in quotes; query_dom takes `@kfd12`.

    `left_out` counts lines not shown. `changes` is set if the lines are only those that changed since the last call.
    """

    summary: str
    tab_id: int
    url: str
    tree: str
    lines: int
    left_out: int = 0
    frames_unreached: int = 0
    cursor: str | None = None
    changes: TreeChanges | None = None
    # Nothing was left out, so the summary says nothing that the lines do not.
    complete: bool = wire.internal(False)

    def render(self) -> Iterator[Line]:
        """The tree unchanged: its lines begin with a role or a quoted text, and names in it are quoted.

        The heading has the title of the page's document, if that is the first line.
        """
        lines = self.tree.split("\n") if self.tree else []
        title = lines.pop(0).removeprefix(_DOCUMENT) if lines and lines[0].startswith(_DOCUMENT) else ""
        heading = f"Tab {self.tab_id}, {word(self.url)}{title}"
        yield Line(heading if self.complete else f"{self.summary} {heading}", tone="heading")
        for line in _with_titles(lines):
            yield Line(line)
        if self.complete and not lines:
            yield note("Nothing is on the page: it may still be loading.")
        if self.frames_unreached:
            yield note(f"{number_of(self.frames_unreached, 'frame')} could not be read.", "warning")
        yield from rest_of(self.left_out, self.cursor, "more lines")


def _with_titles(lines: Sequence[str]) -> Iterator[str]:
    """The head of a frame, and on the same line the title of its document, if that is the next line."""
    frame = ""
    for line in lines:
        if frame and line.startswith(_DOCUMENT):
            yield frame + line.removeprefix(_DOCUMENT)
            frame = ""
            continue
        if frame:
            yield frame
        frame = line if line.startswith(_FRAME) else ""
        if not frame:
            yield line
    if frame:
        yield frame


async def show_tree(args: ObserveArgs, context: Context) -> TreeAnswer:
    """Read the trees, and show as many lines as fit."""
    _check(args)
    tab = context.tabs.pick(args.tab_id)
    with asking(tab):
        page_trees = await read_trees(tab, args.within or args.selector)
    await require_page(tab)
    for tree in page_trees.trees:
        context.capture.actions.tree_built(tree.frame.world.session)
    whole = _lines_of(page_trees.trees)
    wanted = _filtered(whole, args)
    question = (tab.tab_id, args.within or args.selector, args.text, args.interactive_only)
    seen = context.seen_trees.of(context.client.shown, question)
    now = SeenTree(document=page_trees.trees[0].document, lines=tuple(wanted), shown=0)
    changes: TreeChanges | None = None
    if args.since and args.cursor and seen is not None and seen.listed is not None:
        # Continue the earlier comparison: a new one would compare with what was shown meanwhile.
        shown, now, words = list(seen.listed), seen, "The rest of what changed."
    elif args.since and not args.cursor and seen is not None and seen.document == now.document:
        compared, changes = compare_trees(seen.lines, wanted)
        shown = [line.render() for line in compared]
        known = len(wanted) if seen.shown >= len(seen.lines) else min(seen.shown, len(wanted))
        now = evolve(now, shown=known, listed=tuple(shown))
        words = _say_changes(changes, seen)
    else:
        shown = [line.render() for line in wanted]
        words = _say_whole(args, page_trees.trees, len(whole), len(wanted))
        if args.since and not args.cursor:
            words = f"{_NOTHING_SEEN if seen is None else _ANOTHER_DOCUMENT} {words}"
    start = start_of(args.cursor) or 0
    end = start + _fitting(shown[start:], args)
    left = len(shown) - end
    if now.listed is None:
        before = seen.shown if seen is not None and args.cursor else 0
        now = evolve(now, shown=max(end, before) if start <= before else end - start)
    context.seen_trees.keep(context.client.shown, question, now)
    more = f" Shown from line {start + 1}; {left} more: go on with cursor, or ask for less with within or text."
    return TreeAnswer(
        summary=f"{words}{more if left else ''}",
        tab_id=tab.tab_id,
        url=tab.source.url,
        tree="\n".join(shown[start:end]),
        lines=len(shown),
        left_out=left,
        frames_unreached=page_trees.frames_unreached,
        cursor=str(end) if left else None,
        changes=changes,
        complete=not (left or start or args.since or args.text or args.interactive_only),
    )


_NOTHING_SEEN = (
    "Nothing to compare with: this client was not shown this tab with the same arguments before. The whole tree:"
)
_ANOTHER_DOCUMENT = "Another document than last time (the page navigated). The whole tree:"


def _check(args: ObserveArgs) -> None:
    problems = []
    if args.since and args.since.strip() != "last":
        problems.append("since must be 'last' with what='accessibility_tree', which shows the page as it is now")
    if args.within and args.selector:
        problems.append("within and selector are the same here: give one of them")
    if args.text is not None and args.text and not args.text.strip():
        problems.append("text must not be blank")
    if problems:
        raise GasolineError(Code.INVALID_PARAMS, f"{'; '.join(problems)}.", problems=problems)


def _lines_of(trees: Sequence[Tree]) -> list[TreeLine]:
    lines: list[TreeLine] = []
    for tree in trees:
        if tree.frame.path and tree.start is None:
            path = safe_text(tree.frame.path, 200)
            lines.append(TreeLine(depth=-1, key=f"frame {tree.frame.path}", role="frame", states=path))
        lines += write_tree(tree.nodes, document=tree.document, start=tree.start)
    return lines


def _filtered(lines: list[TreeLine], args: ObserveArgs) -> list[TreeLine]:
    if args.interactive_only:
        lines = controls_only(lines)
    return containing(lines, args.text) if args.text else lines


def _say_whole(args: ObserveArgs, trees: Sequence[Tree], whole: int, wanted: int) -> str:
    where = f"from {number_of(len(trees), 'document')}"
    if not (args.text or args.interactive_only):
        return f"{number_of(whole, 'line')} {where}."
    what = "controls" if args.interactive_only else "lines"
    which = f"{what} with this text" if args.text else what
    if not wanted:
        return f"No {which} among {number_of(whole, 'line')} {where}."
    return f"{wanted} of {number_of(whole, 'line')} {where}: {which}, and what they are inside of."


def _say_changes(changes: TreeChanges, seen: SeenTree) -> str:
    whole = len(seen.lines)
    part = f" You were shown {seen.shown} of its {whole} lines." if seen.shown < whole else ""
    if not changes.any():
        return f"Nothing changed since your last look ({number_of(whole, 'line')}).{part}"
    counts = (
        ("+", changes.added, "added"), ("-", changes.removed, "removed"), ("~", changes.changed, "changed"),
        (">", changes.moved, "moved"),
    )  # fmt: skip
    counted = ", ".join(f"{number} {word} ({mark})" for mark, number, word in counts if number)
    return f"Since your last look: {counted}.{part}"


def _fitting(lines: list[str], args: ObserveArgs) -> int:
    """How many of the lines fit."""
    budget = budget_of(args) - _AROUND
    for number, line in enumerate(lines[: args.limit or _LINES_MAX]):
        # In JSON, a quotation mark and a line break take two bytes each.
        budget -= len(line.encode()) + line.count('"') + 2
        if budget < 0:
            return number
    return min(len(lines), args.limit or _LINES_MAX)
