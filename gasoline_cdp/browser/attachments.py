"""The browsers that programs ask us to attach to, each with a life of its own.

A test runner starts one for each of its workers. The end of one touches no other, and we never close any.
"""

import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Protocol

import trio

from gasoline_cdp import limits
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.browser.allowed import ONLY_HERE, Allowed, Identity, identity_of
from gasoline_cdp.browser.attached import Attached, AttachedLife
from gasoline_cdp.browser.provider import BrowserLife, too_slow
from gasoline_cdp.browser.reconnecting import Reconnection
from gasoline_cdp.browser.status import BrowserStatus
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params
from gasoline_cdp.cdp.endpoint import Headers
from gasoline_cdp.errors import Code, GasolineError

# One for each worker of a test runner, and some. Those that ended are listed until others take their place.
_BROWSERS_ATTACHED = 64
_BROWSERS_ENDED = 20


def _ignore(*_: object) -> None:
    """Nobody wants to know."""


class Listener(Protocol):
    """Hears what happens to the connections of attached browsers."""

    def open_targets(self, status: BrowserStatus) -> frozenset[str]:
        """The targets of its open tabs."""

    def lost(self, status: BrowserStatus) -> None:
        """Its connection is lost, and is being made again."""

    def restored(self, status: BrowserStatus) -> None:
        """Its connection is there again."""

    def ended(self, status: BrowserStatus, reason: str) -> None:
        """It is out of reach for good."""


class AttachedBrowsers:
    """Attaches and detaches. `watch` starts the capture of a browser; `listener` hears what happens to it.

    `own` is the daemon's own browser, which may be asked for by its address, too.
    """

    def __init__(
        self,
        own: BrowserStatus,
        watch: Callable[[BrowserLife], Awaitable[None]] | None = None,
        listener: Listener | None = None,
        *,
        strict: bool = False,
        allowed: Allowed = ONLY_HERE,
    ) -> None:
        self._own = own
        self._watch = watch
        self._listener = listener
        self._allowed = allowed
        self._strict = strict
        self._nursery: trio.Nursery | None = None
        self._count = 1
        self._running: dict[str, BrowserStatus] = {}
        self._over: BoundedDict[str, BrowserStatus] = BoundedDict(_BROWSERS_ENDED)
        self._scopes: dict[str, trio.CancelScope] = {}
        # Addresses that somebody is attaching to right now.
        self._attaching: dict[Identity, trio.Event] = {}

    def __iter__(self) -> Iterator[BrowserStatus]:
        """The attached browsers, then those that ended."""
        yield from (*self._running.values(), *self._over.values())

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Hold the browsers until cancelled."""
        async with trio.open_nursery() as self._nursery:
            task_status.started()
            await trio.sleep_forever()

    async def attach(self, ws_endpoint: str, headers: Headers = ()) -> BrowserStatus:
        """Attach to a browser on this machine, or on a host that a person allowed.

        Returns when everything that it opens from now on is captured. The same address gives the same browser. Raises
        GasolineError.
        """
        key = self._allowed.key(ws_endpoint)
        while key in self._attaching:
            await self._attaching[key].wait()
        for known in (self._own, *self._running.values()):
            if known.address and known.state not in ("gone", "detached") and key == identity_of(known.address):
                return known
        if self._nursery is None:
            raise GasolineError(Code.BROWSER_FAILED, "This daemon is not running.")
        if len(self._running) >= _BROWSERS_ATTACHED:
            raise GasolineError(
                Code.RATE_LIMITED,
                f"{_BROWSERS_ATTACHED} browsers are attached already. Detach one: DELETE /browsers/NAME.",
            )
        attached = self._attaching[key] = trio.Event()
        try:
            status: BrowserStatus = await self._nursery.start(
                self._live, Attached(ws_endpoint=ws_endpoint, headers=headers, ca_file=self._allowed.ca_file)
            )
        finally:
            del self._attaching[key]
            attached.set()
        return status

    def detach(self, browser_id: str) -> BrowserStatus:
        """Let go of a browser, and leave it running. Raises `no_such_browser`."""
        status = self._running.get(browser_id)
        if status is None:
            known = ", ".join(self._running) or "none"
            raise GasolineError(
                Code.NO_SUCH_BROWSER, f"No browser {browser_id[:40]!r} was attached by request; those are: {known}."
            )
        status.state = "detached"
        self._scopes[browser_id].cancel()
        return status

    async def check_alive(self) -> None:
        """Ask those that have been silent for a while; see `browser.liveness`."""
        async with trio.open_nursery() as nursery:
            for status in self._running.values():
                if status.check_alive is not None:
                    nursery.start_soon(status.check_alive)

    async def _live(self, provider: Attached, *, task_status: trio.TaskStatus[BrowserStatus]) -> None:
        """One browser, from the first command to its end, over all connections to it."""
        self._count += 1
        status = BrowserStatus(mode="attached", browser_id=f"b{self._count}", address=provider.ws_endpoint or "")
        reconnection = Reconnection(status, patient=False)
        with trio.CancelScope() as scope:
            try:
                await self._connect(provider, status, reconnection, lambda: self._begun(status, scope, task_status))
                while reconnection.is_lost and await reconnection.pause():
                    try:
                        await self._connect(provider, status, reconnection, _ignore)
                    except GasolineError as error:
                        if not reconnection.goes_on(error):
                            break
            finally:
                self._end(status)

    def _begun(
        self, status: BrowserStatus, scope: trio.CancelScope, task_status: trio.TaskStatus[BrowserStatus]
    ) -> None:
        self._running[status.browser_id] = status
        self._scopes[status.browser_id] = scope
        task_status.started(status)

    def _end(self, status: BrowserStatus) -> None:
        """A browser is out of reach, or we let go of it. One that never began leaves nothing behind."""
        if self._running.pop(status.browser_id, None) is None:
            return
        del self._scopes[status.browser_id]
        self._over[status.browser_id] = status
        went_away = status.state != "detached"
        status.state = "gone" if went_away else "detached"
        if self._listener is not None:
            self._listener.ended(status, "the browser went away" if went_away else "the browser was detached")

    async def _connect(
        self, provider: Attached, status: BrowserStatus, reconnection: Reconnection, begun: Callable[[], None]
    ) -> None:
        """One connection, until it ends. `reconnection` then knows whether to try again."""

        def note(text: str) -> None:
            status.note, status.noted_at = text, time.monotonic()

        async with provider.open(status.browser_id, _ignore, strict=self._strict) as life:
            status.connected(life.connection)
            try:
                version = await self._begin(life)
                status.version, status.state = str(version.get("product", "")), "running"
                status.check_alive = life.alive_check(status, note)
                if reconnection.is_lost and self._listener is not None:
                    reconnection.restored(self._listener.open_targets(status))
                    self._listener.restored(status)
                begun()
                await life.connection.wait_closed()
            finally:
                status.check_alive = None
            ending = await life.ending()
            if ending.kind == "lost" and self._listener is not None:
                reconnection.lost(life, ending.message, self._listener.open_targets(status))
                self._listener.lost(status)

    async def _begin(self, life: AttachedLife) -> Params:
        try:
            with trio.fail_after(limits.START_SECONDS):
                version = await life.connection.root.send("Browser.getVersion")
                if self._watch is not None:
                    await self._watch(life)
        except (CdpClosed, CdpError) as error:
            raise await life.start_error(error) from error
        except trio.TooSlowError as error:
            raise too_slow() from error
        return version
