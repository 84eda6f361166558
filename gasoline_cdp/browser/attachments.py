"""The browsers that programs ask us to attach to, each with a life of its own.

A test runner starts one for each of its workers. The end of one touches no other, and we never close any.
"""

import ipaddress
import time
from collections.abc import Awaitable, Callable, Iterator
from urllib.parse import urlsplit

import trio

from gasoline_cdp import limits
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.browser.attached import Attached, AttachedLife
from gasoline_cdp.browser.provider import too_slow
from gasoline_cdp.browser.status import BrowserStatus
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Connection, Params
from gasoline_cdp.errors import Code, GasolineError

_PATH = "/devtools/browser/"
# One for each worker of a test runner, and some. Those that ended are listed until others take their place.
_BROWSERS_ATTACHED = 64
_BROWSERS_ENDED = 20


def _ignore(*_: object) -> None:
    """Nobody wants to know."""


class AttachedBrowsers:
    """Attaches and detaches. `watch` starts the capture of a browser, `ended` says how it ended.

    `own` is the daemon's own browser, which may be asked for by its address, too.
    """

    def __init__(
        self,
        own: BrowserStatus,
        watch: Callable[[Connection], Awaitable[None]] | None = None,
        ended: Callable[[BrowserStatus, str], None] = _ignore,
        *,
        strict: bool = False,
    ) -> None:
        self._own = own
        self._watch = watch
        self._ended = ended
        self._strict = strict
        self._nursery: trio.Nursery | None = None
        self._count = 1
        self._running: dict[str, BrowserStatus] = {}
        self._over: BoundedDict[str, BrowserStatus] = BoundedDict(_BROWSERS_ENDED)
        self._scopes: dict[str, trio.CancelScope] = {}
        # Addresses that somebody is attaching to right now.
        self._attaching: dict[tuple[int | None, str], trio.Event] = {}

    def __iter__(self) -> Iterator[BrowserStatus]:
        """The attached browsers, then those that ended."""
        yield from (*self._running.values(), *self._over.values())

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Hold the browsers until cancelled."""
        async with trio.open_nursery() as self._nursery:
            task_status.started()
            await trio.sleep_forever()

    async def attach(self, ws_endpoint: str) -> BrowserStatus:
        """Attach to a browser on this machine. Returns when everything that it opens from now on is captured.

        The same address gives the same browser. Raises GasolineError.
        """
        key = _key(ws_endpoint)
        while key in self._attaching:
            await self._attaching[key].wait()
        for known in (self._own, *self._running.values()):
            if known.address and known.state not in ("gone", "detached") and _key(known.address) == key:
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
            status: BrowserStatus = await self._nursery.start(self._live, ws_endpoint)
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

    async def _live(self, address: str, *, task_status: trio.TaskStatus[BrowserStatus]) -> None:
        """One browser, from the first command to its end."""
        self._count += 1
        status = BrowserStatus(mode="attached", browser_id=f"b{self._count}", address=address)

        def note(text: str) -> None:
            status.note, status.noted_at = text, time.monotonic()

        with trio.CancelScope() as scope:
            async with Attached(ws_endpoint=address).open(status.browser_id, _ignore, strict=self._strict) as life:
                try:
                    version = await self._begin(life)
                    status.version, status.state = str(version.get("product", "")), "running"
                    status.check_alive = life.alive_check(status, note)
                    self._running[status.browser_id] = status
                    self._scopes[status.browser_id] = scope
                    task_status.started(status)
                    await life.connection.wait_closed()
                finally:
                    if self._running.pop(status.browser_id, None):
                        del self._scopes[status.browser_id]
                        self._over[status.browser_id] = status
                    status.check_alive = None
                    # Otherwise we let go of it ourselves.
                    went_away = bool(life.connection.closed_reason)
                    status.state = "gone" if went_away else "detached"
                    self._ended(status, "the browser went away" if went_away else "the browser was detached")

    async def _begin(self, life: AttachedLife) -> Params:
        try:
            with trio.fail_after(limits.START_SECONDS):
                version = await life.connection.root.send("Browser.getVersion")
                if self._watch is not None:
                    await self._watch(life.connection)
        except (CdpClosed, CdpError) as error:
            raise await life.start_error(error) from error
        except trio.TooSlowError as error:
            raise too_slow() from error
        return version


def _key(ws_endpoint: str) -> tuple[int | None, str]:
    """What identifies a browser on this machine: its port, and the path, which is random. Raises `invalid_params`."""
    try:
        parts = urlsplit(ws_endpoint)
        if parts.scheme == "ws" and _is_loopback(parts.hostname or "") and parts.path.startswith(_PATH):
            return parts.port, parts.path
    except ValueError:
        pass
    raise GasolineError(
        Code.INVALID_PARAMS,
        f"ws_endpoint must be the address of a browser on this machine, such as ws://127.0.0.1:9222{_PATH}UUID, "
        f"not {ws_endpoint[:60]!r}.",
        problems=["ws_endpoint is no debugging address of this machine"],
    )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
