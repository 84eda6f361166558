"""What is known of the browser at this moment, for answers."""

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Literal

import trio
from attrs import Factory, define

from gasoline_cdp import limits
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.records import FIRST_BROWSER

Mode = Literal["launched", "attached"]
State = Literal["starting", "running", "silent", "restarting", "gone"]


@define(eq=False)
class BrowserStatus:
    """Written by the daemon, read by the tools."""

    state: State = "starting"
    mode: Mode = "launched"
    # What sources call it; see `Source`.
    browser_id: str = FIRST_BROWSER
    version: str = ""
    pid: int | None = None
    headless: bool | None = None
    # The page's size, where it was set by us; and where other clients reach the browser, if it has a port.
    viewport: str = ""
    debug_url: str = ""
    # What happened last, in a sentence that ends in what will happen next.
    note: str = ""
    noted_at: float = 0.0
    # The address that was to be opened, and that no server answered at: a sentence that says what to do.
    unreachable: str = ""
    # Set once the browser can be spoken to, or cannot be had; and why it could never be had.
    begun: trio.Event | None = None
    failure: GasolineError | None = None
    # Finds out whether an attached browser still answers, and writes `state`.
    check_alive: Callable[[], Awaitable[None]] | None = None
    restarts: int = 0
    # Monotonic times of the crashes within the window that limits restarts.
    crashes: deque[float] = Factory(lambda: deque(maxlen=limits.RESTARTS + 1))
