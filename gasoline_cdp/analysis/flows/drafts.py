"""What a flow is made from, and its steps in the making."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import define, field, frozen

from gasoline_cdp.analysis.flows.flow import Call, Step
from gasoline_cdp.records import ActionRecord, DomSnapshotRecord, LogRecord, NetworkRecord, SocketRecord


@frozen(kw_only=True)
class FlowRecords:
    """What a flow is made from, of all tabs."""

    actions: Sequence[ActionRecord]
    network: Sequence[NetworkRecord] = ()
    logs: Sequence[LogRecord] = ()
    snapshots: Sequence[DomSnapshotRecord] = ()
    sockets: Sequence[SocketRecord] = ()
    # The tab that opened each tab.
    openers: Mapping[int, int] = field(factory=dict)
    shape_of: Callable[[NetworkRecord], Any] = lambda _: None


@define
class Draft:
    """A step in the making, with the record it comes from."""

    step: Step
    record: ActionRecord
    # All actions that the step stands for, the record included.
    parts: list[ActionRecord] = field(factory=list)
    calls: list[Call] = field(factory=list)
    others: list[str] = field(factory=list)
    # When the last dialog of the step was closed: until then the page stood still.
    answered: float = 0.0

    @property
    def ends(self) -> float:
        """When the person had done it. What came of it comes soon after."""
        return max(self.answered, *(part.until or part.ts for part in (self.record, *self.parts)))

    @property
    def begin(self) -> float:
        """When its first action began."""
        return min((part.ts for part in self.parts), default=self.step.ts)

    @property
    def numbers(self) -> set[int]:
        """The numbers of its actions."""
        return {part.seq for part in self.parts}
