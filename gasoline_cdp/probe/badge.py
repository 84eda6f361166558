"""The badge on every page while assistants may act: a browser style sheet, so no node and no script in the page."""

import math
from collections.abc import Callable

import trio

from gasoline_cdp import pilot_limits
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Session
from gasoline_cdp.cdp.tabs import Tab, Tabs

# `content: … / ""` hides it from screen readers, which would read it on every page. It is not printed.
_SIGN = """\
@media not print {
  html::after {
    content: "AI pilot on" / "" !important;
    all: initial;
    position: fixed !important;
    right: 8px !important;
    bottom: 8px !important;
    z-index: 2147483647 !important;
    display: block !important;
    padding: 3px 9px !important;
    border: 1px solid #fff !important;
    border-radius: 99px !important;
    background: #a33b00 !important;
    color: #fff !important;
    font: 600 11px/1.4 system-ui, sans-serif !important;
    opacity: 0.9 !important;
    pointer-events: none !important;
  }
}
"""


class Badges:
    """Keeps the badge on all pages while `on` returns true. A page that navigates gets it again."""

    def __init__(self, tabs: Tabs, on: Callable[[], bool]) -> None:
        self._tabs = tabs
        self._on = on
        # Tabs with the badge, and the number of the navigation.
        self._signed: dict[Tab, int] = {}
        self._changed = trio.Event()

    def refresh(self, _: object = None) -> None:
        """The switch was changed, or a page has loaded. A plain function, for event handlers."""
        self._changed.set()

    def watch(self, session: Session) -> None:
        """A tab was opened: its pages get the badge as soon as they load."""
        session.on("Page.frameNavigated", self._navigated)
        # document.open() also removes the browser's style sheets.
        session.on("Page.documentOpened", self._reopened(session))
        self.refresh()

    def _navigated(self, params: dict[str, object]) -> None:
        frame = params.get("frame")
        if isinstance(frame, dict) and not frame.get("parentId"):
            self.refresh()

    def _reopened(self, session: Session) -> Callable[[object], None]:
        def reopened(_: object) -> None:
            for tab in [tab for tab in self._signed if tab.session is session]:
                self._signed[tab] = -1
            self.refresh()

        return reopened

    async def run(self) -> None:
        """Add and remove badges as needed, until cancelled."""
        while True:
            self._changed = trio.Event()
            on = self._on()
            for tab in [tab for tab in self._signed if tab.state == "closed"]:
                del self._signed[tab]
            due = [tab for tab in self._tabs.open() if tab.state == "open" and self._is_due(tab, on)]
            # All at once: a page that hangs does not delay the badges of others.
            async with trio.open_nursery() as nursery:
                for tab in due:
                    nursery.start_soon(self._sign, tab, on)
            # Retry what failed, even if nothing else happens.
            late = any(self._is_due(tab, on) for tab in due if tab.state == "open")
            with trio.move_on_after(pilot_limits.BADGE_RETRY_SECONDS if late else math.inf):
                await self._changed.wait()

    def _is_due(self, tab: Tab, on: bool) -> bool:
        return self._signed.get(tab) != tab.source.navigation if on else tab in self._signed

    async def _sign(self, tab: Tab, on: bool) -> None:
        navigation = tab.source.navigation
        if await _write(tab, _SIGN if on else ""):
            if on:
                self._signed[tab] = navigation
            else:
                self._signed.pop(tab, None)


async def _write(tab: Tab, text: str) -> bool:
    """Replace the browser style sheet of a page. It stays when its domain is disabled again."""
    session = tab.session
    with trio.move_on_after(pilot_limits.BADGE_SECONDS):
        try:
            await session.send("DOM.enable")
            await session.send("CSS.enable")
            sheet = await session.send("CSS.createStyleSheet", {"frameId": tab.target_id})
            style = {"styleSheetId": sheet["styleSheetId"], "text": text}
            await session.send("CSS.setStyleSheetText", style)
        except (CdpClosed, CdpError):
            # The tab is navigating. An event announces the next document.
            return False
        finally:
            session.post("CSS.disable")
        return True
    return False
