"""No browser of the daemon's own: it has only those that programs ask it to attach to."""

from contextlib import AbstractAsyncContextManager
from typing import ClassVar

from attrs import frozen

from gasoline_cdp.browser.provider import BrowserLife, Say
from gasoline_cdp.browser.status import Mode
from gasoline_cdp.errors import Code, GasolineError


@frozen(kw_only=True)
class NoBrowser:
    """For a test runner that starts its own browsers."""

    mode: ClassVar[Mode] = "none"
    owned: ClassVar[bool] = False
    may_restart: ClassVar[bool] = False
    question: ClassVar[str] = ""

    def open(
        self,
        browser_id: str,  # noqa: ARG002 - part of the interface
        say: Say,  # noqa: ARG002 - as above
        *,
        strict: bool,  # noqa: ARG002 - as above
    ) -> AbstractAsyncContextManager[BrowserLife]:
        """See `Provider`. There is nothing to open."""
        raise GasolineError(Code.NO_BROWSER, "This daemon has no browser of its own.")
