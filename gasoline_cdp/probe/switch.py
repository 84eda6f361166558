"""The pilot's switch: a tab of the daemon's own, which no tool sees, and in which a person's click is heard."""

import json
from collections.abc import Callable
from typing import Any

from attrs import evolve

from gasoline_cdp import __version__, limits
from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.connection import Params, Session
from gasoline_cdp.cdp.targets import Target
from gasoline_cdp.cdp.world import WORLD
from gasoline_cdp.store.pilot import Pilot

# An empty page that is nobody's: no other page has a handle to it, it has no scripts, and a reload brings it back.
_HOME = "about:blank"
# By this name our world of that tab, and no other world and no other tab, tells of a click.
_SWITCH = "gasolineSwitch"


class Switch:
    """One tab in each browser with a window. Closing it takes back what was switched on in it."""

    def __init__(self, pilot: Pilot, released: Callable[[Session, Target], None]) -> None:
        self._pilot = pilot
        # A person went elsewhere in this tab: it is a tab like any other from now on.
        self._released = released
        self.target_id = ""
        self.browser = ""
        self._session: Session | None = None
        self._target: Target | None = None
        self._context: int | None = None
        pilot.listeners.append(self.show)

    async def open(self, root: Session) -> None:
        """Open the tab behind the others. Before targets are attached to, so that its id is known by then."""
        reply = await root.send("Target.createTarget", {"url": _HOME, "background": True})
        self.target_id = str(reply.get("targetId", ""))

    def adopt(self, session: Session, target: Target) -> None:
        """The tab is there: speak to it, on a session of which nothing is recorded. Posts only."""
        self._session, self._target = session, target
        self._pilot.switch_tab = "open"
        session.on("Page.frameNavigated", self._navigated)
        session.on("Runtime.executionContextCreated", self._context_created)
        session.on("Runtime.executionContextsCleared", self._contexts_cleared)
        session.on("Runtime.bindingCalled", self._clicked)
        session.post("Page.enable")
        session.post("Runtime.addBinding", {"name": _SWITCH, "executionContextName": WORLD})
        session.post("Runtime.enable")

    def gone(self) -> None:
        """The tab was closed, crashed, or shows something else now."""
        self._session = self._context = None
        self.target_id = ""
        self._pilot.switch_closed()

    def show(self) -> None:
        """Show how things are."""
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
        newest = list(reversed(self._pilot.events))[: limits.PILOT_EVENTS_ON_PAGE]
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
        """A trusted click, as our own world in our own tab says; what it asks for is on or off."""
        ours = self._context is not None and params.get("executionContextId") == self._context
        if ours and params.get("name") == _SWITCH:
            wanted = json.loads(str(params.get("payload")))
            self._pilot.switch(on=wanted is True, by="person")
