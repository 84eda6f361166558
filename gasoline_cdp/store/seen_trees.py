"""Which accessibility trees each client was shown last, to tell what changed since."""

from collections.abc import Hashable
from itertools import count
from weakref import WeakKeyDictionary

from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.accessibility.tree_lines import TreeLine
from gasoline_cdp.bounded import BoundedDict


@frozen(kw_only=True)
class SeenTree:
    """A tree as it was read for a client."""

    # The document at the top, by the letters that references carry.
    document: str
    lines: tuple[TreeLine, ...]
    # How many of them were in the answers.
    shown: int
    # The comparison that the client goes through by cursor.
    listed: tuple[str, ...] | None = None


def _weight(tree: SeenTree) -> int:
    return len(tree.lines) + len(tree.listed or ())


class SeenTrees:
    """One for a daemon. A client is known by its `ShownRecords`, for as long as that object lives.

    What it was shown ages with the rest.
    """

    def __init__(self) -> None:
        self._clients: WeakKeyDictionary[object, int] = WeakKeyDictionary()
        self._numbers = count()
        self._trees: BoundedDict[Hashable, SeenTree] = BoundedDict(
            limits.TREES_SEEN,
            weight=_weight,
            max_weight=limits.TREES_SEEN_LINES,
        )

    def of(self, client: object, question: Hashable) -> SeenTree | None:
        """What a client was last shown when it asked this."""
        number = self._clients.get(client)
        return None if number is None else self._trees.get((number, question))

    def keep(self, client: object, question: Hashable, tree: SeenTree) -> None:
        """Remember what a client is shown now."""
        if client not in self._clients:
            self._clients[client] = next(self._numbers)
        key = self._clients[client], question
        if _weight(tree) > limits.TREES_SEEN_LINES:
            # Better none than one that is no longer the last.
            self._trees.pop(key, None)
        else:
            self._trees[key] = tree
