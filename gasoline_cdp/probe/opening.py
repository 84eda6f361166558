"""Opens addresses in tabs, attached before they load, and reports if no server answered."""

from collections.abc import Callable
from urllib.parse import urlsplit

from gasoline_cdp.cdp.connection import Params, Session
from gasoline_cdp.cdp.tabs import Tab, Tabs
from gasoline_cdp.store.telemetry import Telemetry

# No server, or it closed the connection: Chrome reloads such a page after 1 s, 5 s, 30 s, and so on.
_RETRIED = ("net::ERR_CONNECTION_", "net::ERR_EMPTY_RESPONSE")


async def open_tab(root: Session, tabs: Tabs, context_id: str = "") -> Tab:
    """Open an empty tab. Never with the URL itself: such a tab does not wait for us, and we miss its first request."""
    where = {"browserContextId": context_id} if context_id else {}
    reply = await root.send("Target.createTarget", {"url": "about:blank", **where})
    target_id = str(reply.get("targetId", ""))
    root.connection.opened(target_id)
    tab = tabs.by_target(target_id, root.browser_id)
    while tab is None:
        # Chrome announces the attachment around this reply, before or after it.
        await root.send("Target.getTargets")
        tab = tabs.by_target(target_id, root.browser_id)
    return tab


async def show(tab: Tab, url: str, loaded: Callable[[bool], None]) -> None:
    """Navigate. `loaded` is called for this and each later page of the tab with whether the server answered."""

    def navigated(params: Params) -> None:
        frame: Params = params.get("frame") or {}
        if not frame.get("parentId") and frame.get("url") != "about:blank":
            # Chrome shows an error page of its own in place of one that did not load.
            loaded(not frame.get("unreachableUrl"))

    tab.session.on("Page.frameNavigated", navigated)
    # A round trip after the enables were posted: without it, the first navigation loses requests.
    await tab.session.send("Page.enable")
    tab.session.post("Page.navigate", {"url": url})


def newest_failure(telemetry: Telemetry, tab_id: int) -> str:
    """Why the newest request of a tab that failed did so. Empty if none failed."""
    requests = telemetry.network.newest()
    return next((one.failure for one in requests if one.source.tab_id == tab_id and one.failure), "")


def unreachable(url: str, failure: str) -> str:
    """The message for an address that did not load."""
    why = f" ({failure})" if failure else ""
    if failure.startswith(_RETRIED):
        return (
            f"{url} did not load{why}. Is its server running? The browser tries again by itself, less and less often; "
            "a reload is quicker."
        )
    return f"{url} did not load{why}. Check the address."


def same_site(shown: str, asked: str) -> bool:
    """Whether a page belongs to the requested site: a user may have navigated within it. Files must match exactly."""
    ours, theirs = urlsplit(shown), urlsplit(asked)
    return shown == asked or bool(theirs.netloc and ours[:2] == theirs[:2])
