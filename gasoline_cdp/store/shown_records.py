"""Which records a client has been shown, so that it can ask for the others."""

from collections.abc import Iterable

from gasoline_cdp import limits
from gasoline_cdp.bounded import BoundedDict


class ShownRecords:
    """The records that one client was shown, by the view that showed them.

    A record that did not fit into an answer, or that a filter left out, was not shown.
    """

    def __init__(self) -> None:
        self._by_view: dict[str, BoundedDict[int, None]] = {}

    def add(self, view: str, seqs: Iterable[int]) -> None:
        """These have been shown. A view remembers as many as its rings hold: older ones are not there to be shown."""
        shown = self._by_view.setdefault(view, BoundedDict(limits.SHOWN_RECORDS))
        for seq in seqs:
            shown[seq] = None

    def has(self, view: str, seq: int) -> bool:
        """Whether a view has shown a record."""
        return seq in self._by_view.get(view, ())
