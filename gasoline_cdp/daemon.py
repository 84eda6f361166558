"""The composition root: a browser kept running and watched, and everything the tools need to tell of it."""

import logging
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import trio
from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.capture.bodies import BodyMode
from gasoline_cdp.capture.page import Capture
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Connection, Session, open_connection
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.targets import Target, Targets
from gasoline_cdp.cdp.transport import PipeTransport, Transport
from gasoline_cdp.chrome.find import find_browser
from gasoline_cdp.chrome.flags import Viewport, headless_choice, sandbox_choice, viewport_choice
from gasoline_cdp.chrome.process import ChromeProcess, Launch, open_chrome
from gasoline_cdp.chrome.profile import open_profile
from gasoline_cdp.chrome.status import BrowserStatus
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.nurseries import open_hidden_nursery
from gasoline_cdp.probe.badge import Badges
from gasoline_cdp.probe.liveness import check_alive
from gasoline_cdp.probe.opening import open_tab, same_site, show, unreachable
from gasoline_cdp.probe.switch import Switch
from gasoline_cdp.probe.viewport import set_viewport
from gasoline_cdp.store.pilot import Pilot
from gasoline_cdp.store.telemetry import Telemetry
from gasoline_cdp.streaming import Streaming
from gasoline_cdp.tools.spec import Context

log = logging.getLogger(__name__)

_REOPENED = ("http://", "https://", "file://")


@frozen(kw_only=True)
class Config:
    """What a person asked for on the command line."""

    mode: Literal["launch", "attach"] = "launch"
    url: str | None = None
    headless: bool | None = None
    browser: str | None = None
    profile: Path | None = None
    temporary_profile: bool = False
    debug_port: int | None = None
    no_sandbox: bool = False
    extra: tuple[str, ...] = ()
    # The size of pages; None: 1280 x 800 without a window, and what the window gives with one.
    viewport: Viewport | None = None
    browser_url: str | None = None
    ws_endpoint: str | None = None
    bodies: BodyMode = "errors"
    websockets: bool = True
    pilot: bool = False
    # Where to serve HTTP (0: any free port), and whether to do without a token there.
    port: int | None = None
    no_token: bool = False
    # Whether to open the tab with the pilot's switch; None: in a browser of our own that has a window.
    switch_tab: bool | None = None
    # The directory that the command was given in.
    directory: Path | None = None
    artifacts: Path | None = None
    # Under tests an event handler that fails ends the daemon, where otherwise it is logged and counted.
    strict: bool = False


class Daemon:
    """A running daemon. `ready` is set when the browser can be spoken to, or when it could not be had (`failed`)."""

    def __init__(self, config: Config, say: Callable[[str], None]) -> None:
        self.config = config
        self.ready = trio.Event()
        self.failed: GasolineError | None = None
        # Set when the browser has ended for good.
        self.over = trio.Event()
        # What becomes of us and of what was captured when a person closes the browser, in a sentence.
        self.when_closed = ""
        # The conversation with the browser itself, while there is one.
        self.root: Session | None = None
        self._say = say
        telemetry = Telemetry()
        self.capture = Capture(telemetry, config.bodies)
        self.capture.sockets.enabled = config.websockets
        self.browser = BrowserStatus(mode="launched" if config.mode == "launch" else "attached", begun=self.ready)
        self.context = Context(
            telemetry=telemetry,
            capture=self.capture,
            browser=self.browser,
            pilot=Pilot(on=config.pilot),
            streaming=Streaming(telemetry, self.capture.known),
            started_at=time.monotonic(),
            strict=config.strict,
            directory=config.directory,
            artifacts=config.artifacts,
        )
        self.context.streaming.pending = self.capture.pending_requests
        self.switch = Switch(self.context.pilot, self._switch_left)
        self.badges = Badges(self.capture.tabs, lambda: self.context.pilot.on)
        self.context.pilot.listeners.append(self._pilot_moved)

    def refuse(self, error: GasolineError) -> None:
        """There is no browser, and there never was one: every call says why."""
        self.failed = self.browser.failure = error
        self.browser.state = "gone"
        self.browser.note = error.message
        self.browser.noted_at = time.monotonic()
        self.ready.set()
        self.over.set()

    async def open_page(self, url: str) -> None:
        """Open an address in a new tab once the browser is there, unless a tab already shows its site."""
        await self.ready.wait()
        root = self.root
        if root is None or any(same_site(tab.raw_url, url) for tab in self.capture.tabs.open()):
            return
        try:
            await self._show(await open_tab(root, self.capture.tabs), url)
        except (CdpClosed, CdpError):
            log.debug("the browser went away before a page could be opened")

    async def run(self) -> None:
        """Keep a browser: start or attach, watch, start again after a crash, until it is over or cancelled."""
        reopen = [self.config.url] if self.config.url else []
        try:
            while True:
                try:
                    if self.config.mode == "launch":
                        crashed = await self._run_launched(reopen)
                    else:
                        crashed = await self._run_attached(reopen)
                except GasolineError as error:
                    self._fail(error)
                    return
                finally:
                    self.root = None
                    reopen = [tab.raw_url for tab in self.capture.tabs.open() if tab.raw_url.startswith(_REOPENED)]
                    reopen = reopen[: limits.RESTORED_TABS]
                    self.capture.browser_gone()
                    self.context.pilot.browser_gone()
                if not crashed or not self._may_restart():
                    return
        finally:
            self.browser.state = "gone"
            self.browser.pid = None
            self.ready.set()
            self.over.set()

    def _note(self, text: str) -> None:
        """Something happened to the browser that every reader must hear of."""
        self.browser.note = text
        self.browser.noted_at = time.monotonic()
        self.capture.say("error", text)

    def _fail(self, error: GasolineError) -> None:
        """There will be no browser any more; whoever runs the daemon says so."""
        self.failed = error
        if not self.ready.is_set():
            self.browser.failure = error
        self._note(error.message)

    def _may_restart(self) -> bool:
        now = time.monotonic()
        crashes = self.browser.crashes
        crashes.append(now)
        recent = [crash for crash in crashes if now - crash < limits.RESTART_WINDOW_SECONDS]
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

    async def _run_launched(self, reopen: list[str]) -> bool:
        """One life of a browser of our own. Returns whether it ended by a crash."""
        config = self.config
        headless, why = headless_choice(config.headless, environ=os.environ)
        no_sandbox, warning = sandbox_choice(config.no_sandbox, environ=os.environ)
        browser = find_browser(config.browser)
        self.browser.headless = self.capture.headless = headless
        self.capture.complete_from_start = True
        if not self.ready.is_set():
            self._say(f"Starting {browser.name} ({why}).")
            if warning:
                self._say(warning)
        async with AsyncExitStack() as stack:
            profile = stack.enter_context(open_profile(config.profile, temporary=config.temporary_profile))
            launch = Launch(
                browser=browser,
                profile=profile,
                headless=headless,
                debug_port=config.debug_port,
                no_sandbox=no_sandbox,
                extra=config.extra,
                viewport=viewport_choice(config.viewport, headless=headless, extra=config.extra),
            )
            chrome = await stack.enter_async_context(open_chrome(launch))
            self.browser.pid = chrome.pid
            address = await self._debug_address(chrome) if launch.port is not None else ""
            transport: Transport
            if chrome.to_chrome is not None and chrome.from_chrome is not None:
                transport = PipeTransport(chrome.to_chrome, chrome.from_chrome)
            else:
                from gasoline_cdp.cdp.websocket import open_websocket  # noqa: PLC0415 - see there

                transport = await stack.enter_async_context(open_websocket(address))
            connection = await stack.enter_async_context(open_connection(transport, strict=config.strict))
            try:
                await self._begin(connection, reopen, chrome, launch.viewport)
                await connection.wait_closed()
            finally:
                if chrome.to_chrome is None:
                    # A pipe says it by being closed, which `open_chrome` sees to.
                    await _close_politely(connection, chrome)
            with trio.move_on_after(limits.CLOSE_SECONDS):
                await chrome.wait_exited()
            return self._ended(chrome)

    def _ended(self, chrome: ChromeProcess) -> bool:
        """Tell a crash from a person who closed the window."""
        if chrome.returncode == 0:
            self._note(f"The browser was closed. {self.when_closed}".strip())
            self._say(self.browser.note)
            return False
        code = chrome.returncode
        how = f"was ended by signal {-code}" if code is not None and code < 0 else "went away"
        self._note(f"The browser crashed: it {how}. It is started again, and its tabs are reopened.")
        return True

    async def _run_attached(self, reopen: list[str]) -> bool:
        """One life of a connection to somebody else's browser, which is never closed by us."""
        from gasoline_cdp.cdp.websocket import open_websocket  # noqa: PLC0415 - see there
        from gasoline_cdp.chrome.attach import find_address  # noqa: PLC0415 - with an HTTP client, for this alone

        config = self.config
        address = await find_address(
            ws_endpoint=config.ws_endpoint,
            browser_url=config.browser_url,
            environ=os.environ,
            home=Path.home(),
        )
        self.capture.complete_from_start = False
        async with (
            open_websocket(address) as transport,
            open_connection(transport, strict=config.strict) as connection,
        ):
            await self._begin(connection, reopen, None)
            self.browser.check_alive = partial(check_alive, connection, self.browser, self._note)
            await connection.wait_closed()
            self.browser.check_alive = None
        message = "The attached browser went away. Start it again, then run `gasoline-cdp attach` again."
        self._fail(GasolineError(Code.BROWSER_CRASHED, message))
        return False

    async def _debug_address(self, chrome: ChromeProcess) -> str:
        """Where the browser's port is, for us and for others; raises if it could not have the one asked for."""
        with trio.fail_after(limits.START_SECONDS):
            address = await chrome.wait_debug_address()
        self.browser.debug_url = f"http://{urlsplit(address).netloc}"
        if self.config.debug_port is not None and not self.ready.is_set():
            self._say(f"Other clients reach the browser at {self.browser.debug_url}.")
        return address

    async def _begin(
        self,
        connection: Connection,
        reopen: list[str],
        chrome: ChromeProcess | None,
        viewport: Viewport | None = None,
    ) -> None:
        """Speak to the browser for the first time: who is it, what is open; then open what was asked for."""
        try:
            with trio.fail_after(limits.START_SECONDS):
                version = await connection.root.send("Browser.getVersion")
                self.browser.version = self.switch.browser = str(version.get("product", ""))
                if self._wants_switch():
                    await self.switch.open(connection.root)
                    if not self.ready.is_set():
                        self._say("The switch for the AI pilot is in the browser's tab 'Gasoline CDP'.")
                targets = Targets(connection, adopt=self._adopt, changed=self.capture.changed, gone=self._gone)
                await targets.start()
                if viewport is not None and (tab := next(self.capture.tabs.open(), None)):
                    self.browser.viewport = str(await set_viewport(connection.root, tab, viewport))
                await self._open_pages(connection, reopen)
        except (CdpClosed, CdpError) as error:
            if chrome is None:
                raise GasolineError(Code.BROWSER_FAILED, f"The browser would not be spoken to: {error}.") from error
            with trio.move_on_after(limits.CLOSE_SECONDS):
                await chrome.wait_exited()
            raise chrome.exit_error() from error
        except trio.TooSlowError as error:
            raise GasolineError(
                Code.BROWSER_FAILED,
                f"The browser did not answer within {limits.START_SECONDS:.0f} s. "
                "`gasoline-cdp doctor` checks the machine.",
            ) from error
        self.root = connection.root
        self.browser.state = "running"
        self.ready.set()

    def _wants_switch(self) -> bool:
        """In somebody else's browser no tab is opened unasked; without a window nobody could click."""
        wanted = self.config.switch_tab
        return self.config.mode == "launch" and not self.browser.headless if wanted is None else wanted

    def _adopt(self, session: Session, target: Target, waiting: bool) -> None:
        """A target was attached to: captured, unless it is the switch's own tab."""
        if target.target_id == self.switch.target_id:
            self.switch.adopt(session, target)
            return
        self.capture.adopt(session, target, waiting)
        if target.kind == "page":
            self.badges.watch(session)

    def _gone(self, session: Session, target: Target, reason: str) -> None:
        if target.target_id == self.switch.target_id:
            self.switch.gone()
        else:
            if target.kind == "page":
                self.browser.unreachable = ""
            self.capture.gone(session, target, reason)

    def _switch_left(self, session: Session, target: Target) -> None:
        """A person opened a page in the tab of the switch: it is captured from here on, as one found open."""
        self._adopt(session, target, waiting=False)

    def _pilot_moved(self) -> None:
        self.badges.look_again()
        if not self.context.pilot.on:
            self.context.highlights.hide_all()

    async def _open_pages(self, connection: Connection, urls: list[str]) -> None:
        """Open addresses: the first in the tab that a new browser comes with, each watched before it loads."""
        for place, url in enumerate(urls):
            tab = next(self.capture.tabs.open(), None) if place == 0 and self.config.mode == "launch" else None
            if tab is None:
                tab = await open_tab(connection.root, self.capture.tabs)
            await self._show(tab, url)

    async def _show(self, tab: Tab, url: str) -> None:
        def loaded(answered: bool) -> None:
            told = ""
            if not answered:
                requests = self.context.telemetry.network.newest()
                failures = (one.failure for one in requests if one.source.tab_id == tab.tab_id and one.failure)
                told = unreachable(url, next(failures, ""))
            if told != self.browser.unreachable:
                self._say(told or f"{url} has loaded now.")
            self.browser.unreachable = told

        await show(tab, url, loaded)


async def _close_politely(connection: Connection, chrome: ChromeProcess) -> None:
    """Ask Chrome to close, so that the profile is written; the process' own clean-up does the rest."""
    with trio.move_on_after(limits.CLOSE_SECONDS, shield=True):
        connection.root.post("Browser.close")
        await chrome.wait_exited()


@asynccontextmanager
async def open_daemon(config: Config, say: Callable[[str], None]) -> AsyncIterator[Daemon]:
    """Run a daemon until the block ends. It returns at once: await `ready` where the browser is needed."""
    daemon = Daemon(config, say)
    async with open_hidden_nursery() as nursery:
        nursery.start_soon(daemon.capture.bodies.run)
        nursery.start_soon(daemon.capture.objects.run)
        nursery.start_soon(daemon.capture.source_maps.run)
        nursery.start_soon(daemon.capture.actions.run)
        await nursery.start(daemon.context.jobs.run)
        nursery.start_soon(daemon.capture.backfill.run)
        nursery.start_soon(daemon.context.streaming.run)
        nursery.start_soon(daemon.badges.run)
        nursery.start_soon(daemon.context.highlights.run)
        nursery.start_soon(daemon.run)
        try:
            yield daemon
        finally:
            nursery.cancel_scope.cancel()
