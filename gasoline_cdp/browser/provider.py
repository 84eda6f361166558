"""The interface of browser providers. The daemon knows nothing else about them."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import ClassVar, Literal, Protocol

from attrs import field, frozen

from gasoline_cdp import limits
from gasoline_cdp.browser.status import BrowserStatus, Mode
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Connection
from gasoline_cdp.cdp.named_tabs import ALL_TABS, NamedTabs
from gasoline_cdp.chrome.flags import Viewport
from gasoline_cdp.errors import Code, GasolineError

Say = Callable[[str], None]
# What a person is told while their own Chrome waits for an answer.
CONSENT = (
    'Your Chrome asks now whether to "Allow remote debugging?": click Allow there. Nothing else is needed; this waits '
    "as long as you like, and asks once."
)


@frozen
class Ending:
    """How a browser's life ended, and a sentence about it."""

    # closed: by a person. crashed: unintentionally. gone: out of our reach, for whatever reason. lost: only the
    # connection to it; it is worth trying again.
    kind: Literal["closed", "crashed", "gone", "lost"]
    message: str


@frozen(kw_only=True)
class BrowserLife(ABC):
    """A connected browser: from its start, or from when we attached, to its end."""

    connection: Connection
    pid: int | None = None
    headless: bool | None = None
    # The size for its pages; None leaves it as it is.
    viewport: Viewport | None = None
    # Where other clients can connect to it; empty if we do not say.
    debug_url: str = ""
    # Its debugging address, by which somebody may ask us to attach to it again; empty if it has none.
    address: str = field(default="", repr=False)
    # The only tabs to attach to, if a person named some.
    named_tabs: NamedTabs = ALL_TABS

    @abstractmethod
    async def start_error(self, error: CdpClosed | CdpError) -> GasolineError:
        """Why the first commands to it failed."""

    @abstractmethod
    async def ending(self) -> Ending:
        """How it ended. Called after its connection has closed."""

    def alive_check(
        self,
        status: BrowserStatus,  # noqa: ARG002 - as above
        note: Callable[[str], None],  # noqa: ARG002 - as above
    ) -> Callable[[], Awaitable[None]] | None:
        """A check whether it still answers; None if its end closes the connection in any case."""
        return None


class Provider(Protocol):
    """Provides browsers, one at a time. It holds the options of a person, and no state."""

    # Its name in answers.
    mode: ClassVar[Mode]
    # We start and close it: we capture it from its first request on, and may use its first tab.
    owned: ClassVar[bool]
    # Whether to start another one after a crash.
    may_restart: ClassVar[bool]
    # What a person is asked before it can be used, as a sentence; empty if nothing.
    question: ClassVar[str]

    def open(self, browser_id: str, say: Say, *, strict: bool) -> AbstractAsyncContextManager[BrowserLife]:
        """Connect to a browser until the block ends. Raises GasolineError if there is none."""


def too_slow() -> GasolineError:
    """Build the error for a browser that does not answer in time when it starts."""
    return GasolineError(
        Code.BROWSER_FAILED,
        f"The browser did not answer within {limits.START_SECONDS:.0f} s. `gasoline-cdp doctor` checks the machine.",
    )
