"""Another program's browser, on its debugging port. We capture it from when we attach, and never close it."""

import math
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import ClassVar

import trio
from attrs import field, frozen

from gasoline_cdp import remote_limits
from gasoline_cdp.browser.liveness import check_alive
from gasoline_cdp.browser.provider import CONSENT, BrowserLife, Ending, Say
from gasoline_cdp.browser.status import BrowserStatus, Mode
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, open_connection
from gasoline_cdp.cdp.endpoint import Endpoint, Headers
from gasoline_cdp.cdp.named_tabs import ALL_TABS, NamedTabs
from gasoline_cdp.cdp.transport import SocketEnd
from gasoline_cdp.errors import Code, GasolineError

_WENT_AWAY = "The attached browser went away. Start it again, then run `gasoline-cdp attach` again."
_ALLOWED = (
    "Connected. Of tabs that were open already, you see the console messages that Chrome kept, and their earlier "
    "requests as far as the page remembers them: without headers and bodies. From now on you see everything."
)
_WITHDRAWN = (
    "Your Chrome ended the connection: it was closed, or debugging was switched off. Nothing is tried again by itself, "
    "since each connection asks you. To connect again: gasoline-cdp attach --everyday"
)


@frozen(kw_only=True)
class Attached:
    """Where the browser is, if a person says so. Otherwise it is searched for.

    Addresses and headers may hold credentials: they are not part of `repr`.
    """

    mode: ClassVar[Mode] = "attached"
    owned: ClassVar[bool] = False
    may_restart: ClassVar[bool] = False
    question: ClassVar[str] = ""

    browser_url: str | None = field(default=None, repr=False)
    ws_endpoint: str | None = field(default=None, repr=False)
    headers: Headers = field(default=(), repr=False)
    ca_file: Path | None = None
    # Only tabs at these addresses, if there are any.
    only: NamedTabs = ALL_TABS

    @asynccontextmanager
    async def open(self, browser_id: str, say: Say, *, strict: bool) -> AsyncIterator["AttachedLife"]:
        """See `Provider`."""
        from gasoline_cdp.browser.address import asks_its_person, find_address  # noqa: PLC0415 - with an HTTP client, for this alone
        from gasoline_cdp.cdp.websocket import open_websocket  # noqa: PLC0415 - see there

        address = await find_address(
            ws_endpoint=self.ws_endpoint,
            browser_url=self.browser_url,
            environ=os.environ,
            home=Path.home(),
            headers=self.headers,
            ca_file=self.ca_file,
        )
        endpoint = Endpoint(address=address, headers=self.headers, ca_file=self.ca_file)
        if endpoint.leaks_credentials():
            say(f"The connection to {endpoint.shown()} is not encrypted, and carries credentials. Use wss:// instead.")
        asks = await asks_its_person(endpoint)
        if asks:
            say(CONSENT)
        async with AsyncExitStack() as stack:
            patience = math.inf if asks else remote_limits.CONNECT_SECONDS
            try:
                # One that would have to ask again is not given up for its silence.
                opening = open_websocket(endpoint, patience=patience, keep_alive=not asks)
                transport = await stack.enter_async_context(opening)
            except GasolineError as error:
                raise _refused_by_person(error) if asks else error from error
            connection = await stack.enter_async_context(
                open_connection(transport, browser_id=browser_id, strict=strict)
            )
            if asks:
                say(_ALLOWED)
            yield AttachedLife(
                connection=connection,
                address=address,
                named_tabs=self.only,
                endpoint=endpoint,
                socket_end=transport.end,
                asks=asks,
            )


@frozen(kw_only=True)
class AttachedLife(BrowserLife):
    """From attaching until the connection closes."""

    endpoint: Endpoint
    socket_end: Callable[[], SocketEnd]
    # It asks its person about each connection.
    asks: bool

    async def start_error(self, error: CdpClosed | CdpError) -> GasolineError:
        """See `BrowserLife`."""
        why = self.socket_end().reason if isinstance(error, CdpClosed) else str(error)
        return GasolineError(
            Code.BROWSER_FAILED, f"The browser at {self.endpoint.shown()} would not be spoken to: {why}."
        )

    async def ending(self) -> Ending:
        """Distinguish the end of the browser from the end of the connection, which is worth making again."""
        await trio.lowlevel.checkpoint()
        end = self.socket_end()
        if end.kind == "closed":
            return Ending(
                "gone", f"The browser's session was ended: {end.reason}. Get a new address, and attach again."
            )
        if self.asks:
            return Ending("gone", _WITHDRAWN)
        if self.endpoint.is_local() and end.kind == "broken" and len(self.connection.sessions) == 1:
            # It closed its pages first, as a browser does that is closed.
            return Ending("gone", _WENT_AWAY)
        return Ending("lost", end.reason)

    def alive_check(self, status: BrowserStatus, note: Callable[[str], None]) -> Callable[[], Awaitable[None]] | None:
        """A connection through a proxy may outlive the browser."""
        return partial(check_alive, self.connection, status, note)


def _refused_by_person(error: GasolineError) -> GasolineError:
    if error.details.get("http_status") != HTTPStatus.FORBIDDEN:
        return error
    return GasolineError(
        Code.NO_BROWSER,
        "Chrome refused the connection: its dialog was answered with Cancel. Nothing is tried again by itself. If that "
        "was a mistake, run `gasoline-cdp attach --everyday` again, and click Allow.",
        refused_by_person=True,
        final=True,
    )
