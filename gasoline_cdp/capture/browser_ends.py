"""Records what happens to the connection of a browser: whoever has a page open in it must know."""

from attrs import frozen

from gasoline_cdp.browser.status import BrowserStatus
from gasoline_cdp.capture.page import Capture, browser_source


@frozen
class BrowserEnds:
    """The daemon's own browser, and attached ones."""

    capture: Capture

    def open_targets(self, status: BrowserStatus) -> frozenset[str]:
        """The targets of its open tabs."""
        return self.capture.tabs.open_targets(status.browser_id)

    def lost(self, status: BrowserStatus) -> None:
        """The connection is lost, and is being made again."""
        for tab in self.capture.tabs.open(status.browser_id):
            self.capture.say("error", "The connection to the browser was lost while this page was open.", tab.source)
        self.capture.say("error", status.note, browser_source(status.browser_id))
        self.capture.browser_gone(status.browser_id, "the connection to the browser was lost")

    def restored(self, status: BrowserStatus) -> None:
        """The connection is there again."""
        self.capture.say("warning", status.note, browser_source(status.browser_id))

    def ended(self, status: BrowserStatus, reason: str) -> None:
        """An attached browser is out of reach for good."""
        browser_id, tabs = status.browser_id, self.capture.tabs
        open_tabs = [*tabs.open(browser_id), *filter(None, (tabs.by_target(one, browser_id) for one in status.lost))]
        by_context = {tab.source.context_id: tab for tab in open_tabs}
        self.capture.browser_gone(browser_id, reason)
        if status.state == "gone":
            status.note = f"The browser {browser_id} went away{' with open pages' if open_tabs else ''}."
            for tab in by_context.values():
                self.capture.say("error", "The browser went away while this page was open.", tab.source)
        text = status.note if status.state == "gone" else f"The browser {browser_id} was detached."
        self.capture.say("info", text, browser_source(browser_id))
