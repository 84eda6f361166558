"""Gives pages the requested size, whatever the window's borders take."""

from contextlib import suppress

import trio

from gasoline_cdp import limits
from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.connection import CdpError, Session
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.world import call_in_world
from gasoline_cdp.chrome.flags import Viewport


async def set_viewport(root: Session, tab: Tab, wanted: Viewport) -> Viewport:
    """Resize the tab's window until its page has this size. Returns the resulting size."""
    actual = await _viewport_of(tab)
    if actual == wanted:
        return actual
    window = await root.send("Browser.getWindowForTarget", {"targetId": tab.target_id})
    try:
        size = {"width": wanted.width, "height": wanted.height}
        await root.send("Browser.setContentsSize", {"windowId": window["windowId"], **size})
    except CdpError:
        # A version without this command: change the window by the difference.
        bounds = {
            "width": window["bounds"]["width"] + wanted.width - actual.width,
            "height": window["bounds"]["height"] + wanted.height - actual.height,
        }
        with suppress(CdpError):
            await root.send("Browser.setWindowBounds", {"windowId": window["windowId"], "bounds": bounds})
    # Chrome replies before the page has its size, and sends no event.
    with trio.move_on_after(limits.WINDOW_SECONDS):
        while (actual := await _viewport_of(tab)) != wanted:  # noqa: ASYNC110 - no event tells
            await trio.sleep(limits.LOOK_AGAIN_SECONDS)
    return actual


async def _viewport_of(tab: Tab) -> Viewport:
    size: dict[str, int] = await call_in_world(tab.session, page_script("window_size"))
    return Viewport(size["width"], size["height"])
