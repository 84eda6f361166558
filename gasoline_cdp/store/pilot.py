"""Whether assistants may act on pages, and who asked: the pilot's switch and its audit ring."""

import time
from collections import deque
from typing import Literal

from attrs import frozen

from gasoline_cdp import limits

# Who may move the switch: the command line that started us, or a person's own click. Nobody else is named here.
By = Literal["start", "person"]


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

    def asked(self, tool: str, client: str) -> bool:
        """A tool that acts on the page is called: whether it may go on."""
        self._remember(PilotEvent(ts=time.time(), what="allowed" if self.on else "refused", by=client, tool=tool))
        return self.on

    def _remember(self, event: PilotEvent) -> None:
        self.events.append(event)
        self.total += 1
