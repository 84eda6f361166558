"""The current state of the browser, for answers."""

import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Literal

import trio
from attrs import Factory, define, frozen

from gasoline_cdp import limits, remote_limits
from gasoline_cdp.cdp.connection import Connection
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.records import FIRST_BROWSER

# none: a daemon without a browser of its own.
Mode = Literal["launched", "attached", "none"]
State = Literal["starting", "running", "silent", "restarting", "reconnecting", "gone", "detached", "none"]


@frozen(kw_only=True)
class Gap:
    """A time during which nothing of a browser was seen, since its connection was lost."""

    since: float
    until: float
    reason: str


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
    # Whether no answer has had `note` yet. The next one has it, however late it comes.
    untold: bool = False
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
    # The last times at which nothing was seen, and how many there were.
    gaps: deque[Gap] = Factory(lambda: deque(maxlen=remote_limits.GAPS_KEPT))
    gaps_total: int = 0
    # Targets of the tabs that were open when the connection was lost, until it is there again.
    lost: frozenset[str] = frozenset()
    # The connection, and the processor time that earlier ones took us.
    connection: Connection | None = None
    _earlier_seconds: float = 0.0

    def connected(self, connection: Connection) -> None:
        """There is a connection to it, instead of an earlier one."""
        self._earlier_seconds, self.connection = self.busy_seconds, connection

    @property
    def busy_seconds(self) -> float:
        """Processor time that its messages have taken us."""
        return self._earlier_seconds + (self.connection.busy_seconds if self.connection is not None else 0.0)

    def tell(self, text: str) -> None:
        """Say this in the next answer, whenever that is."""
        self.note, self.noted_at, self.untold = text, time.monotonic(), True
