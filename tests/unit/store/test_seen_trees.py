"""What each client was shown, within bounds."""

import gc

from gasoline_cdp import limits
from gasoline_cdp.analysis.accessibility.tree_lines import TreeLine
from gasoline_cdp.operations.client import Client
from gasoline_cdp.store.seen_trees import SeenTree, SeenTrees


def tree(lines: int) -> SeenTree:
    made = tuple(TreeLine(depth=0, key=f"e{number}", role="link") for number in range(lines))
    return SeenTree(document="kfd", lines=made, shown=lines)


def test_each_client_has_its_own() -> None:
    trees, one, other = SeenTrees(), Client("mcp"), Client("mcp")
    shown = tree(3)
    trees.keep(one, (1, None), shown)
    assert trees.of(one, (1, None)) is shown
    assert trees.of(one, (2, None)) is None
    assert trees.of(other, (1, None)) is None


def test_the_oldest_goes() -> None:
    trees, client = SeenTrees(), Client("mcp")
    for number in range(limits.TREES_SEEN + 1):
        trees.keep(client, number, tree(1))
    assert trees.of(client, 0) is None
    assert trees.of(client, 1) is not None
    trees.keep(client, "large", tree(limits.TREES_SEEN_LINES - 5))
    assert trees.of(client, "large") is not None
    assert sum(trees.of(client, number) is not None for number in range(limits.TREES_SEEN + 1)) == 5


def test_one_that_is_too_large_is_not_kept_and_neither_is_the_one_before() -> None:
    trees, client = SeenTrees(), Client("mcp")
    trees.keep(client, 1, tree(2))
    trees.keep(client, 1, tree(limits.TREES_SEEN_LINES + 1))
    assert trees.of(client, 1) is None


def test_a_client_that_came_later_is_not_taken_for_one_that_has_gone() -> None:
    trees = SeenTrees()
    gone = Client("mcp")
    trees.keep(gone, 1, tree(1))
    del gone
    gc.collect()
    assert all(trees.of(Client("mcp"), 1) is None for _ in range(100))
