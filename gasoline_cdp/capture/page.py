"""Wires one target's events to the records: subscribes first, then enables, since enabling replays the past."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from gasoline_cdp import limits
from gasoline_cdp.capture.bodies import Bodies, BodyMode
from gasoline_cdp.capture.console import Said, parse_console, parse_exception, parse_log_entry
from gasoline_cdp.capture.network import Flight, NetworkTracker
from gasoline_cdp.cdp.connection import Params, Session
from gasoline_cdp.cdp.tabs import NO_TAB, Tab, Tabs
from gasoline_cdp.cdp.targets import Target
from gasoline_cdp.records import Level, NetworkRecord, Source
from gasoline_cdp.redact import safe_text, safe_url
from gasoline_cdp.store.telemetry import Telemetry

# Of the browser itself, rather than of any tab.
BROWSER_SOURCE = Source(NO_TAB, "page", "", 0)


class Capture:
    """Everything that turns events into records, for all targets of one daemon; it outlives a browser's crash."""

    def __init__(self, telemetry: Telemetry, bodies: BodyMode) -> None:
        self.telemetry = telemetry
        self.tabs = Tabs()
        self.bodies = Bodies(telemetry, bodies)
        self.network = NetworkTracker(self._request_finished)
        self.headless = False
        # A browser of our own is known from its first request on; in one we attach to, only what opens later.
        self.complete_from_start = False
        self._sources: dict[str, Callable[[], Source]] = {}

    def adopt(self, session: Session, target: Target, waiting: bool) -> None:
        """Start to capture a target; see `Targets`. Posts only."""
        tab = self._place(session, target, seen_from_start=waiting or self.complete_from_start)
        source = self._sources[target.target_id]
        self._listen_console(session, source)
        self._listen_network(session, source)
        if tab is not None:
            self._listen_page(session, tab)
        if target.kind in {"page", "iframe"}:
            session.post("Page.enable")
        session.post("Network.enable", {"maxPostDataSize": limits.POST_DATA_BYTES})
        session.post("Runtime.enable")
        session.post("Log.enable")

    def changed(self, target: Target) -> None:
        """Chrome says something new of a target: its title, mostly."""
        if target.kind == "page" and (tab := self.tabs.by_target(target.target_id)):
            tab.title = safe_text(target.title, limits.TITLE_CHARS)
            if target.url != tab.raw_url:
                tab.moved(target.url, navigated=False)

    def gone(self, target: Target, reason: str) -> None:
        """A target was closed, or crashed."""
        tab = self.tabs.by_target(target.target_id) if target.kind == "page" else None
        if tab is not None:
            tab.state = reason
            self.network.owner_gone(tab.session, f"the tab {'was closed' if reason == 'closed' else 'crashed'}")
            if reason == "crashed":
                self.say("error", "The tab crashed: its renderer process is gone. Reload it to go on.", tab.source)
            else:
                self.say("info", "The tab was closed.", tab.source)
        if reason == "closed":
            self._sources.pop(target.target_id, None)

    def browser_gone(self) -> None:
        """Chrome is gone with all its tabs; what was captured stays."""
        for tab in self.tabs.open():
            self.network.owner_gone(tab.session, "the browser went away")
        self.tabs.all_closed()
        self._sources.clear()

    def say(self, level: Level, text: str, source: Source = BROWSER_SOURCE) -> None:
        """Record an event in the life of a tab or of the browser, in our own words."""
        said = Said(ts=time.time(), kind="event", level=level, text=text)
        self.telemetry.add(said.record(self.telemetry.next_seq(), source))

    def pending_requests(self) -> list[NetworkRecord]:
        """Requests without an end so far, newest first."""
        return [flight.record(0) for flight in self.network.in_flight()]

    def _place(self, session: Session, target: Target, *, seen_from_start: bool) -> Tab | None:
        """Say where a target's records come from: a tab is its own source, a frame or worker has its tab's number."""
        if target.kind == "page":
            tab = self.tabs.opened(session, target, seen_from_start=seen_from_start)
            self._sources[target.target_id] = lambda: tab.source
            return tab
        parent = next((tab for tab in self.tabs.open() if tab.session is session.parent), None)
        own = Source(parent.tab_id if parent else NO_TAB, target.kind, safe_url(target.url), 0, target.target_id)
        self._sources[target.target_id] = lambda: own
        return None

    def _request_finished(self, flight: Flight) -> None:
        record = flight.record(self.telemetry.next_seq())
        self.telemetry.add(record)
        self.bodies.offer(flight, record)

    def _listen_console(self, session: Session, source: Callable[[], Source]) -> None:
        def said(parse: Callable[[Params], Said | None], params: Params) -> None:
            if words := parse(params):
                self.telemetry.add(words.record(self.telemetry.next_seq(), source()))

        session.on("Runtime.consoleAPICalled", partial(said, parse_console))
        session.on("Runtime.exceptionThrown", partial(said, parse_exception))
        session.on("Log.entryAdded", partial(said, parse_log_entry))

    def _listen_network(self, session: Session, source: Callable[[], Source]) -> None:
        tracker = self.network
        session.on("Network.requestWillBeSent", lambda params: tracker.request(params, source(), session))
        session.on("Network.requestWillBeSentExtraInfo", tracker.request_extra)
        session.on("Network.requestServedFromCache", tracker.served_from_cache)
        session.on("Network.responseReceived", tracker.response)
        session.on("Network.responseReceivedExtraInfo", tracker.response_extra)
        session.on("Network.dataReceived", tracker.data)
        session.on("Network.loadingFinished", tracker.loaded)
        session.on("Network.loadingFailed", tracker.failed)

    def _listen_page(self, session: Session, tab: Tab) -> None:
        session.on("Page.frameNavigated", partial(self._navigated, tab))
        session.on("Page.navigatedWithinDocument", partial(self._moved_within, tab))
        session.on("Page.javascriptDialogOpening", partial(self._dialog_opened, session, tab))
        session.on("Page.javascriptDialogClosed", lambda _: setattr(tab, "dialog", ""))

    def _navigated(self, tab: Tab, params: Params) -> None:
        frame: dict[str, Any] = params.get("frame") or {}
        if frame.get("parentId"):
            return
        tab.moved(str(frame.get("url", "")), navigated=True)
        self.tabs.used(tab)
        if tab.raw_url != "about:blank":
            self.say("info", f"Navigated to {tab.source.url}", tab.source)

    def _moved_within(self, tab: Tab, params: Params) -> None:
        if params.get("frameId") != tab.target_id:
            # The id of a tab's main frame is the id of its target; other frames do not move the tab.
            return
        url = str(params.get("url", ""))
        if url.split("#", maxsplit=1)[0] != tab.raw_url.split("#")[0]:
            self.say("info", f"Moved within the page to {safe_url(url)}", tab.source)
        tab.moved(url, navigated=False)

    def _dialog_opened(self, session: Session, tab: Tab, params: Params) -> None:
        kind = safe_text(params.get("type", "dialog"), 20)
        tab.dialog = kind
        self.say("warning", f"Dialog ({kind}): {safe_text(params.get('message', ''), 500)}", tab.source)
        if self.headless:
            # Without us a headless Chrome closes dialogs by itself; with the Page domain on it waits for an answer
            # that nobody can give.
            session.post("Page.handleJavaScriptDialog", {"accept": kind == "beforeunload"})
