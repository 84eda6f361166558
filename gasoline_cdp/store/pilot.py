"""Whether assistants may act on pages, and who asked: the pilot's switch and its audit ring."""

import time
from collections import deque
from collections.abc import Callable
from typing import Literal

from attrs import frozen

from gasoline_cdp import limits

# Who moves the switch: the command line that started us, or a person's own click; and the end of the tab or the browser
# in which the click was made takes it back. Nobody else is named here.
By = Literal["start", "person", "switch_closed", "browser_gone"]

# The tab with the switch: not shown in this mode, there, or closed by somebody.
SwitchTab = Literal["none", "open", "closed"]


@frozen(kw_only=True)
class PilotEvent:
    """The switch was moved, or a tool that needs the pilot was called."""

    ts: float
    what: Literal["switched_on", "switched_off", "allowed", "refused"]
    # The hand on the switch, or the kind of client that called.
    by: str
    tool: str = ""


class Pilot:
    """Off unless a person says otherwise. Every flip and every gated call is remembered, the newest of them."""

    def __init__(self, *, on: bool = False) -> None:
        self.on = False
        self.switch_tab: SwitchTab = "none"
        # Called after each event but a refusal, for which nothing may leave for the browser: plain functions that post.
        self.listeners: list[Callable[[], None]] = []
        self._on_at_start = on
        self.events: deque[PilotEvent] = deque(maxlen=limits.PILOT_EVENTS)
        # All that ever happened, those no longer in the ring included.
        self.total = 0
        if on:
            self.switch(on=True, by="start")

    def switch(self, *, on: bool, by: By) -> None:
        """Move the switch; to where it stands already is nothing new."""
        if on != self.on:
            self.on = on
            self._remember(PilotEvent(ts=time.time(), what="switched_on" if on else "switched_off", by=by))

    def switch_closed(self) -> None:
        """The tab of the switch is gone: what was switched on there could not be switched off any more."""
        self.switch_tab = "closed"
        self._take_back("switch_closed")

    def browser_gone(self) -> None:
        """The tab of the switch is gone with its browser."""
        if self.switch_tab == "open":
            self.switch_tab = "closed"
        self._take_back("browser_gone")

    def _take_back(self, by: By) -> None:
        """End what a click began. What the command line began stays, and what a person ended never begins again."""
        if not self._on_at_start:
            self.switch(on=False, by=by)

    def how_to_switch_on(self) -> str:
        """What a person can do; no tool can."""
        if self.switch_tab == "open":
            return (
                "A person can click the switch in the browser's tab 'Gasoline CDP', or start gasoline-cdp with --pilot."
            )
        if self.switch_tab == "closed":
            return "A person can start gasoline-cdp with --pilot, or start it again and use the switch in its own tab."
        return "A person can start gasoline-cdp with --pilot."

    def asked(self, tool: str, client: str) -> bool:
        """A tool that acts on the page is called: whether it may go on."""
        self._remember(PilotEvent(ts=time.time(), what="allowed" if self.on else "refused", by=client, tool=tool))
        return self.on

    def _remember(self, event: PilotEvent) -> None:
        self.events.append(event)
        self.total += 1
        if event.what != "refused":
            for listener in self.listeners:
                listener()
