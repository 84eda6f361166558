"""Whether an attached browser still answers.

A connection through a proxy stays open when what is behind it has gone: the session of a grid that was deleted, a
machine that was put to sleep. The browser is asked only when somebody looks and nothing has come for a while. A
regular question would keep a session alive that its owner has abandoned.
"""

import time
from collections.abc import Callable

import trio

from gasoline_cdp.browser.status import BrowserStatus
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Connection

# A browser from which nothing has come for so long is asked, and has so long to answer.
QUIET_SECONDS = 10.0
_ALIVE_SECONDS = 3.0


async def check_alive(connection: Connection, browser: BrowserStatus, note: Callable[[str], None]) -> None:
    """Ask for a sign of life if none has come of late, and say in `browser` whether there is one."""
    if browser.state not in ("running", "silent"):
        return
    if connection.quiet_seconds() >= QUIET_SECONDS:
        if browser.state == "silent":
            # Whoever asks now need not wait: an answer is noticed at the next question.
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
