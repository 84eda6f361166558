"""What the entries of an answer have in common: said once in its heading, and left out of every line."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from attrs import frozen

from gasoline_cdp.answers.amounts import day
from gasoline_cdp.answers.quoting import word

_PLACE = re.compile(r"^(?:(?P<function>.*) \()?(?P<address>.*?):(?P<line>\d+):(?P<column>\d+)\)?$", re.DOTALL)
# A development server puts the time of a change behind a script's name.
_CHANGED_AT = re.compile(r"[?&](?:t|v)=[\w.-]+$")
_FUNCTION_CHARS = 60
_ADDRESS_CHARS = 120


def origin_of(url: str) -> str:
    """`https://host:port`; empty where there is none."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


@frozen(kw_only=True)
class SharedFacts:
    """One origin, one tab, one page, one day; empty where entries differ."""

    origin: str = ""
    tab_id: int | None = None
    page: str = ""
    day: str = ""

    @classmethod
    def of(cls, entries: Iterable[Any]) -> "SharedFacts":
        """Of entries that may have `url`, `page`, `tab_id` and `ts`."""
        entries = list(entries)
        pages = {page for entry in entries if (page := getattr(entry, "page", ""))}
        addresses = [getattr(entry, "url", None) or getattr(entry, "page", None) or "" for entry in entries]
        origins = Counter(origin for address in addresses if (origin := origin_of(address)))
        tabs = {entry.tab_id for entry in entries}
        days = {day(entry.ts) for entry in entries if getattr(entry, "ts", None)}
        return cls(
            origin=origins.most_common(1)[0][0] if origins else "",
            tab_id=tabs.pop() if len(tabs) == 1 else None,
            page=pages.pop() if len(pages) == 1 else "",
            day=days.pop() if len(days) == 1 else "",
        )

    def heading(self) -> str:
        """`Tab 1, http://127.0.0.1:5173/cart.`: what the lines below leave out."""
        parts = [f"tab {self.tab_id}" if self.tab_id else "", self.day, word(self.page or self.origin)]
        return ", ".join(part for part in parts if part)

    def url(self, url: str) -> str:
        """An address of the origin that the heading names without it; others whole."""
        short = url[len(self.origin) :] if self.origin and url.startswith(f"{self.origin}/") else url
        return word(short)

    def tab(self, tab_id: int) -> str:
        """The tab of an entry, where not all are of one."""
        return f"tab {tab_id}" if self.tab_id is None and tab_id else ""

    def on_page(self, page: str) -> str:
        """The page of an entry, where not all are of one."""
        return f"on {self.url(page)}" if page and page != self.page else ""

    def place(self, at: str) -> str:
        """`submit (http://…/src/App.tsx:42:7)` → `src/App.tsx:42:7 submit`."""
        parsed = _PLACE.match(at)
        if parsed is None:
            return word(at, _ADDRESS_CHARS)
        address = _CHANGED_AT.sub("", parsed["address"])
        if self.origin and address.startswith(f"{self.origin}/"):
            address = address[len(self.origin) + 1 :] or "/"
        where = f"{word(address, _ADDRESS_CHARS)}:{parsed['line']}:{parsed['column']}"
        return f"{where} {word(parsed['function'], _FUNCTION_CHARS)}" if parsed["function"] else where

    def stack(self, at: str | None, below: Iterable[str]) -> str:
        """Where it was, and the page's own code that called it: `a.js:3:1 save < form.js:9:2 submit`."""
        frames = [at] if at else []
        # Runs of library code stand there as their number in brackets, which says nothing to a reader.
        frames += [frame for frame in below if not frame.startswith("(")]
        return " < ".join(map(self.place, frames))

    def inside(self, entry: Any) -> str:
        """Which frame or worker of the tab an entry comes from, or which origin posted it."""
        if entry.frame:
            return f"in frame {self.url(entry.frame)}"
        if entry.worker:
            kind, _, address = entry.worker.partition(" ")
            # A worker's own script need not be named twice.
            again = address and (getattr(entry, "at", None) or "").find(address) >= 0
            return f"in {kind}" if again else f"in {kind} {self.url(address)}"
        if origin := getattr(entry, "ingested_from", None):
            return f"posted by {word(origin)}"
        return ""
