"""Runs a browser from start to end. Whatever happens to us, none of its processes outlives us."""

import logging
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import trio
from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.chrome.flags import Viewport, chrome_flags, small_dev_shm
from gasoline_cdp.chrome.profile import ACTIVE_PORT, clear_leftovers, read_active_port
from gasoline_cdp.chrome.stderr_tail import StderrTail, exit_error
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.nurseries import open_hidden_nursery

if sys.platform == "win32":
    from gasoline_cdp.chrome.windows import Child, spawn
else:
    from gasoline_cdp.chrome.posix import Child, spawn

log = logging.getLogger(__name__)

_HAS_PIPE = sys.platform != "win32"


@frozen(kw_only=True)
class Launch:
    """How to start a browser. Without `pipe` we connect to its port: any free one unless given."""

    browser: Path
    profile: Path
    headless: bool
    debug_port: int | None = None
    no_sandbox: bool = False
    extra: tuple[str, ...] = ()
    viewport: Viewport | None = None
    pipe: bool = _HAS_PIPE

    @property
    def port(self) -> int | None:
        """The debugging port to request, 0 for any."""
        return 0 if self.debug_port is None and not self.pipe else self.debug_port

    def command(self) -> list[str]:
        """Return the program and its arguments.

        On POSIX there is a pipe even if we connect to the port: it closes if we are killed, and Chrome exits with it.
        """
        flags = chrome_flags(
            profile=self.profile,
            headless=self.headless,
            viewport=self.viewport,
            pipe=_HAS_PIPE,
            debug_port=self.port,
            no_sandbox=self.no_sandbox,
            small_shm=small_dev_shm(),
            extra=self.extra,
        )
        return [str(self.browser), *flags]


class ChromeProcess:
    """A browser started by `open_chrome`, which also ends it."""

    def __init__(self, child: Child, launch: Launch) -> None:
        self.pid = child.pid
        # The debugging pipe, closed by `open_chrome`; None if we connect to the port.
        self.to_chrome: trio.abc.SendStream | None = child.to_chrome if launch.pipe else None
        self.from_chrome: trio.abc.ReceiveStream | None = child.from_chrome if launch.pipe else None
        # A negative number is the signal that ended it, as in `subprocess`.
        self.returncode: int | None = None
        # Sends Browser.close. Set by whoever has the connection.
        self.close_politely: Callable[[], Awaitable[object]] | None = None
        self._child = child
        self._launch = launch
        self._stderr = StderrTail()
        self._exited = trio.Event()
        self._cleared = trio.Event()
        # A cancelled caller still needs to see the end of the browser in order to close it.
        self._watching = trio.CancelScope(shield=True)

    @property
    def stderr_tail(self) -> list[str]:
        """The last lines of the browser's stderr, most of them harmless."""
        return self._stderr.tail()

    async def wait_exited(self) -> int:
        """Wait until the browser's main process has ended; return its code. Any number of tasks may wait."""
        await self._exited.wait()
        assert self.returncode is not None  # noqa: S101 set before the event
        return self.returncode

    async def wait_debug_address(self) -> str:
        """Wait for the WebSocket address of a browser with a debugging port."""
        if self._launch.port is None:
            raise RuntimeError("the browser was started without a debugging port")
        while (address := self._debug_address()) is None:
            if self.returncode is not None:
                raise self.exit_error()
            if self._stderr.no_debug_port:
                raise self._port_taken()
            with trio.move_on_after(limits.LOOK_AGAIN_SECONDS):
                await self._exited.wait()
        if not address.startswith("ws://127.0.0.1:"):
            # Chrome would take the same port on [::1], and a client of 127.0.0.1 would reach another program.
            raise self._port_taken()
        return address

    def _port_taken(self) -> GasolineError:
        return GasolineError(
            Code.BROWSER_FAILED,
            f"The browser cannot listen on debugging port {self._launch.port}, "
            "which another program may be using: choose another port, or 0 for any free one.",
            stderr=self.stderr_tail,
        )

    def _debug_address(self) -> str | None:
        # Chrome writes only a port of its own choice to the file. A requested one is printed on stderr.
        if self._stderr.debug_address:
            return self._stderr.debug_address
        address = read_active_port(self._launch.profile / ACTIVE_PORT)
        # The file may be there before its second line.
        return address if address and "/devtools/browser/" in address else None

    def exit_error(self) -> GasolineError:
        """Build the error that says why the browser exited, or that it does not answer."""
        return exit_error(self.returncode, self.stderr_tail, self._launch.profile, self.pid)

    async def _watch(self) -> None:
        """Wait for the end of the browser, then of its helpers."""
        with self._watching:
            returncode = await self._child.wait_exit()
            self._stderr.feed(self._child.read_stderr_nowait())
            self.returncode = returncode
            self._exited.set()
            await self._child.clear_group()
            self._cleared.set()

    async def _drain_stderr(self) -> None:
        """Read continuously: a full pipe would block the browser."""
        with trio.CancelScope(shield=True):
            while data := await self._child.read_stderr():
                self._stderr.feed(data)

    async def _close(self) -> None:
        """Ask, terminate, kill; then reap everything."""
        try:
            if self.returncode is None:
                await self._ask_to_close()
            if self.returncode is None:
                self._child.terminate()
                with trio.move_on_after(limits.TERMINATE_SECONDS):
                    await self._exited.wait()
        finally:
            # Also on a second Ctrl-C.
            if self.returncode is None:
                self._child.kill()
        with trio.move_on_after(limits.REAP_SECONDS) as reaping:
            await self._cleared.wait()
        if reaping.cancelled_caught:
            log.error("browser process %d does not end although killed", self.pid)
            self._watching.cancel()
        await self._child.aclose()

    async def _ask_to_close(self) -> None:
        with trio.move_on_after(limits.CLOSE_SECONDS):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._request_close)
                await self._exited.wait()
                nursery.cancel_scope.cancel()

    async def _request_close(self) -> None:
        if self.close_politely is not None:
            try:
                await self.close_politely()
            except Exception as error:  # noqa: BLE001 whatever it was, the next rung of the ladder follows
                log.debug("the browser could not be asked to close: %s", type(error).__name__)
        await self._child.close_pipe()


@asynccontextmanager
async def open_chrome(launch: Launch) -> AsyncIterator[ChromeProcess]:
    """Start a browser, and end it with all its helpers when the block is left, cancelled or not.

    It is asked to close, then terminated (SIGTERM), then killed: at most 1.6 s for one that hangs. A browser that exits
    by itself raises nothing here: see `ChromeProcess.wait_exited` and `exit_error`.
    """
    clear_leftovers(launch.profile)
    async with open_hidden_nursery() as nursery:
        try:
            child = await spawn(launch.command())
        except OSError as error:
            raise GasolineError(
                Code.BROWSER_FAILED,
                f"{launch.browser} cannot be started ({error.strerror or error}): name another with --browser.",
            ) from error
        chrome = ChromeProcess(child, launch)
        nursery.start_soon(chrome._watch)  # noqa: SLF001 the two are one
        nursery.start_soon(chrome._drain_stderr)  # noqa: SLF001
        try:
            yield chrome
        finally:
            with trio.CancelScope(shield=True):
                await chrome._close()  # noqa: SLF001
