"""When the code of each tab last changed, and which records are older than that."""

from collections.abc import Iterable

from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.records import ActionRecord, BodyRecord, NetworkRecord, Record


@frozen(kw_only=True)
class CodeChange:
    """One change of a tab's code, and from where on the tab runs the new code."""

    # Of the record that tells of it.
    seq: int
    tab_id: int
    # What arrived up to here is older.
    from_seq: int
    # What began before this is older.
    ts: float
    # The first document that has it, by the number of its navigation: the one that was handed an update, or the next
    # one where the page has to load itself anew.
    navigation: int
    # Who told of it, in our own words.
    told_by: str

    def is_newer_than(self, record: Record) -> bool:
        """Whether a record of this tab is older than the change."""
        if record.seq == self.seq:
            # The one that tells of it.
            return False
        if isinstance(record, NetworkRecord | BodyRecord | ActionRecord):
            # Stored when they end: what counts is when they began.
            older = record.ts < self.ts
        else:
            older = record.seq <= self.from_seq
        # A document is asked for by the one before it.
        is_document = isinstance(record, NetworkRecord) and record.type == "Document"
        return older or (record.source.navigation < self.navigation and not is_document)


@frozen
class LastChange:
    """The last change of one tab, or of all: one edit changes every tab that shows the application."""

    changes: dict[int, CodeChange]

    @property
    def from_seq(self) -> int:
        """What arrived up to here is older in every tab."""
        return min(change.from_seq for change in self.changes.values())

    @property
    def ts(self) -> float:
        """When it began."""
        return min(change.ts for change in self.changes.values())

    @property
    def seq(self) -> int:
        """Of the newest record that tells of it."""
        return max(change.seq for change in self.changes.values())

    @property
    def told_by(self) -> str:
        """Who told of it."""
        return max(self.changes.values(), key=lambda change: change.seq).told_by

    def is_newer_than(self, record: Record) -> bool:
        """Whether a record of any tab is older. In a tab that did not change, time decides."""
        change = self.changes.get(record.source.tab_id)
        return change.is_newer_than(record) if change else record.ts < self.ts


class CodeChanges:
    """The last change of each tab."""

    def __init__(self) -> None:
        self._by_tab: BoundedDict[int, CodeChange] = BoundedDict(limits.TABS_REMEMBERED)

    def add(self, change: CodeChange) -> None:
        """The newest one takes the place of the one before."""
        self._by_tab[change.tab_id] = change

    def of_tab(self, tab_id: int) -> CodeChange | None:
        """The last change of a tab."""
        return self._by_tab.get(tab_id)

    def last(self, tab_id: int | None = None) -> LastChange | None:
        """The last change of this tab; without a tab, the last of all, with what changed in other tabs beside it."""
        if tab_id:
            change = self._by_tab.get(tab_id)
            return LastChange({tab_id: change}) if change else None
        if not self._by_tab:
            return None
        newest = max(change.ts for change in self._by_tab.values())
        return LastChange(_near(self._by_tab.values(), newest))

    def is_older(self, record: Record) -> bool:
        """Whether a record is older than the last change of its tab."""
        change = self._by_tab.get(record.source.tab_id)
        return change is not None and change.is_newer_than(record)


def _near(changes: Iterable[CodeChange], ts: float) -> dict[int, CodeChange]:
    return {change.tab_id: change for change in changes if change.ts >= ts - limits.SAME_CHANGE_SECONDS}
