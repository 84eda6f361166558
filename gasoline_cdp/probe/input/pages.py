"""Moves tabs: opens addresses, goes back and forward, reloads, opens and closes tabs, answers dialogs."""

import trio

from gasoline_cdp.analysis.acting.steps import parse_address
from gasoline_cdp.cdp.connection import CdpError, Params
from gasoline_cdp.cdp.tabs import Tab, Tabs
from gasoline_cdp.probe.input.refusals import Refused
from gasoline_cdp.probe.input.replies import send_input
from gasoline_cdp.probe.opening import open_tab
from gasoline_cdp.redact import safe_text


async def open_address(tab: Tab, value: str) -> str:
    """Navigate, and wait until the new document is there. A dialog of the page may keep it."""
    address = parse_address(value)
    if tab.state == "crashed":
        # It answers nothing but a navigation.
        await _until_moved(tab, "Page.navigate", {"url": address})
        return ""
    # A round trip after the enables were posted: without it, a new tab loses its first requests.
    await tab.session.send("Page.enable")
    reply = await send_input(tab, "Page.navigate", [{"url": address}])
    failure = str((reply or {}).get("errorText") or "")
    if failure and failure != "net::ERR_ABORTED":
        raise Refused(f"{safe_text(address, 200)} did not load: {safe_text(failure, 100)}", final=True)
    return "it became a download" if failure else ""


async def reload(tab: Tab) -> str:
    """Load the page again."""
    await _until_moved(tab, "Page.reload", {})
    return ""


async def go_in_history(tab: Tab, by: int) -> str:
    """Go back (-1) or forward (1)."""
    history = await tab.session.send("Page.getNavigationHistory")
    index = int(history["currentIndex"]) + by
    entries = history["entries"]
    # A tab of ours begins empty, and nobody wants to go back to that.
    empty = index == 0 and len(entries) > 1 and entries[0].get("url") == "about:blank"
    if not 0 <= index < len(entries) or empty:
        raise Refused(f"there is no page to go {'back' if by < 0 else 'forward'} to", final=True)
    await _until_moved(tab, "Page.navigateToHistoryEntry", {"entryId": entries[index]["id"]})
    return ""


async def _until_moved(tab: Tab, method: str, params: Params) -> None:
    """Send it, and wait until the tab shows another document or address, or a dialog."""
    moved = trio.Event()

    def navigated(event: Params) -> None:
        if not (event.get("frame") or {}).get("parentId"):
            moved.set()

    def moved_within(event: Params) -> None:
        if event.get("frameId") == tab.target_id:
            moved.set()

    def dialog_opened(_: Params) -> None:
        moved.set()

    with (
        tab.session.listening("Page.frameNavigated", navigated),
        tab.session.listening("Page.navigatedWithinDocument", moved_within),
        tab.session.listening("Page.javascriptDialogOpening", dialog_opened),
    ):
        await send_input(tab, method, [params])
        await moved.wait()


async def open_new_tab(tab: Tab, tabs: Tabs) -> Tab:
    """Open an empty tab in the profile of another one."""
    root = tab.session.connection.root
    contexts = (await root.send("Target.getBrowserContexts")).get("browserContextIds") or []
    context_id = tab.source.context_id
    return await open_tab(root, tabs, context_id if context_id in contexts else "")


async def close_tab(tab: Tab, tabs: Tabs) -> str:
    """Close a tab as a person does: its page may ask whether to leave."""
    if len(list(tabs.open(tab.source.browser_id))) == 1:
        raise Refused("it is the only tab, and the browser would end with it", final=True)
    gone = trio.Event()

    def detached(event: Params) -> None:
        if event.get("sessionId") == tab.session.session_id:
            gone.set()

    def dialog_opened(_: Params) -> None:
        gone.set()

    root = tab.session.connection.root
    with (
        root.listening("Target.detachedFromTarget", detached),
        tab.session.listening("Page.javascriptDialogOpening", dialog_opened),
    ):
        tab.session.post("Page.close")
        await gone.wait()
    return ""


async def answer_dialog(tab: Tab, *, accept: bool, text: str | None = None) -> str:
    """Answer the dialog that is open."""
    kind = tab.dialog
    params: Params = {"accept": accept, **({"promptText": text} if text is not None else {})}
    closed = trio.Event()
    with tab.session.listening("Page.javascriptDialogClosed", lambda _: closed.set()):
        try:
            await tab.session.send("Page.handleJavaScriptDialog", params)
        except CdpError as error:
            raise Refused("somebody else answered the dialog", final=True) from error
        await closed.wait()
    return f"{'accepted' if accept else 'dismissed'} the {kind}"
