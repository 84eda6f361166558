"""A browser as an entry, in `status` and over HTTP."""

from attrs import frozen

from gasoline_cdp.answers.lines import Line, Tone
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.browser.status import BrowserStatus
from gasoline_cdp.operations.context import Context


@frozen(kw_only=True)
class BrowserEntry:
    """A browser: its name in records and filters, and its state."""

    browser: str
    state: str
    mode: str
    version: str
    tabs: int
    note: str | None = None

    def line(self) -> Line:
        """Its version and state, and what happened to it."""
        words = (self.version, self.mode, self.state if self.state != "running" else "", number_of(self.tabs, "tab"))
        note = f". {self.note}" if self.note else ""
        tone: Tone = "plain" if self.state == "running" else "warning"
        return Line(", ".join(filter(None, words)) + note, tag=f"browser {self.browser}", tone=tone)


def show_browser(status: BrowserStatus, context: Context) -> BrowserEntry:
    """A browser as an entry."""
    return BrowserEntry(
        browser=status.browser_id,
        state=status.state,
        mode=status.mode,
        version=status.version,
        tabs=sum(1 for _ in context.tabs.open(status.browser_id)),
        note=status.note or None,
    )
