"""Another program's browser, on its debugging port. We capture it from when we attach, and never close it."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import ClassVar

from attrs import frozen

from gasoline_cdp.browser.liveness import check_alive
from gasoline_cdp.browser.provider import BrowserLife, Ending, Say
from gasoline_cdp.browser.status import BrowserStatus, Mode
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, open_connection
from gasoline_cdp.errors import Code, GasolineError


@frozen(kw_only=True)
class Attached:
    """Where the browser is, if a person says so. Otherwise it is searched for."""

    mode: ClassVar[Mode] = "attached"
    owned: ClassVar[bool] = False
    may_restart: ClassVar[bool] = False

    browser_url: str | None = None
    ws_endpoint: str | None = None

    @asynccontextmanager
    async def open(
        self,
        browser_id: str,
        say: Say,  # noqa: ARG002 - part of the interface
        *,
        strict: bool,
    ) -> AsyncIterator["AttachedLife"]:
        """See `Provider`."""
        from gasoline_cdp.browser.address import find_address  # noqa: PLC0415 - with an HTTP client, for this alone
        from gasoline_cdp.cdp.websocket import open_websocket  # noqa: PLC0415 - see there

        address = await find_address(
            ws_endpoint=self.ws_endpoint, browser_url=self.browser_url, environ=os.environ, home=Path.home()
        )
        async with (
            open_websocket(address) as transport,
            open_connection(transport, browser_id=browser_id, strict=strict) as connection,
        ):
            yield AttachedLife(connection=connection, address=address)


@frozen(kw_only=True)
class AttachedLife(BrowserLife):
    """From attaching until the connection closes."""

    async def start_error(self, error: CdpClosed | CdpError) -> GasolineError:
        """See `BrowserLife`."""
        return GasolineError(Code.BROWSER_FAILED, f"The browser would not be spoken to: {error}.")

    async def ending(self) -> Ending:
        """See `BrowserLife`."""
        return Ending("gone", "The attached browser went away. Start it again, then run `gasoline-cdp attach` again.")

    def alive_check(self, status: BrowserStatus, note: Callable[[str], None]) -> Callable[[], Awaitable[None]] | None:
        """A connection through a proxy may outlive the browser."""
        return partial(check_alive, self.connection, status, note)
