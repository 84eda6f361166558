"""The current state of the browser, for answers."""

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Literal

import trio
from attrs import Factory, define

from gasoline_cdp import limits
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.records import FIRST_BROWSER

# none: a daemon without a browser of its own.
Mode = Literal["launched", "attached", "none"]
State = Literal["starting", "running", "silent", "restarting", "gone", "detached", "none"]


@define(eq=False)
class BrowserStatus:
    """Written by the daemon, read by the tools."""

    state: State = "starting"
    mode: Mode = "launched"
    # Its id in sources; see `Source`.
    browser_id: str = FIRST_BROWSER
    version: str = ""
    pid: int | None = None
    headless: bool | None = None
    # The page's size, if we set it; and where other clients can connect, if the browser has a port.
    viewport: str = ""
    debug_url: str = ""
    # Its debugging address, if it has one.
    address: str = ""
    # What happened last, as a sentence that ends in what happens next.
    note: str = ""
    noted_at: float = 0.0
    # A sentence about the start page, if no server answered there: what to do.
    unreachable: str = ""
    # Set once the browser is connected or has failed to start; and why it failed.
    begun: trio.Event | None = None
    failure: GasolineError | None = None
    # Checks whether an attached browser still answers, and sets `state`.
    check_alive: Callable[[], Awaitable[None]] | None = None
    restarts: int = 0
    # Monotonic times of the crashes within the window that limits restarts.
    crashes: deque[float] = Factory(lambda: deque(maxlen=limits.RESTARTS + 1))
