"""The first line of a listing: how many entries there are, of which kinds, and since when."""

import time
from collections import Counter
from collections.abc import Sequence

from attrs import evolve, frozen

from gasoline_cdp.answers.paging import Listed
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.cdp.tabs import NO_TAB

# Nouns of a summary get a plural: "2 failed requests". Others do not: "2 ok", "3 http_error".
_COUNTABLE = {
    "failed request", "socket error", "exception", "rejection", "console error", "browser error", "build error",
    "error", "warning", "redirect", "event", "message", "action", "request", "change",
}  # fmt: skip


@frozen
class Summary:
    """`21 errors`, its kinds, and the end of the sentence with what follows it. No text of pages is in it."""

    count: str
    kinds: str = ""
    more: str = "."

    def __add__(self, sentence: str) -> "Summary":
        """The same with another sentence, which brings its own blank, or with nothing."""
        return evolve(self, more=self.more + sentence)

    def __str__(self) -> str:
        """With the counts by kind."""
        return f"{self.count} ({self.kinds}){self.more}" if self.kinds else f"{self.count}{self.more}"

    @property
    def brief(self) -> str:
        """Without them, for a list that shows every entry."""
        return f"{self.count}{self.more}"


def summarise(noun: str, records: Sequence[Listed], kinds: Counter[str]) -> Summary:
    """How many records, by kind, on how many tabs, and how old the newest is."""
    if not records:
        return Summary(f"No {noun}s")
    parts = ", ".join(
        number_of(number, kind) if kind in _COUNTABLE else f"{number} {kind}" for kind, number in kinds.most_common()
    )
    age = max(0.0, time.time() - max(record.ts for record in records))
    # Some records have no tab: those of shared workers, posted ones, the end of a browser.
    tabs = len({record.source.tab_id for record in records} - {NO_TAB})
    where = f" on {number_of(tabs, 'tab')}" if tabs > 1 else ""
    return Summary(number_of(len(records), noun), parts, f"{where}, last {age:.0f}s ago.")
