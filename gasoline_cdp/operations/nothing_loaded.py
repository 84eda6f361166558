"""Recognises a browser without any loaded page, which has no errors either, and says what to do about it."""

from gasoline_cdp.browser.status import BrowserStatus
from gasoline_cdp.capture.page import Capture
from gasoline_cdp.records import OWN_WORDS
from gasoline_cdp.store.telemetry import Telemetry

NOTHING_LOADED = "Nothing is known: no page has been loaded yet."
_BLANK = ("about:blank", "chrome://newtab", "chrome://new-tab-page")


def nothing_loaded(capture: Capture, telemetry: Telemetry) -> bool:
    """Whether there are tabs, and none of them ever loaded a page."""
    tabs = list(capture.tabs.open())
    if not tabs or not all(not tab.raw_url or tab.raw_url.startswith(_BLANK) for tab in tabs):
        return False
    if telemetry.network.received or capture.ingest.batches or any(True for _ in capture.network.in_flight()):
        return False
    # A script may have been run in an empty page.
    return all(record.kind in OWN_WORDS for record in telemetry.logs.newest())


def what_to_ask_for(browser: BrowserStatus, *, pilot: bool) -> str:
    """What the assistant should do next: open a page if the pilot is on, else ask the person."""
    fact = "No page has been loaded yet: the browser shows about:blank."
    if pilot:
        return f"{fact} Open one: execute_javascript with location.href = 'http://localhost:3000/' (the app's address)."
    if browser.mode == "attached":
        return f"{fact} Ask the person to open the app in the browser that gasoline-cdp is attached to."
    again = (
        "to run `gasoline-cdp launch URL` in a terminal, or to put the app's URL behind `mcp` in the editor's MCP "
        "configuration and restart the server; with --pilot there you could open pages yourself."
    )
    if browser.headless:
        return f"{fact} This browser has no window: ask the person {again}"
    return f"{fact} Ask the person to open the app in the window of gasoline-cdp, or {again}"
