"""Whether assistants may act on pages, and who asked: the pilot's switch and its audit log."""

import time
from collections import deque
from collections.abc import Callable
from typing import Literal

from attrs import frozen

from gasoline_cdp import pilot_limits

# Who changes the switch: the command line that started us, or a person's click. When the tab or browser of that click
# goes, the click is undone. Nobody else can.
By = Literal["start", "person", "switch_closed", "browser_gone"]

# The tab with the switch: not used in this mode, open, or closed by somebody.
SwitchTab = Literal["none", "open", "closed"]


@frozen(kw_only=True)
class PilotEvent:
    """The switch was changed, or a tool that needs the pilot was called."""

    ts: float
    what: Literal["switched_on", "switched_off", "allowed", "refused"]
    # Who changed the switch, or the kind of client that called.
    by: str
    tool: str = ""


class Pilot:
    """Off unless a person turns it on. The newest changes and gated calls are remembered."""

    def __init__(self, *, on: bool = False) -> None:
        self.on = False
        self.switch_tab: SwitchTab = "none"
        # Called after each event except a refusal, which must send nothing to the browser. Plain functions that only
        # post.
        self.listeners: list[Callable[[], None]] = []
        self._on_at_start = on
        self.events: deque[PilotEvent] = deque(maxlen=pilot_limits.PILOT_EVENTS)
        # Number of all events, including those no longer in the ring.
        self.total = 0
        if on:
            self.switch(on=True, by="start")

    def switch(self, *, on: bool, by: By) -> None:
        """Change the switch. No event if it is already there."""
        if on != self.on:
            self.on = on
            self._remember(PilotEvent(ts=time.time(), what="switched_on" if on else "switched_off", by=by))

    def switch_closed(self) -> None:
        """The switch's tab is gone. What was switched on there could not be switched off any more, so it is off."""
        self.switch_tab = "closed"
        self._take_back("switch_closed")

    def browser_gone(self) -> None:
        """The switch's tab is gone with its browser."""
        if self.switch_tab == "open":
            self.switch_tab = "closed"
        self._take_back("browser_gone")

    def _take_back(self, by: By) -> None:
        """Undo a click. What the command line switched on stays on, and what a person switched off stays off."""
        if not self._on_at_start:
            self.switch(on=False, by=by)

    def how_to_switch_on(self) -> str:
        """What a person can do. No tool can."""
        if self.switch_tab == "open":
            return (
                "A person can click the switch in the browser's tab 'Gasoline CDP', or start gasoline-cdp with --pilot."
            )
        if self.switch_tab == "closed":
            return "A person can start gasoline-cdp with --pilot, or start it again and use the switch in its own tab."
        return "A person can start gasoline-cdp with --pilot."

    def asked(self, tool: str, client: str) -> bool:
        """A tool that acts on the page was called. Returns whether it may go on."""
        self._remember(PilotEvent(ts=time.time(), what="allowed" if self.on else "refused", by=client, tool=tool))
        return self.on

    def _remember(self, event: PilotEvent) -> None:
        self.events.append(event)
        self.total += 1
        if event.what != "refused":
            for listener in self.listeners:
                listener()
