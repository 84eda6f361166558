"""What every provider of a browser has in common; the daemon knows providers by this alone."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import ClassVar, Literal, Protocol

from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.browser.status import BrowserStatus, Mode
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Connection
from gasoline_cdp.chrome.flags import Viewport
from gasoline_cdp.errors import Code, GasolineError

Say = Callable[[str], None]


@frozen
class Ending:
    """How a browser's life ended, and the sentence that tells it."""

    # closed: by a person. crashed: against everybody's will. gone: out of our reach, whatever became of it.
    kind: Literal["closed", "crashed", "gone"]
    message: str


@frozen(kw_only=True)
class BrowserLife(ABC):
    """A browser that can be spoken to, from its start, or from when we attached, to its end."""

    connection: Connection
    pid: int | None = None
    headless: bool | None = None
    # The size that its pages are to have; None leaves it as it is.
    viewport: Viewport | None = None
    # Where other clients reach it; empty if that is not for us to tell.
    debug_url: str = ""

    @abstractmethod
    async def start_error(self, error: CdpClosed | CdpError) -> GasolineError:
        """Say why the first words to it failed."""

    @abstractmethod
    async def ending(self) -> Ending:
        """Say how it ended, after its connection has closed."""

    def alive_check(
        self,
        status: BrowserStatus,  # noqa: ARG002 - as above
        note: Callable[[str], None],  # noqa: ARG002 - as above
    ) -> Callable[[], Awaitable[None]] | None:
        """What finds out whether it still answers; None where its end closes the connection in any case."""
        return None


class Provider(Protocol):
    """Gives a browser, one life at a time. It holds what a person asked for, and no state."""

    # What answers call it.
    mode: ClassVar[Mode]
    # We start it and close it: it is known from its first request on, and the tab it comes with is ours to use.
    owned: ClassVar[bool]
    # Whether another life may follow a crash.
    may_restart: ClassVar[bool]

    def open(self, browser_id: str, say: Say, *, strict: bool) -> AbstractAsyncContextManager[BrowserLife]:
        """Connect to a browser until the block ends. Raises GasolineError if none can be had."""


def too_slow() -> GasolineError:
    """Build the error for a browser that does not answer in time when it starts."""
    return GasolineError(
        Code.BROWSER_FAILED,
        f"The browser did not answer within {limits.START_SECONDS:.0f} s. `gasoline-cdp doctor` checks the machine.",
    )
