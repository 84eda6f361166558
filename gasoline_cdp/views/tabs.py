"""The view `tabs`: the open tabs."""

from collections.abc import Iterator
from contextlib import suppress

import trio
from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.sourcemaps.frames import ADDRESS_CHARS, cut
from gasoline_cdp.answers.lines import Line, rest_of
from gasoline_cdp.answers.paging import budget_of, part_of
from gasoline_cdp.answers.quoting import quoted, word
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.cdp.connection import CdpClosed, CdpError
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.targets import Target
from gasoline_cdp.operations.context import Context
from gasoline_cdp.records import FIRST_BROWSER
from gasoline_cdp.redact import safe_text
from gasoline_cdp.views.listing import ObserveArgs

# Room for the summary and a notice.
_AROUND_TABS = 500
_DIALOG_CHARS = 200


@frozen(kw_only=True)
class TabEntry:
    """An open tab. `complete_from`: its requests are known from the start, or only since attaching."""

    tab_id: int
    url: str
    title: str
    state: str
    navigations: int
    complete_from: str
    opener_tab_id: int | None = None
    # Set if it is not the daemon's own browser.
    browser: str | None = None
    dialog: str | None = None
    latest: bool = False


@frozen(kw_only=True)
class TabsAnswer:
    """The open tabs, starting with the one used last."""

    summary: str
    tabs: list[TabEntry]
    left_out: int = 0
    cursor: str | None = None

    def render(self) -> Iterator[Line]:
        """One line per tab, starting with the one used last."""
        yield Line(self.summary, tone="heading")
        for tab in self.tabs:
            words = (
                word(tab.url),
                quoted(tab.title, limits.TITLE_CHARS) if tab.title else "",
                tab.state if tab.state != "open" else "",
                f"in {tab.browser}" if tab.browser else "",
                f"opened by tab {tab.opener_tab_id}" if tab.opener_tab_id else "",
                "requests known since attaching only" if tab.complete_from == "attach" else "",
                f"shows a dialog: {quoted(tab.dialog, _DIALOG_CHARS)}" if tab.dialog else "",
                "(used last)" if tab.latest and len(self.tabs) > 1 else "",
            )
            yield Line(" ".join(filter(None, words)), tag=f"tab {tab.tab_id}")
        yield from rest_of(self.left_out, self.cursor)


async def list_tabs(args: ObserveArgs, context: Context) -> TabsAnswer:
    """The open tabs, as many as fit."""
    await _refresh_titles(context)
    tabs = [show_tab(tab, latest=index == 0) for index, tab in enumerate(context.tabs.open())]
    shown, left_out, cursor = part_of(tabs, args.cursor, budget_of(args) - _AROUND_TABS)
    return TabsAnswer(summary=f"{number_of(len(tabs), 'tab')} open.", tabs=shown, left_out=left_out, cursor=cursor)


async def _refresh_titles(context: Context) -> None:
    """Read the titles: Chrome announces a tab before its title is known, and sends no event later."""
    with trio.move_on_after(limits.PAGE_ANSWER_SECONDS):
        # The browser itself answers, even if the page hangs. For a crashed page it never does.
        for tab in [tab for tab in context.tabs.open() if tab.state == "open"]:
            # A closing tab keeps its last title.
            with suppress(CdpError, CdpClosed):
                answer = await tab.session.send("Target.getTargetInfo")
                if target := Target.from_info(answer.get("targetInfo") or {}):
                    tab.title = safe_text(target.title, limits.TITLE_CHARS)


def show_tab(tab: Tab, *, latest: bool) -> TabEntry:
    """A tab as an entry."""
    return TabEntry(
        tab_id=tab.tab_id,
        url=cut(tab.source.url, ADDRESS_CHARS),
        title=tab.title,
        state=tab.state,
        navigations=tab.source.navigation,
        complete_from="start" if tab.seen_from_start else "attach",
        opener_tab_id=tab.opener or None,
        browser=tab.source.browser_id if tab.source.browser_id != FIRST_BROWSER else None,
        dialog=tab.dialog or None,
        latest=latest,
    )
