"""Checks whether an attached browser still answers.

A connection through a proxy stays open when the browser behind it is gone: a deleted grid session, a machine that
sleeps. The browser is asked only when somebody looks and it has been silent for a while. A regular ping would keep a
session alive that its owner has abandoned.
"""

import time
from collections.abc import Callable

import trio

from gasoline_cdp.browser.status import BrowserStatus
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Connection

# A browser silent for this long is asked, and has this long to answer.
QUIET_SECONDS = 10.0
_ALIVE_SECONDS = 3.0


async def check_alive(connection: Connection, browser: BrowserStatus, note: Callable[[str], None]) -> None:
    """Ask a silent browser for a sign of life, and record the result in `browser`."""
    if browser.state not in ("running", "silent"):
        return
    if connection.quiet_seconds() >= QUIET_SECONDS:
        if browser.state == "silent":
            # The caller need not wait: a reply is noticed at the next check.
            connection.root.post("Browser.getVersion")
        else:
            with trio.move_on_after(_ALIVE_SECONDS):
                try:
                    await connection.root.send("Browser.getVersion")
                except (CdpError, CdpClosed):
                    return
    silent = connection.quiet_seconds() >= QUIET_SECONDS
    if silent and browser.state == "running":
        browser.state = "silent"
        note(
            f"The attached browser has not answered for {connection.quiet_seconds():.0f} s: the connection is down, or "
            "its session has ended. What was captured is still here. If it does not come back, run "
            "`gasoline-cdp attach` again."
        )
    elif not silent and browser.state == "silent":
        browser.state = "running"
        browser.note = "The attached browser answers again. What happened in between may be missing."
        browser.noted_at = time.monotonic()
