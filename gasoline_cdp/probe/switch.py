"""The pilot's switch: a tab of the daemon that no tool sees, with a button for a person to click."""

import json
from collections.abc import Callable
from typing import Any

from attrs import evolve

from gasoline_cdp import __version__, pilot_limits
from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.connection import Params, Session
from gasoline_cdp.cdp.targets import Target
from gasoline_cdp.cdp.world import WORLD
from gasoline_cdp.store.pilot import Pilot

# An empty page without an opener or scripts. A reload brings it back.
_HOME = "about:blank"
# The binding through which our world of that tab reports a click. No other world and no other tab has it.
_SWITCH = "gasolineSwitch"


class Switch:
    """One tab in each browser with a window. Closing it undoes what was switched on in it."""

    def __init__(self, pilot: Pilot, released: Callable[[Session, Target], None]) -> None:
        self._pilot = pilot
        # Called if a person navigates elsewhere in this tab: from then on it is an ordinary tab.
        self._released = released
        self.target_id = ""
        self.browser = ""
        self._session: Session | None = None
        self._target: Target | None = None
        self._context: int | None = None
        pilot.listeners.append(self.show)

    async def open(self, root: Session) -> None:
        """Open the tab in the background. Call it before attaching to targets, so that its id is known by then."""
        reply = await root.send("Target.createTarget", {"url": _HOME, "background": True})
        self.target_id = str(reply.get("targetId", ""))

    def adopt(self, session: Session, target: Target) -> None:
        """The tab is there: open a session on which nothing is recorded. Only posts commands."""
        self._session, self._target = session, target
        self._pilot.switch_tab = "open"
        session.on("Page.frameNavigated", self._navigated)
        session.on("Runtime.executionContextCreated", self._context_created)
        session.on("Runtime.executionContextsCleared", self._contexts_cleared)
        session.on("Runtime.bindingCalled", self._clicked)
        session.post("Page.enable")
        session.post("Runtime.enable")
        session.post("Runtime.addBinding", {"name": _SWITCH, "executionContextName": WORLD})

    def gone(self) -> None:
        """The tab was closed, crashed, or shows something else."""
        self._session = self._context = None
        self.target_id = ""
        self._pilot.switch_closed()

    def show(self) -> None:
        """Show the current state."""
        if self._session is not None and self._context is not None:
            self._session.post(
                "Runtime.callFunctionOn",
                {
                    "functionDeclaration": page_script("switch"),
                    "executionContextId": self._context,
                    "arguments": [{"value": self._state()}],
                    "silent": True,
                },
            )

    def _state(self) -> dict[str, Any]:
        newest = list(reversed(self._pilot.events))[: pilot_limits.PILOT_EVENTS_ON_PAGE]
        return {
            "on": self._pilot.on,
            "version": __version__,
            "browser": self.browser,
            "events": [
                {"ts": event.ts * 1000, "what": event.what, "by": event.by, "tool": event.tool} for event in newest
            ],
            "total": self._pilot.total,
        }

    def _navigated(self, params: Params) -> None:
        frame: Params = params.get("frame") or {}
        if self._session is None or self._target is None or frame.get("parentId") or frame.get("url") == _HOME:
            return
        session, target = self._session, evolve(self._target, url=str(frame.get("url", "")))
        self.gone()
        self._released(session, target)

    def _context_created(self, params: Params) -> None:
        if self._session is None:
            return
        context: Params = params.get("context") or {}
        about: Params = context.get("auxData") or {}
        if about.get("frameId") != self.target_id:
            return
        if about.get("isDefault"):
            world = {"frameId": self.target_id, "worldName": WORLD}
            self._session.post("Page.createIsolatedWorld", world)
        elif context.get("name") == WORLD:
            self._context = context.get("id")
            self.show()

    def _contexts_cleared(self, _: Params) -> None:
        self._context = None

    def _clicked(self, params: Params) -> None:
        """A trusted click, reported by our world in our tab. It asks for on or off."""
        ours = self._context is not None and params.get("executionContextId") == self._context
        if ours and params.get("name") == _SWITCH:
            wanted = json.loads(str(params.get("payload")))
            self._pilot.switch(on=wanted is True, by="person")
