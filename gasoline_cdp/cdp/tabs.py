"""The tabs that are or were open, by the small numbers that answers use."""

from collections import OrderedDict
from collections.abc import Iterator

from attrs import define, field

from gasoline_cdp import limits
from gasoline_cdp.cdp.connection import Session
from gasoline_cdp.cdp.document_tags import DocumentTags
from gasoline_cdp.cdp.targets import Target
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.records import FIRST_BROWSER, Source
from gasoline_cdp.redact import safe_text, safe_url

NO_TAB = 0


@define(eq=False)
class Tab:
    """One tab. `raw_url` is the address as Chrome has it, kept to reopen the tab. Answers use `source.url`."""

    tab_id: int
    target_id: str
    session: Session
    raw_url: str
    title: str
    seen_from_start: bool
    source: Source
    state: str = "open"
    last_used: int = 0
    dialog: str = ""
    # An assistant acts in it, and may answer its dialogs.
    dialogs_wait: bool = False
    # Which analysis of ours keeps its main thread busy; empty if none.
    analysis: str = ""
    opener: int = NO_TAB
    # The address for which Chrome shows an error page; None if Chrome has not been asked.
    unreachable: str | None = None
    # We did not see its document being loaded: ask for its first requests once it has loaded.
    joined_late: bool = False
    # Loader id of the document it shows. It stays the same when the page rewrites its address.
    loader_id: str = ""
    # Shared by all tabs: what references say of which document they are.
    document_tags: DocumentTags = field(factory=DocumentTags)

    def moved(self, url: str, *, navigated: bool) -> None:
        """The tab shows another address. A navigation also gets a new number."""
        self.raw_url = url
        self.source = Source(
            tab_id=self.tab_id,
            kind="page",
            url=safe_url(url),
            navigation=self.source.navigation + (1 if navigated else 0),
            target_id=self.target_id,
            browser_id=self.source.browser_id,
            context_id=self.source.context_id,
        )
        if navigated:
            self.state = "open"


class Tabs:
    """The open tabs of all browsers, and those closed recently. A number stands for one tab of one browser."""

    def __init__(self) -> None:
        self._tabs: OrderedDict[int, Tab] = OrderedDict()
        self._uses = 0
        self._document_tags = DocumentTags()

    def opened(self, session: Session, target: Target, *, seen_from_start: bool) -> Tab:
        """Number a tab. One that we lost with the connection to its browser keeps its number."""
        lost = self.by_target(target.target_id, session.browser_id)
        if lost is not None and lost.state == "closed":
            return self._found_again(lost, session, target)
        tab_id = next(reversed(self._tabs), NO_TAB) + 1
        tab = self._tabs[tab_id] = Tab(
            tab_id=tab_id,
            target_id=target.target_id,
            session=session,
            raw_url=target.url,
            title=safe_text(target.title, limits.TITLE_CHARS),
            seen_from_start=seen_from_start,
            source=Source(
                tab_id,
                "page",
                safe_url(target.url),
                0,
                target.target_id,
                browser_id=session.browser_id,
                context_id=target.browser_context_id,
            ),
            document_tags=self._document_tags,
        )
        if target.opener_id and (opener := self.by_target(target.opener_id, session.browser_id)):
            tab.opener = opener.tab_id
        self.used(tab)
        for old in [tab for tab in self._tabs.values() if tab.state == "closed"]:
            if len(self._tabs) <= limits.TABS_REMEMBERED:
                break
            del self._tabs[old.tab_id]
        return tab

    def _found_again(self, tab: Tab, session: Session, target: Target) -> Tab:
        """A tab after a gap: its records before are its own, and what it did in between was not seen."""
        if session is not tab.session:
            tab.session, tab.seen_from_start, tab.dialog, tab.analysis = session, False, "", ""
        tab.moved(target.url, navigated=target.url != tab.raw_url)
        tab.state, tab.title = "open", safe_text(target.title, limits.TITLE_CHARS)
        return tab

    def open_targets(self, browser_id: str) -> frozenset[str]:
        """The ids of the targets of a browser's open tabs."""
        return frozenset(tab.target_id for tab in self.open(browser_id))

    def used(self, tab: Tab) -> None:
        """The tab that was opened or navigated last is the default tab."""
        self._uses += 1
        tab.last_used = self._uses

    def all_closed(self, browser_id: str) -> None:
        """A browser is gone with all its tabs."""
        for tab in self.open(browser_id):
            tab.state = "closed"

    def by_target(self, target_id: str, browser_id: str = FIRST_BROWSER) -> Tab | None:
        """The tab of a page target of a browser."""
        return next(
            (
                tab
                for tab in reversed(self._tabs.values())
                if tab.target_id == target_id and tab.source.browser_id == browser_id
            ),
            None,
        )

    def all(self) -> Iterator[Tab]:
        """The open tabs and those closed recently, the oldest first."""
        return iter(self._tabs.values())

    def open(self, browser_id: str | None = None) -> Iterator[Tab]:
        """The open tabs (or crashed ones, which a reload repairs) of all browsers or of one, last used first."""
        chosen = (
            tab for tab in self._tabs.values() if tab.state != "closed" and browser_id in (None, tab.source.browser_id)
        )
        return iter(sorted(chosen, key=lambda tab: -tab.last_used))

    def pick(self, tab_id: int | None) -> Tab:
        """The requested tab, or the most recently used one. Raises `no_such_tab` or `no_browser`."""
        if tab_id:
            tab = self._tabs.get(tab_id)
            if tab is None or tab.state == "closed":
                known = ", ".join(str(tab.tab_id) for tab in self.open()) or "none"
                gone = "was closed" if tab else "does not exist"
                raise GasolineError(
                    Code.NO_SUCH_TAB,
                    f"Tab {tab_id} {gone}; open tabs: {known}. Leave tab_id out for the tab used last.",
                    open_tabs=[tab.tab_id for tab in self.open()],
                )
            return tab
        tab = next(self.open(), None)
        if tab is None:
            raise GasolineError(
                Code.NO_SUCH_TAB, "No tab is open. Open a page in the browser, or ask observe(what='status')."
            )
        return tab
