"""What tests of the pilot share: pictures of a page, its badge, and what goes to the browser."""

from base64 import b64decode
from typing import Any

import pytest
import trio

from gasoline_cdp.cdp.connection import Connection, Session
from tests.support import PATIENCE, Watch

SIGNED = "document.documentElement ? getComputedStyle(document.documentElement, '::after').content : ''"


async def signed(watch: Watch, wanted: bool) -> None:
    """Wait until the page in front shows the badge, or shows it no more."""
    with trio.fail_after(PATIENCE):
        while ("pilot" in await watch.evaluate(SIGNED)) is not wanted:
            pass


async def picture(session: Session) -> bytes:
    """The visible page, what the browser draws above it included. Never a part: that is drawn otherwise."""
    reply = await session.send("Page.captureScreenshot", {"format": "png"})
    return b64decode(reply["data"])


def record_traffic(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every command that goes to the browser from here on."""
    sent: list[str] = []
    write = Connection.write

    def recorded(self: Connection, session: Any, method: str, params: Any, *, awaited: bool) -> Any:
        sent.append(method)
        return write(self, session, method, params, awaited=awaited)

    monkeypatch.setattr(Connection, "write", recorded)
    return sent
