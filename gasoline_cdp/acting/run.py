"""The steps of one call: as asked for, and how far they came."""

import time
from typing import Literal

from attrs import define, field, frozen

from gasoline_cdp.analysis.acting.steps import Do
from gasoline_cdp.cdp.tabs import Tab


@frozen(kw_only=True)
class PlannedStep:
    """A step as it was asked for."""

    do: Do
    target: str | None = None
    value: str | None = None


@frozen(kw_only=True)
class StepResult:
    """What became of a step."""

    outcome: Literal["done", "failed", "skipped"]
    note: str = ""


@define
class ActRun:
    """The steps of a call so far."""

    tab: Tab
    outcomes: list[StepResult] = field(factory=list)
    # Why it ended early, if not because a step failed.
    ended: str = ""
    began: float = field(factory=time.time)
    # When the last step began, which had effects of its own.
    last_began: float = field(factory=time.time)
    taken: list[Tab] = field(factory=list)

    def take(self, tab: Tab) -> None:
        """Act in this tab from now on. A page in the background draws nothing, so nothing in it could be checked."""
        self.tab = tab
        if tab not in self.taken:
            self.taken.append(tab)
            tab.dialogs_wait = True
            tab.session.post("Emulation.setFocusEmulationEnabled", {"enabled": True})

    @property
    def failed(self) -> bool:
        """Whether a step failed or was not reached."""
        return bool(self.ended) or any(outcome.outcome == "failed" for outcome in self.outcomes)
