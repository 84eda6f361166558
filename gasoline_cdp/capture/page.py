"""Wires one target's events to the records: subscribes first, then enables, since enabling replays the past."""

import json
import logging
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from functools import partial

import trio
from attrs import evolve

from gasoline_cdp import limits
from gasoline_cdp.capture.actions import ACTION_KINDS, Actions, moment_of
from gasoline_cdp.capture.backfill import Backfill
from gasoline_cdp.capture.bodies import Bodies, BodyMode
from gasoline_cdp.capture.console import (
    Groups,
    Said,
    console_text,
    exception_text,
    parse_console,
    parse_exception,
    parse_log_entry,
)
from gasoline_cdp.capture.flight import Flight
from gasoline_cdp.capture.ingest import Ingest
from gasoline_cdp.capture.network import NetworkTracker
from gasoline_cdp.capture.objects import Objects
from gasoline_cdp.capture.observers import OBSERVERS
from gasoline_cdp.capture.sourcemaps import SourceMaps
from gasoline_cdp.capture.sources import SessionSources
from gasoline_cdp.capture.vitals import VitalsTracker
from gasoline_cdp.capture.websocket import SocketTracker
from gasoline_cdp.cdp.connection import Params, Session
from gasoline_cdp.cdp.tabs import NO_TAB, Tab, Tabs
from gasoline_cdp.cdp.targets import Target
from gasoline_cdp.cdp.world import REPORT, WORLD
from gasoline_cdp.records import WRONG, Level, LogRecord, NetworkRecord, Source, StackFrame
from gasoline_cdp.redact import noticing, safe_text, safe_url
from gasoline_cdp.store.telemetry import Telemetry

log = logging.getLogger(__name__)

# Of the browser itself, rather than of any tab.
BROWSER_SOURCE = Source(NO_TAB, "page", "", 0)

# What an observer reports: its kind says which function takes it.
Report = Callable[[Params, Source], None]


class Capture:
    """Everything that turns events into records, for all targets of one daemon; it outlives a browser's crash."""

    def __init__(self, telemetry: Telemetry, bodies: BodyMode) -> None:
        self.telemetry = telemetry
        self.tabs = Tabs()
        self.bodies = Bodies(telemetry, bodies)
        self.network = NetworkTracker(self._request_finished)
        self.sockets = SocketTracker(telemetry)
        self.ingest = Ingest(telemetry, self.bodies, self.sockets)
        self.actions = Actions(telemetry)
        self.objects = Objects()
        self.source_maps = SourceMaps(self.tabs)
        self.backfill = Backfill(telemetry, self.network)
        # Tabs whose first requests nobody told us of.
        self.joined_late = 0
        # When the documents of tabs were complete, by tab and navigation.
        self.loaded: OrderedDict[tuple[int, int], float] = OrderedDict()
        # How many of each kind were captured so far: a worker that says nothing leaves no other trace.
        self.targets_seen = Counter[str]()
        self.headless = False
        # A browser of our own is known from its first request on; in one we attach to, only what opens later.
        self.complete_from_start = False
        self.vitals = VitalsTracker(telemetry, self.pending_requests)
        self.reports: dict[str, Report] = {
            "dom_snapshot": self.actions.showed,
            "vitals": self.vitals.vitals,
            "performance": self.vitals.performance,
        }

    def adopt(self, session: Session, target: Target, waiting: bool) -> None:
        """Start to capture a target; see `Targets`. Posts only."""
        self.targets_seen[target.kind] += 1
        tab = self._tab_of(session, target, waiting)
        sources = SessionSources(self._own_source(tab, target), target.target_id)
        self._listen_contexts(session, sources)
        self._listen_console(session, sources)
        self._listen_network(session, sources)
        self._listen_sockets(session, sources)
        if target.kind == "page" and tab is not None:
            self._listen_page(session, tab)
        if target.kind in {"page", "iframe"}:
            session.post("Page.enable")
            session.post("Runtime.addBinding", {"name": REPORT, "executionContextName": WORLD})
            for observer in OBSERVERS:
                if target.kind == "page" or not observer.main_frame_only:
                    session.post(
                        "Page.addScriptToEvaluateOnNewDocument",
                        {"source": observer.source(), "worldName": WORLD, "runImmediately": True},
                    )
        session.post("Network.enable", {"maxPostDataSize": limits.POST_DATA_BYTES, **self.bodies.network_options()})
        session.post("Runtime.enable")
        session.post("Log.enable")
        if target.kind == "page" and tab is not None and not tab.seen_from_start:
            self.backfill.found(tab, time.time())

    def changed(self, target: Target) -> None:
        """Chrome says something new of a target: its title, mostly."""
        if target.kind == "page" and (tab := self.tabs.by_target(target.target_id)):
            tab.title = safe_text(target.title, limits.TITLE_CHARS)
            if target.url != tab.raw_url:
                tab.moved(target.url, navigated=False)

    def gone(self, session: Session, target: Target, reason: str) -> None:
        """A target was closed, or crashed."""
        how = "was closed" if reason == "closed" else "crashed"
        tab = self.tabs.by_target(target.target_id) if target.kind == "page" else None
        noun = "tab" if tab else target.kind.replace("_", " ")
        self.network.owner_gone(session, f"the {noun} {how}")
        self.sockets.owner_gone(session, f"the {noun} {how}", time.time())
        if tab is not None:
            self.vitals.left(tab.source)
            tab.state = reason
            if reason == "crashed":
                self.say("error", "The tab crashed: its renderer process is gone. Reload it to go on.", tab.source)
            else:
                self.say("info", "The tab was closed.", tab.source)

    def browser_gone(self) -> None:
        """Chrome is gone with all its tabs; what was captured stays."""
        self.network.all_gone("the browser went away")
        self.sockets.owner_gone(None, "the browser went away", time.time())
        for tab in self.tabs.open():
            self.vitals.left(tab.source)
        self.tabs.all_closed()

    def say(self, level: Level, text: str, source: Source = BROWSER_SOURCE) -> None:
        """Record an event in the life of a tab or of the browser, in our own words."""
        said = Said(ts=time.time(), kind="event", level=level, text=text)
        self.telemetry.add(said.record(self.telemetry.next_seq(), source))

    def known(self, record: LogRecord) -> LogRecord:
        """A record as it is known by now: its objects in depth, its frames where their code was written."""
        frames = self.known_frames(record.source, record.frames)
        logged = self.known_frames(record.source, (record.logged,))[0] if record.logged else None
        text = self.objects.text_of(record)
        if text is record.text and logged is record.logged and frames is record.frames:
            return record
        return evolve(record, text=text, frames=frames, logged=logged)

    def known_frames(self, source: Source, frames: tuple[StackFrame, ...]) -> tuple[StackFrame, ...]:
        """Frames where their code was written, as far as that is known by now; the same tuple if nothing is."""
        written = [self.source_maps.lookup(source, frame) for frame in frames]
        return tuple(new or old for new, old in zip(written, frames, strict=True)) if any(written) else frames

    async def wait_known(self) -> None:
        """Wait a moment for what is being found out: deeper previews and source maps."""
        with trio.move_on_after(limits.KNOWN_SECONDS):
            await self.objects.wait_idle()
            await self.source_maps.wait_idle()

    def settle(self) -> None:
        """Record the requests that have waited long enough for the wire's headers: due before anyone looks."""
        self.network.settle(time.time() - self.network.clock)

    def pending_requests(self) -> list[NetworkRecord]:
        """Requests without an end so far, newest first."""
        self.settle()
        return [flight.record(0) for flight in self.network.in_flight()]

    def _tab_of(self, session: Session, target: Target, waiting: bool) -> Tab | None:
        """Number a page; find the tab that a frame or dedicated worker belongs to."""
        if target.kind == "page":
            return self.tabs.opened(session, target, seen_from_start=waiting or self.complete_from_start)
        parent = session.parent
        while parent is not None:
            if tab := next((tab for tab in self.tabs.open() if tab.session is parent), None):
                return tab
            parent = parent.parent
        return None

    def _own_source(self, tab: Tab | None, target: Target) -> Callable[[], Source]:
        if target.kind == "page" and tab is not None:
            return lambda: tab.source
        url = safe_url(target.url)
        if tab is None:
            own = Source(NO_TAB, target.kind, url, 0, target.target_id)
            return lambda: own
        # A frame in a process of its own has the id of its target.
        frame_id = target.target_id if target.kind == "iframe" else ""
        return lambda: Source(tab.tab_id, target.kind, url, tab.source.navigation, target.target_id, frame_id)

    def _request_finished(self, flight: Flight) -> None:
        record = flight.record(self.telemetry.next_seq())
        self.telemetry.add(record)
        self.bodies.inspection.sent(flight, record, bodies=self.bodies.mode != "off")
        self.bodies.offer(flight, record)
        if record.outcome in WRONG and isinstance(flight.owner, Session):
            self.source_maps.wanted_frames(record.source, record.initiator_frames, flight.owner)
        if flight.type == "EventSource":
            self.sockets.request_ended(flight.request_id, time.time())

    def _listen_contexts(self, session: Session, sources: SessionSources) -> None:
        session.on("Runtime.executionContextCreated", sources.context_created)
        session.on("Runtime.executionContextDestroyed", sources.context_destroyed)
        session.on("Runtime.executionContextsCleared", sources.contexts_cleared)
        session.on("Page.frameNavigated", lambda params: sources.frame_navigated(params.get("frame") or {}))
        session.on("Page.frameDetached", sources.frame_detached)
        session.on("Runtime.bindingCalled", partial(self._reported, session, sources))

    def _reported(self, session: Session, sources: SessionSources, params: Params) -> None:
        """One of our observers has something to say. Its words were made from what a page shows: still data."""
        if params.get("name") != REPORT:
            return
        try:
            report = json.loads(str(params.get("payload", "")))
        except (ValueError, RecursionError):
            return
        if not isinstance(report, dict):
            return
        kind, context_id = str(report.get("kind")), params.get("executionContextId")
        source = sources.of_context(context_id)
        if kind in ACTION_KINDS:
            # Chrome is asked back about the element, on this session and in this context.
            self.actions.reported(report, source, session, context_id)
        elif kind == "handling":
            sources.handling(moment_of(report.get("ts"), time.time()), context_id)
        elif kind == "handled":
            sources.handled()
        elif kind in self.reports:
            self.reports[kind](report, source)

    def _listen_console(self, session: Session, sources: SessionSources) -> None:
        groups = Groups()
        inspection = self.bodies.inspection

        def add(words: Said, context_id: object, depth: int = 0) -> LogRecord:
            source = sources.of_context(context_id)
            record = words.record(self.telemetry.next_seq(), source, depth, sources.during)
            self.telemetry.add(record)
            self.source_maps.wanted(record, session)
            return record

        def called(params: Params) -> None:
            depth = groups.depth(params)
            with noticing() as noticed:
                words = parse_console(params)
            if words:
                record = add(words, params.get("executionContextId"), depth)
                inspection.logged(record, noticed)
                self.objects.heard(session, params, record, console_text)

        def thrown(params: Params) -> None:
            details = params.get("exceptionDetails") or {}
            with noticing() as noticed:
                words = parse_exception(params)
            record = add(words, details.get("executionContextId"))
            inspection.logged(record, noticed)
            self.objects.heard(session, params, record, exception_text)

        def logged(params: Params) -> None:
            if words := parse_log_entry(params):
                add(words, None)

        session.on("Runtime.consoleAPICalled", called)
        session.on("Runtime.exceptionThrown", thrown)
        session.on("Runtime.executionContextsCleared", groups.contexts_cleared)
        session.on("Log.entryAdded", logged)

    def _listen_network(self, session: Session, sources: SessionSources) -> None:
        tracker = self.network

        def request(params: Params) -> None:
            if session.unrecorded is not None and session.unrecorded(params):
                return
            tracker.request(params, sources.of_frame(params.get("frameId")), session, sources.during)

        def response(params: Params) -> None:
            if flight := tracker.response(params, session):
                self.bodies.responded(flight)
            if params.get("type") == "Script":
                self.source_maps.script_loaded(params, sources.of_frame(params.get("frameId")), session)

        session.on("Network.requestWillBeSent", request)
        session.on("Network.requestWillBeSentExtraInfo", tracker.request_extra)
        session.on("Network.requestServedFromCache", tracker.served_from_cache)
        session.on("Network.responseReceived", response)
        session.on("Network.responseReceivedExtraInfo", tracker.response_extra)
        session.on("Network.dataReceived", tracker.data)
        session.on("Network.dataReceived", self.bodies.partials.data)
        session.on("Network.loadingFinished", tracker.loaded)
        session.on("Network.loadingFailed", tracker.failed)

    def _listen_sockets(self, session: Session, sources: SessionSources) -> None:
        sockets = self.sockets

        def created(params: Params) -> None:
            sockets.created(params, sources.own(), session, time.time(), sources.during)

        def streamed(params: Params) -> None:
            url = self.network.url_of(str(params.get("requestId", "")))
            sockets.event_source_message(params, url, sources.own(), session, time.time())

        session.on("Network.webSocketCreated", created)
        session.on("Network.webSocketWillSendHandshakeRequest", sockets.handshake_sent)
        session.on("Network.webSocketHandshakeResponseReceived", sockets.handshake_answered)
        session.on("Network.webSocketFrameReceived", sockets.frame_received)
        session.on("Network.webSocketFrameSent", sockets.frame_sent)
        session.on("Network.webSocketFrameError", sockets.frame_error)
        session.on("Network.webSocketClosed", sockets.closed)
        session.on("Network.eventSourceMessageReceived", streamed)

    def _listen_page(self, session: Session, tab: Tab) -> None:
        self.actions.opened(tab.source)
        session.on("Page.frameNavigated", partial(self._navigated, tab))
        session.on("Page.loadEventFired", lambda _: self._loaded(tab))
        session.on("Page.navigatedWithinDocument", partial(self._moved_within, tab))
        session.on("Page.javascriptDialogOpening", partial(self._dialog_opened, session, tab))
        session.on("Page.javascriptDialogClosed", lambda _: setattr(tab, "dialog", ""))

    def _navigated(self, tab: Tab, params: Params) -> None:
        frame: Params = params.get("frame") or {}
        if frame.get("parentId"):
            return
        self.vitals.left(tab.source)
        # Chrome tells the fragment apart.
        tab.moved(f"{frame.get('url', '')}{frame.get('urlFragment') or ''}", navigated=True)
        tab.unreachable = str(frame.get("unreachableUrl") or "")
        self.tabs.used(tab)
        tab.loader_id = str(frame.get("loaderId", ""))
        self.network.left(tab.session, tab.loader_id, self.network.now)
        restored = params.get("type") == "BackForwardCacheRestore"
        if not restored and not self.network.saw_document(tab.loader_id):
            self._is_late(tab)
        if tab.raw_url != "about:blank":
            self.say("info", f"Navigated to {tab.source.url}", tab.source)
            address = safe_url(frame.get("unreachableUrl") or tab.raw_url)
            self.actions.navigated(tab.source, address, restored=restored)

    def _is_late(self, tab: Tab) -> None:
        """Chrome does not hold a tab that another client opens with an address: its first requests go untold."""
        if tab.raw_url.startswith(("http://", "https://")):
            tab.joined_late, tab.seen_from_start = True, False
            self.joined_late += 1

    def _loaded(self, tab: Tab) -> None:
        self.loaded[tab.tab_id, tab.source.navigation] = time.time()
        while len(self.loaded) > limits.ACTION_ENTRIES:
            self.loaded.popitem(last=False)
        if tab.source.navigation == 0 and tab.seen_from_start:
            # Even its navigation was over before we listened.
            self._is_late(tab)
        if tab.joined_late:
            tab.joined_late = False
            self.backfill.found(tab, time.time(), late=True)

    def _moved_within(self, tab: Tab, params: Params) -> None:
        if params.get("frameId") != tab.target_id:
            # The id of a tab's main frame is the id of its target; other frames do not move the tab.
            return
        url = str(params.get("url", ""))
        if url.split("#", maxsplit=1)[0] != tab.raw_url.split("#", maxsplit=1)[0]:
            self.say("info", f"Moved within the page to {safe_url(url)}", tab.source)
        tab.moved(url, navigated=False)
        self.actions.navigated(tab.source, tab.source.url, within_document=True)

    def _dialog_opened(self, session: Session, tab: Tab, params: Params) -> None:
        kind = safe_text(params.get("type", "dialog"), 20)
        tab.dialog = kind
        self.say("warning", f"Dialog ({kind}): {safe_text(params.get('message', ''), 500)}", tab.source)
        if self.headless:
            # Without us a headless Chrome closes dialogs by itself; with the Page domain on it waits for an answer
            # that nobody can give.
            session.post("Page.handleJavaScriptDialog", {"accept": kind == "beforeunload"})
