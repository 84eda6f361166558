"""Which records a client has been shown, so that it can ask for the others."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable

from gasoline_cdp import limits


class ShownRecords:
    """The records that one client was shown, by the view that showed them.

    A record that did not fit into an answer, or that a filter left out, was not shown.
    """

    def __init__(self) -> None:
        # Sorted: eight bytes for each, and there may be many clients.
        self._by_view: dict[str, array[int]] = {}

    def add(self, view: str, seqs: Iterable[int]) -> None:
        """These have been shown. A view remembers as many as its rings hold: older ones are not there to be shown."""
        shown = self._by_view.setdefault(view, array("Q"))
        for seq in seqs:
            index = bisect_left(shown, seq)
            if index == len(shown) or shown[index] != seq:
                shown.insert(index, seq)
        del shown[: max(0, len(shown) - limits.SHOWN_RECORDS)]

    def has(self, view: str, seq: int) -> bool:
        """Whether a view has shown a record."""
        shown = self._by_view.get(view)
        if shown is None:
            return False
        index = bisect_left(shown, seq)
        return index < len(shown) and shown[index] == seq
