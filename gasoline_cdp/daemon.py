"""The composition root: keeps its own browser running, captures it and attached ones, and creates what tools need."""

import linecache
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager

import trio
from attrs import evolve

from gasoline_cdp import limits
from gasoline_cdp.browser.allowed import Allowed
from gasoline_cdp.browser.attachments import AttachedBrowsers
from gasoline_cdp.browser.provider import BrowserLife, Ending, too_slow
from gasoline_cdp.browser.reconnecting import Reconnection
from gasoline_cdp.browser.status import BrowserStatus
from gasoline_cdp.capture.browser_ends import BrowserEnds
from gasoline_cdp.capture.page import Capture, browser_source
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Connection, Session
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.targets import Target, Targets
from gasoline_cdp.config import Config
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.nurseries import open_hidden_nursery
from gasoline_cdp.operations.context import Context
from gasoline_cdp.probe.badge import Badges
from gasoline_cdp.probe.opening import newest_failure, open_tab, same_site, show, unreachable
from gasoline_cdp.probe.switch import Switch
from gasoline_cdp.probe.viewport import set_viewport
from gasoline_cdp.store.pilot import Pilot
from gasoline_cdp.store.telemetry import Telemetry
from gasoline_cdp.streaming import Streaming

log = logging.getLogger(__name__)

_REOPENED = ("http://", "https://", "file://")


class Daemon:
    """A running daemon. `ready` is set when the browser is connected, or has failed to start (`failed`)."""

    def __init__(self, config: Config, say: Callable[[str], None]) -> None:
        self.config = config
        self.ready = trio.Event()
        self.failed: GasolineError | None = None
        # Set when the browser has ended for good.
        self.over = trio.Event()
        # What happens to us and to the captured data when a person closes the browser, as a sentence.
        self.when_closed = ""
        # The session with the browser itself, while there is one.
        self.root: Session | None = None
        self._say = say
        telemetry = Telemetry()
        self.capture = Capture(telemetry, config.capture.bodies)
        self.capture.sockets.enabled = config.capture.websockets
        if config.capture.catch:
            self.capture.catcher.switch("uncaught")
        self.browser = BrowserStatus(mode=config.browser.mode, begun=self.ready)
        self.reconnection = Reconnection(self.browser)
        if config.browser.owned:
            self.capture.complete_from_start.add(self.browser.browser_id)
        self._ends = BrowserEnds(self.capture)
        self.context = Context(
            telemetry=telemetry,
            capture=self.capture,
            browser=self.browser,
            pilot=Pilot(on=config.serve.pilot),
            streaming=Streaming(telemetry),
            started_at=time.monotonic(),
            browsers=AttachedBrowsers(
                self.browser,
                self._watch,
                self._ends,
                strict=config.strict,
                allowed=Allowed(hosts=config.serve.allow_browsers, ca_file=getattr(config.browser, "ca_file", None)),
            ),
            strict=config.strict,
            directory=config.directory,
            artifacts=config.serve.artifacts,
            uploads=config.serve.uploads,
            fail_on=config.fail_on,
        )
        if config.export.otlp_endpoint:
            from gasoline_cdp.operations.export_use import make_export  # noqa: PLC0415 - few daemons export

            export = make_export(self.context, config.export.otlp_endpoint, config.export.otlp_header)
            self.context = evolve(self.context, export=export)
        self.context.conditions.mocking.mocked = self.capture.mocked
        self.context.streaming.pending = self.capture.pending_requests
        self.switch = Switch(self.context.pilot, self._switch_left)
        self.badges = Badges(self.context.tabs, lambda: self.context.pilot.on)
        self.context.pilot.listeners.append(self._pilot_moved)

    def refuse(self, error: GasolineError) -> None:
        """There is no browser and never was one: every call says why."""
        self.failed = self.browser.failure = error
        self.browser.state = "gone"
        self.browser.note = error.message
        self.browser.noted_at = time.monotonic()
        self.ready.set()
        self.over.set()

    async def open_page(self, url: str) -> None:
        """Open an address in a new tab once the browser is connected, unless a tab already shows its site."""
        await self.ready.wait()
        root = self.root
        if root is None or any(same_site(tab.raw_url, url) for tab in self._own_tabs()):
            return
        try:
            await self._show(await open_tab(root, self.context.tabs), url)
        except (CdpClosed, CdpError):
            log.debug("the browser went away before a page could be opened")

    async def run(self) -> None:
        """Keep a browser: start or attach, capture, restart after a crash, until it is over or cancelled."""
        reopen = [self.config.url] if self.config.url else []
        if self.config.browser.mode == "none":
            self.browser.state = "none"
            self.ready.set()
            await trio.sleep_forever()
        try:
            while True:
                failure: GasolineError | None = None
                try:
                    crashed = await self._live(reopen)
                except GasolineError as error:
                    failure = error
                    if not self.reconnection.goes_on(error):
                        self._fail(self.reconnection.given_up(error) if self.reconnection.is_lost else error)
                        return
                finally:
                    self.root = None
                    reopen = [tab.raw_url for tab in self._own_tabs() if tab.raw_url.startswith(_REOPENED)]
                    reopen = reopen[: limits.RESTORED_TABS]
                    self.capture.browser_gone(self.browser.browser_id)
                    self.context.pilot.browser_gone()
                if self.reconnection.is_lost:
                    reopen = []
                    if not await self.reconnection.pause():
                        self._fail(self.reconnection.given_up(failure))
                        return
                elif not crashed or not self._may_restart():
                    return
        finally:
            self.browser.state = "gone"
            self.browser.pid = None
            self.ready.set()
            self.over.set()

    def _note(self, text: str) -> None:
        """Something happened to the browser that every client must know."""
        self.browser.note = text
        self.browser.noted_at = time.monotonic()
        self.capture.say("error", text, browser_source(self.browser.browser_id))

    def _fail(self, error: GasolineError) -> None:
        """There will be no browser any more. Whoever runs the daemon reports it."""
        self.failed = error
        if not self.ready.is_set():
            self.browser.failure = error
        self._note(error.message)

    def _may_restart(self) -> bool:
        now = time.monotonic()
        self.browser.crashes.append(now)
        recent = [crash for crash in self.browser.crashes if now - crash < limits.RESTART_WINDOW_SECONDS]
        if len(recent) > limits.RESTARTS:
            minutes = limits.RESTART_WINDOW_SECONDS / 60
            message = (
                f"The browser went away {len(recent)} times in {minutes:.0f} minutes and is not restarted again. "
                "`gasoline-cdp doctor` checks the machine."
            )
            self._fail(GasolineError(Code.BROWSER_CRASHED, message))
            return False
        self._say(self.browser.note)
        self.browser.state = "restarting"
        self.browser.restarts += 1
        return True

    async def _live(self, reopen: list[str]) -> bool:
        """One life of the browser. Returns whether another one follows.

        Only the start of the first one is reported to the person.
        """
        config = self.config
        say = _say_nothing if self.ready.is_set() else self._say
        if config.browser.question and not self.ready.is_set():
            self.browser.note = config.browser.question
        async with config.browser.open(self.browser.browser_id, say, strict=config.strict) as life:
            self.browser.connected(life.connection)
            self.browser.pid = life.pid
            self.browser.debug_url = life.debug_url
            self.browser.headless = life.headless
            self.browser.address = life.address
            if life.headless:
                self.capture.headless.add(self.browser.browser_id)
            await self._begin(life, reopen)
            self.browser.check_alive = life.alive_check(self.browser, self._note)
            await life.connection.wait_closed()
            self.browser.check_alive = None
            # Report it before the clean-up, which may take a moment.
            ending = await life.ending()
            if ending.kind == "lost":
                self.reconnection.lost(life, ending.message, self._ends.open_targets(self.browser))
                self._ends.lost(self.browser)
                self._say(self.browser.note)
                return False
            return self._ended(ending)

    def _ended(self, ending: Ending) -> bool:
        """Report how the browser ended. Returns whether another one follows."""
        match ending.kind:
            case "closed":
                self._note(f"{ending.message} {self.when_closed}".strip())
                self._say(self.browser.note)
                return False
            case "crashed" if self.config.browser.may_restart:
                self._note(ending.message)
                return True
            case _:
                self._fail(GasolineError(Code.BROWSER_CRASHED, ending.message))
                return False

    async def _begin(self, life: BrowserLife, reopen: list[str]) -> None:
        """First commands to the browser: get its version, attach to its targets, open the requested addresses."""
        connection = life.connection
        try:
            with trio.fail_after(limits.START_SECONDS):
                version = await connection.root.send("Browser.getVersion")
                self.browser.version = self.switch.browser = str(version.get("product", ""))
                if self._wants_switch():
                    await self.switch.open(connection.root)
                    if not self.ready.is_set():
                        self._say("The switch for the AI pilot is in the browser's tab 'Gasoline CDP'.")
                await self._watch(life)
                if life.viewport is not None and (tab := next(self._own_tabs(), None)):
                    self.browser.viewport = str(await set_viewport(connection.root, tab, life.viewport))
                await self._open_pages(connection, reopen)
        except (CdpClosed, CdpError) as error:
            raise await life.start_error(error) from error
        except trio.TooSlowError as error:
            raise too_slow() from error
        self.root = connection.root
        self.browser.state = "running"
        if self.browser.note == self.config.browser.question:
            self.browser.note = ""
        if self.reconnection.is_lost:
            self.reconnection.restored(self._ends.open_targets(self.browser))
            self._ends.restored(self.browser)
            self._say(self.browser.note)
        self.ready.set()

    async def _watch(self, life: BrowserLife) -> None:
        """Capture a browser. Returns when everything that it opens from now on is captured."""
        watched = Targets(life.connection, adopt=self._adopt, changed=self.capture.changed, gone=self._gone)
        await watched.start(life.named_tabs)

    def _own_tabs(self) -> Iterator[Tab]:
        return self.context.tabs.open(self.browser.browser_id)

    def _wants_switch(self) -> bool:
        """We open no tab unasked in another program's browser, and without a window nobody could click."""
        wanted = self.config.serve.switch_tab
        return self.config.browser.owned and not self.browser.headless if wanted is None else wanted

    def _adopt(self, session: Session, target: Target, waiting: bool) -> None:
        """A target was attached: capture it, unless it is the switch's own tab."""
        if self._is_switch(session, target):
            self.switch.adopt(session, target)
            return
        self.capture.adopt(session, target, waiting)
        self.context.conditions.adopt(session, target)
        if target.kind == "page":
            self.badges.watch(session)

    def _gone(self, session: Session, target: Target, reason: str) -> None:
        if self._is_switch(session, target):
            self.switch.gone()
        else:
            if target.kind == "page" and session.browser_id == self.browser.browser_id:
                self.browser.unreachable = ""
            self.capture.gone(session, target, reason)
            if reason != "crashed":
                self.context.conditions.gone(session)

    def _is_switch(self, session: Session, target: Target) -> bool:
        return target.target_id == self.switch.target_id and session.browser_id == self.browser.browser_id

    def _switch_left(self, session: Session, target: Target) -> None:
        """A person opened a page in the switch's tab: capture it from now on, like a tab that was already open."""
        self._adopt(session, target, waiting=False)

    def _pilot_moved(self) -> None:
        self.badges.refresh()
        if not self.context.pilot.on:
            self.context.highlights.hide_all()
            self.context.conditions.end()
            self.capture.log_points.end("the pilot is off")
            self.capture.coverage.switch(on=False)
            self.capture.catcher.switch("uncaught" if self.config.capture.catch else "off")

    async def _open_pages(self, connection: Connection, urls: list[str]) -> None:
        """Open addresses: the first in the initial tab of a new browser, each attached before it loads."""
        for index, url in enumerate(urls):
            tab = next(self._own_tabs(), None) if index == 0 and self.config.browser.owned else None
            if tab is None:
                tab = await open_tab(connection.root, self.context.tabs)
            await self._show(tab, url)

    async def _show(self, tab: Tab, url: str) -> None:
        def loaded(answered: bool) -> None:
            message = "" if answered else unreachable(url, newest_failure(self.context.telemetry, tab.tab_id))
            if message != self.browser.unreachable:
                self._say(message or f"{url} has loaded now.")
            self.browser.unreachable = message

        await show(tab, url, loaded)


def _say_nothing(_: str) -> None:
    """Report nothing to a person who has seen it before."""


@asynccontextmanager
async def open_daemon(config: Config, say: Callable[[str], None]) -> AsyncIterator[Daemon]:
    """Run a daemon until the block ends. Returns at once: await `ready` if you need the browser."""
    # attrs keeps the text of each method that it writes, for debuggers: a megabyte.
    linecache.clearcache()
    daemon = Daemon(config, say)
    async with open_hidden_nursery() as nursery:
        nursery.start_soon(daemon.capture.run)
        await nursery.start(daemon.context.jobs.run)
        nursery.start_soon(daemon.context.streaming.run)
        nursery.start_soon(daemon.badges.run)
        nursery.start_soon(daemon.context.memory.run, daemon.context.tabs, daemon.context.telemetry)
        nursery.start_soon(daemon.context.heaps.worker.run)
        nursery.start_soon(daemon.context.highlights.run)
        nursery.start_soon(daemon.context.conditions.mocking.run)
        await nursery.start(daemon.context.browsers.run)
        nursery.start_soon(daemon.run)
        export = daemon.context.export
        if export is not None:
            await nursery.start(export.run)
        try:
            yield daemon
        finally:
            if export is not None:
                await export.finish()
            nursery.cancel_scope.cancel()
