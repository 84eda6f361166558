"""A browser that we start, close, and start again after a crash."""

import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

import trio
from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.browser.provider import BrowserLife, Ending, Say, too_slow
from gasoline_cdp.browser.status import Mode
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Connection, open_connection
from gasoline_cdp.cdp.transport import PipeTransport, Transport
from gasoline_cdp.chrome.find import find_browser
from gasoline_cdp.chrome.flags import Viewport, headless_choice, sandbox_choice, viewport_choice
from gasoline_cdp.chrome.process import ChromeProcess, Launch, open_chrome
from gasoline_cdp.chrome.profile import open_profile
from gasoline_cdp.errors import GasolineError


@frozen(kw_only=True)
class Launched:
    """What a person asked for of a browser that we start."""

    mode: ClassVar[Mode] = "launched"
    owned: ClassVar[bool] = True
    may_restart: ClassVar[bool] = True
    question: ClassVar[str] = ""

    headless: bool | None = None
    browser: str | None = None
    profile: Path | None = None
    temporary_profile: bool = False
    debug_port: int | None = None
    no_sandbox: bool = False
    extra: tuple[str, ...] = ()
    # The size of pages. None: 1280 x 800 if headless, otherwise as the window is.
    viewport: Viewport | None = None

    @asynccontextmanager
    async def open(self, browser_id: str, say: Say, *, strict: bool) -> AsyncIterator["LaunchedLife"]:
        """See `Provider`."""
        headless, why = headless_choice(self.headless, environ=os.environ)
        no_sandbox, warning = sandbox_choice(self.no_sandbox, environ=os.environ)
        program = find_browser(self.browser)
        say(f"Starting {program.name} ({why}).")
        if warning:
            say(warning)
        async with AsyncExitStack() as stack:
            launch = Launch(
                browser=program,
                profile=stack.enter_context(open_profile(self.profile, temporary=self.temporary_profile)),
                headless=headless,
                debug_port=self.debug_port,
                no_sandbox=no_sandbox,
                extra=self.extra,
                viewport=viewport_choice(self.viewport, headless=headless, extra=self.extra),
            )
            chrome = await stack.enter_async_context(open_chrome(launch))
            address = await self._debug_address(chrome, say) if launch.port is not None else ""
            transport = await stack.enter_async_context(_open_transport(chrome, address))
            connection = await stack.enter_async_context(
                open_connection(transport, browser_id=browser_id, strict=strict)
            )
            try:
                yield LaunchedLife(
                    connection=connection,
                    chrome=chrome,
                    pid=chrome.pid,
                    headless=headless,
                    viewport=launch.viewport,
                    debug_url=_debug_url(address),
                    address=address,
                )
            finally:
                if chrome.to_chrome is None:
                    # Over a pipe, closing it is enough: `open_chrome` does that.
                    await _close_politely(connection, chrome)

    async def _debug_address(self, chrome: ChromeProcess, say: Say) -> str:
        """The address of the browser's port, for us and for others. Raises if it did not get the requested one."""
        try:
            with trio.fail_after(limits.START_SECONDS):
                address = await chrome.wait_debug_address()
        except trio.TooSlowError as error:
            raise too_slow() from error
        if self.debug_port is not None:
            say(f"Other clients reach the browser at {_debug_url(address)}.")
        return address


@frozen(kw_only=True)
class LaunchedLife(BrowserLife):
    """From the start of a browser's process to its end."""

    chrome: ChromeProcess

    async def start_error(self, error: CdpClosed | CdpError) -> GasolineError:  # noqa: ARG002 - Chrome's own words say more
        """See `BrowserLife`."""
        await self._wait_exited()
        return self.chrome.exit_error()

    async def ending(self) -> Ending:
        """Distinguish a crash from a person who closed the window."""
        await self._wait_exited()
        code = self.chrome.returncode
        if code == 0:
            return Ending("closed", "The browser was closed.")
        how = f"was ended by signal {-code}" if code is not None and code < 0 else "went away"
        return Ending("crashed", f"The browser crashed: it {how}. It is started again, and its tabs are reopened.")

    async def _wait_exited(self) -> None:
        with trio.move_on_after(limits.CLOSE_SECONDS):
            await self.chrome.wait_exited()


@asynccontextmanager
async def _open_transport(chrome: ChromeProcess, address: str) -> AsyncIterator[Transport]:
    if chrome.to_chrome is not None and chrome.from_chrome is not None:
        yield PipeTransport(chrome.to_chrome, chrome.from_chrome)
        return
    from gasoline_cdp.cdp.websocket import open_websocket  # noqa: PLC0415 - see there

    async with open_websocket(address) as transport:
        yield transport


def _debug_url(address: str) -> str:
    return f"http://{urlsplit(address).netloc}" if address else ""


async def _close_politely(connection: Connection, chrome: ChromeProcess) -> None:
    """Ask Chrome to close, so that the profile is written. The process's own clean-up does the rest."""
    with trio.move_on_after(limits.CLOSE_SECONDS, shield=True):
        connection.root.post("Browser.close")
        await chrome.wait_exited()
