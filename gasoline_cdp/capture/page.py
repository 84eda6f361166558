"""Connects one target's events to the records. It subscribes before it enables, since enabling replays the past."""

import json
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial

import trio

from gasoline_cdp import limits
from gasoline_cdp.capture.action_reports import wall_time
from gasoline_cdp.capture.actions import ACTION_KINDS, Actions
from gasoline_cdp.capture.backfill import Backfill
from gasoline_cdp.capture.bodies import Bodies, BodyMode
from gasoline_cdp.capture.code_changes import CodeChangeListener
from gasoline_cdp.capture.console_listener import ConsoleListener
from gasoline_cdp.capture.coverage import Coverage
from gasoline_cdp.capture.ingest import Ingest
from gasoline_cdp.capture.log_points import LogPoints
from gasoline_cdp.capture.navigation_listener import NavigationListener
from gasoline_cdp.capture.network_listener import NetworkListener
from gasoline_cdp.capture.observers import OBSERVERS
from gasoline_cdp.capture.previews import PreviewFetcher
from gasoline_cdp.capture.sourcemaps import SourceMaps
from gasoline_cdp.capture.sources import SessionSources
from gasoline_cdp.capture.vitals import VitalsTracker
from gasoline_cdp.capture.websocket import SocketTracker
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session
from gasoline_cdp.cdp.tabs import NO_TAB, Tab, Tabs
from gasoline_cdp.cdp.targets import Target
from gasoline_cdp.cdp.world import REPORT, WORLD
from gasoline_cdp.nurseries import open_hidden_nursery
from gasoline_cdp.records import Level, NetworkRecord, Source
from gasoline_cdp.redact import safe_text, safe_url
from gasoline_cdp.store.telemetry import Telemetry

log = logging.getLogger(__name__)


_HOW_GONE = {
    "closed": "was closed",
    "crashed": "crashed",
    "left": "left the addresses that were named with --only, and is not seen until it returns",
}

# Handler of an observer's report. The report's kind selects it.
Report = Callable[[Params, Source], None]


def browser_source(browser_id: str) -> Source:
    """The source of what happens to a browser itself and not to one of its tabs."""
    return Source(NO_TAB, "page", "", 0, browser_id=browser_id)


class Capture:
    """Everything that turns events into records, for all targets of one daemon. It outlives a crashed browser."""

    def __init__(self, telemetry: Telemetry, bodies: BodyMode) -> None:
        self.telemetry = telemetry
        self.tabs = Tabs()
        code_changes = CodeChangeListener(telemetry)
        self.bodies = Bodies(telemetry, bodies, code_changes.read)
        self.sockets = SocketTracker(telemetry, code_changes)
        self.ingest = Ingest(telemetry, self.bodies, self.sockets)
        self.actions = Actions(telemetry)
        self.previews = PreviewFetcher(telemetry)
        self.source_maps = SourceMaps(self.tabs, telemetry)
        self._console = ConsoleListener(telemetry, self.bodies.inspection, self.previews, self.source_maps)
        self.debugger = self._console.debugger
        self.catcher = self._console.catcher
        self.log_points = LogPoints(self.debugger, self.source_maps)
        self.coverage = Coverage(self.debugger, self.source_maps)
        self._network = NetworkListener(telemetry, self.bodies, self.sockets, self.source_maps, code_changes)
        self.network = self._network.network
        self.backfill = Backfill(telemetry, self.network)
        self.vitals = VitalsTracker(telemetry, self.pending_requests)
        self.navigation = NavigationListener(
            telemetry,
            self.tabs,
            self.network,
            self.actions,
            self.vitals,
            self.backfill,
            code_changes,
            is_headless=lambda browser_id: browser_id in self.headless,
        )
        # How many targets of each kind were captured: a silent worker leaves no other trace.
        self.targets_seen = Counter[str]()
        # Browsers without a window that are ours: nobody else answers their dialogs.
        self.headless: set[str] = set()
        # We see everything in a browser that we launched, but in one we attached to only what opens later.
        self.complete_from_start: set[str] = set()
        # How many targets of each browser context are open.
        self._open_targets = Counter[tuple[str, str]]()
        self.reports: dict[str, Report] = {
            "dom_snapshot": self.actions.showed,
            "vitals": self.vitals.vitals,
            "performance": self.vitals.performance,
        }

    async def run(self) -> None:
        """Fetch what events only announce, until cancelled."""
        async with open_hidden_nursery() as nursery:
            nursery.start_soon(self.bodies.run)
            nursery.start_soon(self.previews.run)
            nursery.start_soon(self.source_maps.run)
            nursery.start_soon(self.catcher.run)
            nursery.start_soon(self.log_points.run)
            nursery.start_soon(self.actions.run)
            nursery.start_soon(self.backfill.run)

    def adopt(self, session: Session, target: Target, waiting: bool) -> None:
        """Start to capture a target; see `Targets`. Only posts commands, never waits."""
        self.targets_seen[target.kind] += 1
        tab = self._tab_of(session, target, waiting)
        context = session.browser_id, target.browser_context_id
        if not self._open_targets[context]:
            self.telemetry.context_open(context)
        self._open_targets[context] += 1
        sources = SessionSources(_own_source(session.browser_id, tab, target), target.target_id)
        self._listen_contexts(session, sources)
        self._console.listen(session, sources)
        self._network.listen(session, sources)
        if target.kind == "page" and tab is not None:
            self.navigation.listen(session, tab)
        if target.kind in {"page", "iframe"}:
            session.post("Page.enable")
        # Before the binding: Chrome gives a new world its bindings only while this is enabled. A document that began
        # in between, or was open before us, could not report.
        session.post("Runtime.enable")
        if target.kind in {"page", "iframe"}:
            session.post("Runtime.addBinding", {"name": REPORT, "executionContextName": WORLD})
            for observer in OBSERVERS:
                if target.kind == "page" or not observer.main_frame_only:
                    session.post(
                        "Page.addScriptToEvaluateOnNewDocument",
                        {"source": observer.source(), "worldName": WORLD, "runImmediately": True},
                    )
        session.post("Network.enable", {"maxPostDataSize": limits.POST_DATA_BYTES, **self.bodies.network_options()})
        session.post("Log.enable")
        if target.kind in {"page", "iframe"}:
            session.post("Audits.enable")
        if target.kind == "page" and tab is not None and not tab.seen_from_start:
            self.backfill.add(tab, time.time())
        elif tab is not None and target.kind == "page":
            self._look_back(tab)

    def changed(self, session: Session, target: Target) -> None:
        """Chrome reports a change of a target, mostly its title."""
        if target.kind == "page" and (tab := self.tabs.by_target(target.target_id, session.browser_id)):
            tab.title = safe_text(target.title, limits.TITLE_CHARS)
            if target.url != tab.raw_url:
                tab.moved(target.url, navigated=False)
                self._look_back(tab)

    def _look_back(self, tab: Tab) -> None:
        """A tab that did not wait may have loaded before our first command reached it: then no event says so."""
        if tab.seen_from_start and tab.source.navigation == 0:
            self.backfill.add(tab, time.time(), late=True)

    def mocked(self, session: Session, request_id: str, url: str) -> None:
        """A mock answers a request of this target."""
        self.network.of(session.browser_id).mocked(request_id, url)

    def gone(self, session: Session, target: Target, reason: str) -> None:
        """A target was closed, or crashed."""
        how = _HOW_GONE[reason]
        tab = self.tabs.by_target(target.target_id, session.browser_id) if target.kind == "page" else None
        noun = "tab" if tab else target.kind.replace("_", " ")
        self.network.of(session.browser_id).owner_gone(session, f"the {noun} {how}")
        self.sockets.owner_gone(session, f"the {noun} {how}", time.time())
        if tab is not None:
            self.vitals.left(tab.source)
            tab.state = "crashed" if reason == "crashed" else "closed"
            if reason == "crashed":
                self.say("error", "The tab crashed: its renderer process is gone. Reload it to go on.", tab.source)
            else:
                self.say("info", f"The tab {how}.", tab.source)
        if reason != "crashed":
            self._target_closed(session.browser_id, target.browser_context_id)

    def _target_closed(self, browser_id: str, context_id: str) -> None:
        context = browser_id, context_id
        self._open_targets[context] -= 1
        if self._open_targets[context] <= 0:
            del self._open_targets[context]
            self.telemetry.context_over(context)

    def browser_gone(self, browser_id: str, reason: str = "the browser went away") -> None:
        """A browser is out of reach, with all its tabs. What was captured stays."""
        self.network.browser_gone(browser_id, reason)
        self.sockets.browser_gone(browser_id, reason, time.time())
        for tab in self.tabs.open(browser_id):
            self.vitals.left(tab.source)
        self.tabs.all_closed(browser_id)
        for context in [context for context in self._open_targets if context[0] == browser_id]:
            del self._open_targets[context]
            self.telemetry.context_over(context)

    def say(self, level: Level, text: str, source: Source) -> None:
        """Record an event of a tab or of the browser, in our own words."""
        self.navigation.say(level, text, source)

    async def wait_known(self, *, elements: bool = True) -> None:
        """Wait briefly for pending annotations: roles of elements, deep previews and source maps.

        What takes longer is not waited for again. Without `elements`, do not wait for roles: only actions have them.
        """
        seconds = limits.KNOWN_SECONDS
        with trio.move_on_after(seconds):
            await self.previews.backlog.wait_for_current(seconds)
            await self.source_maps.backlog.wait_for_current(seconds)
            await self.catcher.unnamed.wait_for_current(seconds)
            if elements:
                await self.actions.backlog.wait_for_current(seconds)

    async def flush(self, tabs: Iterable[Tab]) -> None:
        """Wait briefly until what these tabs have done so far is stored, bodies included.

        A page's reply comes after everything that it has reported. One that hangs is not waited for long.
        """
        sessions = [session for tab in tabs if tab.state == "open" for session in (tab.session, *tab.session.below())]
        with trio.move_on_after(limits.KNOWN_SECONDS):
            async with trio.open_nursery() as nursery:
                for session in sessions:
                    nursery.start_soon(_round_trip, session)
            await self.bodies.backlog.wait_for_current(limits.KNOWN_SECONDS)

    def settle(self) -> None:
        """Record the requests that have waited long enough for their wire headers. Call it before reading the store."""
        self.network.settle(time.time())

    def pending_requests(self) -> list[NetworkRecord]:
        """Unfinished requests, newest first."""
        self.settle()
        return [pending.record(0) for pending in self.network.in_flight()]

    def _tab_of(self, session: Session, target: Target, waiting: bool) -> Tab | None:
        """Number a page. For a frame or dedicated worker, find its tab."""
        if target.kind == "page":
            return self.tabs.opened(
                session, target, seen_from_start=waiting or session.browser_id in self.complete_from_start
            )
        parent = session.parent
        while parent is not None:
            if tab := next((tab for tab in self.tabs.open() if tab.session is parent), None):
                return tab
            parent = parent.parent
        return None

    def _listen_contexts(self, session: Session, sources: SessionSources) -> None:
        session.on("Runtime.executionContextCreated", sources.context_created)
        session.on("Runtime.executionContextDestroyed", sources.context_destroyed)
        session.on("Runtime.executionContextsCleared", sources.contexts_cleared)
        session.on("Page.frameNavigated", lambda params: sources.frame_navigated(params.get("frame") or {}))
        session.on("Page.frameDetached", sources.frame_detached)
        session.on("Runtime.bindingCalled", partial(self._reported, session, sources))

    def _reported(self, session: Session, sources: SessionSources, params: Params) -> None:
        """One of our observers reports something. It is derived from page content, so it is still untrusted data."""
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
            # Chrome is asked about the element later, on this session and in this context.
            self.actions.reported(report, source, session, context_id)
        elif kind == "handling":
            sources.handling(wall_time(report.get("ts"), time.time()), context_id)
        elif kind == "handled":
            sources.handled()
        elif kind in self.reports:
            self.reports[kind](report, source)


async def _round_trip(session: Session) -> None:
    with suppress(CdpError, CdpClosed):
        await session.send("Runtime.getIsolateId")


def _own_source(browser_id: str, tab: Tab | None, target: Target) -> Callable[[], Source]:
    if target.kind == "page" and tab is not None:
        return lambda: tab.source
    url = safe_url(target.url)
    if tab is None:
        own = Source(
            NO_TAB,
            target.kind,
            url,
            0,
            target.target_id,
            browser_id=browser_id,
            context_id=target.browser_context_id,
        )
        return lambda: own
    # A frame in a process of its own has the id of its target.
    frame_id = target.target_id if target.kind == "iframe" else ""
    return lambda: Source(
        tab.tab_id,
        target.kind,
        url,
        tab.source.navigation,
        target.target_id,
        frame_id,
        browser_id=browser_id,
        context_id=tab.source.context_id,
    )
