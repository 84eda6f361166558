"""Listens to each tab's navigations, loads, history changes and dialogs."""

import time
from collections.abc import Callable
from functools import partial

from gasoline_cdp import limits
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.capture.actions import Actions
from gasoline_cdp.capture.backfill import Backfill
from gasoline_cdp.capture.code_changes import CodeChangeListener
from gasoline_cdp.capture.console import ParsedLog
from gasoline_cdp.capture.network_trackers import NetworkTrackers
from gasoline_cdp.capture.vitals import VitalsTracker
from gasoline_cdp.cdp.connection import Params, Session
from gasoline_cdp.cdp.tabs import Tab, Tabs
from gasoline_cdp.records import Level, Source
from gasoline_cdp.redact import safe_text, safe_url
from gasoline_cdp.store.telemetry import Telemetry


class NavigationListener:
    """Keeps the tabs up to date, and records their events."""

    def __init__(
        self,
        telemetry: Telemetry,
        tabs: Tabs,
        network: NetworkTrackers,
        actions: Actions,
        vitals: VitalsTracker,
        backfill: Backfill,
        code_changes: CodeChangeListener,
        *,
        is_headless: Callable[[str], bool],
    ) -> None:
        # Tabs whose first requests we did not get.
        self.joined_late = 0
        # When documents finished loading, by tab and navigation.
        self.loaded: BoundedDict[tuple[int, int], float] = BoundedDict(limits.ACTION_ENTRIES)
        # Whether the page of a tab asked for another document, how its current navigation began, its open dialog.
        self._asked: BoundedDict[int, bool] = BoundedDict(limits.TABS_REMEMBERED)
        self._how: BoundedDict[int, str] = BoundedDict(limits.TABS_REMEMBERED)
        self._dialogs: BoundedDict[int, tuple[str, str]] = BoundedDict(limits.TABS_REMEMBERED)
        self._telemetry = telemetry
        self._tabs = tabs
        self._network = network
        self._actions = actions
        self._vitals = vitals
        self._backfill = backfill
        self._code_changes = code_changes
        self._is_headless = is_headless

    def listen(self, session: Session, tab: Tab) -> None:
        """Subscribe to the events of one tab."""
        self._actions.opened(tab.source)
        session.on("Page.frameNavigated", partial(self._navigated, tab))
        session.on("Page.loadEventFired", lambda _: self._document_loaded(tab))
        session.on("Page.navigatedWithinDocument", partial(self._moved_within, tab))
        session.on("Page.javascriptDialogOpening", partial(self._dialog_opened, session, tab))
        session.on("Page.javascriptDialogClosed", partial(self._dialog_closed, tab))
        session.on("Page.frameRequestedNavigation", partial(self._asks, tab))
        session.on("Page.frameStartedNavigating", partial(self._starts, tab))
        session.on("Page.downloadWillBegin", lambda params: self._actions.downloads(tab.source, params))

    def say(self, level: Level, text: str, source: Source) -> None:
        """Record an event of a tab or of the browser, in our own words."""
        log = ParsedLog(ts=time.time(), kind="event", level=level, text=text)
        self._telemetry.add(log.record(self._telemetry.next_seq(), source))

    def _navigated(self, tab: Tab, params: Params) -> None:
        frame: Params = params.get("frame") or {}
        if frame.get("parentId"):
            return
        self._vitals.left(tab.source)
        # Chrome sends the fragment separately.
        tab.moved(f"{frame.get('url', '')}{frame.get('urlFragment') or ''}", navigated=True)
        tab.unreachable = str(frame.get("unreachableUrl") or "")
        self._tabs.used(tab)
        tab.loader_id = str(frame.get("loaderId", ""))
        network = self._network.of(tab.source.browser_id)
        network.left(tab.session, tab.loader_id, network.now)
        restored = params.get("type") == "BackForwardCacheRestore"
        started = network.document_asked_for(tab.loader_id)
        if not restored and started is None:
            self._is_late(tab)
        self._code_changes.navigated(tab.source, None if restored else started, time.time())
        if tab.raw_url != "about:blank":
            self.say("info", f"Navigated to {tab.source.url}", tab.source)
            address = safe_url(frame.get("unreachableUrl") or tab.raw_url)
            self._actions.navigated(tab.source, address, restored=restored, how=self._how.pop(tab.tab_id, ""))

    def _is_late(self, tab: Tab) -> None:
        """Chrome does not pause a tab that another client opens with an address, so we miss its first requests."""
        if tab.raw_url.startswith(("http://", "https://")):
            tab.joined_late, tab.seen_from_start = True, False
            self.joined_late += 1

    def _document_loaded(self, tab: Tab) -> None:
        self.loaded[tab.tab_id, tab.source.navigation] = time.time()
        if tab.source.navigation == 0 and tab.seen_from_start:
            # Even its navigation was over before we listened.
            self._is_late(tab)
        if tab.joined_late:
            tab.joined_late = False
            self._backfill.add(tab, time.time(), late=True)

    def _moved_within(self, tab: Tab, params: Params) -> None:
        if params.get("frameId") != tab.target_id:
            # A tab's main frame has the id of its target. Other frames do not navigate the tab.
            return
        url = str(params.get("url", ""))
        if url.split("#", maxsplit=1)[0] != tab.raw_url.split("#", maxsplit=1)[0]:
            self.say("info", f"Moved within the page to {safe_url(url)}", tab.source)
        tab.moved(url, navigated=False)
        how = self._how.pop(tab.tab_id, "")
        self._actions.navigated(tab.source, tab.source.url, within_document=True, how=how)

    def _asks(self, tab: Tab, params: Params) -> None:
        if params.get("frameId") == tab.target_id and params.get("disposition") == "currentTab":
            self._asked[tab.tab_id] = True

    def _starts(self, tab: Tab, params: Params) -> None:
        """Remember how a navigation began: only now Chrome says so.

        Links, forms and scripts ask for a navigation before it starts; the address bar and the reload button do not.
        Going back and forward is never asked for, by whomever.
        """
        if params.get("frameId") != tab.target_id:
            return
        by_page = self._asked.pop(tab.tab_id, False)
        kind = str(params.get("navigationType", ""))
        if kind.startswith("history"):
            self._how[tab.tab_id] = "history"
        elif by_page:
            self._how[tab.tab_id] = ""
        else:
            self._how[tab.tab_id] = "reload" if kind.startswith("reload") else "address"

    def _dialog_closed(self, tab: Tab, params: Params) -> None:
        kind, message = self._dialogs.pop(tab.tab_id, ("", ""))
        tab.dialog = ""
        if kind:
            accepted, text = params.get("result") is True, safe_text(params.get("userInput") or "", 100)
            self._actions.answered(tab.source, kind, message, accepted=accepted, text=text)

    def _dialog_opened(self, session: Session, tab: Tab, params: Params) -> None:
        kind = safe_text(params.get("type", "dialog"), 20)
        tab.dialog = kind
        message = safe_text(params.get("message", ""), 500)
        self._dialogs[tab.tab_id] = kind, message
        self.say("warning", f"Dialog ({kind}): {message}", tab.source)
        if self._is_headless(session.browser_id) and not tab.dialogs_wait:
            # A headless Chrome closes dialogs by itself. But with the Page domain enabled it waits for an answer, and
            # nobody else can give one.
            session.post("Page.handleJavaScriptDialog", {"accept": kind == "beforeunload"})
