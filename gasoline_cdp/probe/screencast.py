"""Pictures of a tab as they are drawn, for a recording. Chrome sends the next one when the last was taken."""

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio
from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.cdp.connection import Params
from gasoline_cdp.cdp.tabs import Tab

# How often to look whether the tab is still there while it draws nothing.
_TAB_SECONDS = 0.5


@frozen
class Frame:
    """A picture as base64, and when it was drawn."""

    data: str
    ts: float


@asynccontextmanager
async def open_screencast(tab: Tab) -> AsyncIterator[AsyncIterator[Frame]]:
    """Frames until the tab is closed or has crashed. Chrome sends two at most that nobody has taken."""
    waiting: deque[Params] = deque()
    arrived = trio.Event()

    def came(params: Params) -> None:
        waiting.append(params)
        arrived.set()

    async def frames() -> AsyncIterator[Frame]:
        nonlocal arrived
        while tab.state == "open":
            with trio.move_on_after(_TAB_SECONDS):
                await arrived.wait()
            arrived = trio.Event()
            while waiting:
                params = waiting.popleft()
                metadata = params.get("metadata") or {}
                yield Frame(str(params.get("data", "")), float(metadata.get("timestamp") or 0.0))
                tab.session.post("Page.screencastFrameAck", {"sessionId": params.get("sessionId")})
                # The page is not drawn more often than that for us.
                await trio.sleep(limits.RECORD_FRAME_SECONDS)

    with tab.session.listening("Page.screencastFrame", came):
        size = {"maxWidth": limits.RECORD_SIDE, "maxHeight": limits.RECORD_SIDE}
        await tab.session.send("Page.startScreencast", {"format": "jpeg", "quality": 80, "everyNthFrame": 1, **size})
        try:
            yield frames()
        finally:
            if tab.state != "closed":
                tab.session.post("Page.stopScreencast")
