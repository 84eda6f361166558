"""Facts that entries of an answer share: the heading states them once, and the lines omit them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from attrs import field, frozen

from gasoline_cdp.analysis.normalise import origin_of
from gasoline_cdp.answers.amounts import day
from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.quoting import word

_LOCATION = re.compile(r"(?:(?P<function>.*) \()?(?P<address>.*?):(?P<line>\d+):(?P<column>\d+)\)?", re.DOTALL)
# The query of a script's URL is only a version or a timestamp.
_QUERY = re.compile(r"(?<=\.)(m?[jt]sx?|cjs|vue|svelte|css|html?)\?.*$", re.DOTALL)
_BLOB = re.compile(r"blob:.*/([0-9a-f]{8})-[0-9a-f-]{27}")
_FUNCTION_CHARS = 60
_ADDRESS_CHARS = 300
_LOCATION_CHARS = 120
# A frame or worker with at least so many entries gets a short name.
_WORTH_A_NAME = 2
_NAMES = 8
_LETTERS = {"frame": "f", "worker": "w", "shared_worker": "sh", "service_worker": "sw"}


@frozen(kw_only=True)
class SharedFacts:
    """The most common origin; tab, page and day, each empty if entries differ; short names of frames and workers."""

    origin: str = ""
    tab_id: int | None = None
    page: str = ""
    day: str = ""
    # Frame or worker of an entry → its short name in lines.
    names: dict[str, str] = field(factory=dict)
    # Redirect → the request that followed it, by their ids, if both are entries.
    followed: dict[str, str] = field(factory=dict)
    # Longer addresses are cut.
    address_chars: int = _ADDRESS_CHARS

    @classmethod
    def of(cls, entries: Iterable[Any]) -> "SharedFacts":
        """Facts of entries that may have `url`, `page`, `tab_id`, `ts`, `frame` and `worker`."""
        entries = list(entries)
        # Frames and workers have their own URL, which their lines show.
        pages = {page for entry in entries if (page := getattr(entry, "page", "")) and not _source(entry)}
        addresses = [getattr(entry, "url", None) or getattr(entry, "page", None) or "" for entry in entries]
        origins = Counter(origin for address in addresses if (origin := origin_of(address)))
        # Some entries have no tab, such as those of shared workers.
        tabs = {entry.tab_id for entry in entries if entry.tab_id}
        days = {day(entry.ts) for entry in entries if getattr(entry, "ts", None)}
        return cls(
            origin=origins.most_common(1)[0][0] if origins else "",
            tab_id=tabs.pop() if len(tabs) == 1 else None,
            page=pages.pop() if len(pages) == 1 else "",
            day=days.pop() if len(days) == 1 else "",
            names=_short_names(entries),
            followed=_followed(entries),
        )

    def heading(self) -> str:
        """`tab 1, http://127.0.0.1:5173/cart`: what the lines below omit."""
        parts = [
            f"tab {self.tab_id}" if self.tab_id else "",
            self.day,
            word(self.page or self.origin, self.address_chars),
        ]
        return ", ".join(part for part in parts if part and part != '""')

    def source_lines(self, entries: Iterable[Any]) -> Iterator[Line]:
        """One line that explains the short names used by these entries. A frame may be the document of an entry."""
        entries = list(entries)
        used = {_source(entry) for entry in entries}
        documents = {entry.url: entry.id for entry in entries if getattr(entry, "type", "") == "Document"}
        named: list[str] = []
        last = ("", "")
        # Those of one script stand together: of the second, the query is enough.
        sources = sorted((source for source in self.names if source in used), key=_script_of)
        for source in sources:
            kind, _, address = source.partition(" ")
            shown = self.url(address)
            path, mark, query = shown.partition("?")
            if kind == "frame" and address in documents:
                shown = f"{kind} {documents[address]}"
            elif mark and path == last[1]:
                shown, last = f"?{query}" if kind == last[0] else f"{kind} ?{query}", (kind, path)
            else:
                shown, last = f"{kind} {shown}", (kind, path)
            named.append(f"{self.names[source]}={shown}{self._own_paths(address)}")
        if named:
            yield Line(", ".join(named), tone="dim")

    def _own_paths(self, address: str) -> str:
        """What to say of a frame or worker whose lines omit another origin than the heading's."""
        return " (paths below are on it)" if origin_of(address) not in {"", self.origin} else ""

    def redirect(self, entry: Any) -> str:
        """Where a redirect led: the id of the request that followed, or the address."""
        return self.followed.get(entry.id) or self.url(entry.redirect_to, entry)

    def url(self, url: str, entry: Any = None) -> str:
        """A URL. The origin is omitted if the heading states it, or the short name of the entry's frame or worker."""
        if blob := _BLOB.fullmatch(url):
            # Nobody asks for a blob by its address: enough of it to tell blobs apart.
            return f"blob:{blob[1]}"
        origin = (home_of(entry) if _source(entry) in self.names else "") or self.origin
        short = url[len(origin) :] if origin and url.startswith(f"{origin}/") else url
        return word(short, self.address_chars)

    def tab(self, tab_id: int) -> str:
        """The tab of an entry, if entries have different tabs."""
        return f"tab {tab_id}" if self.tab_id is None and tab_id else ""

    def on_page(self, page: str) -> str:
        """The page of an entry, if the heading does not state it."""
        return f"on {self.url(page)}" if page and page != self.page else ""

    def location(self, at: str, after: str = "", home: str = "") -> str:
        """`submit (http://…/src/App.tsx:42:7)` → `src/App.tsx:42:7 submit`.

        `after`: the stack frame before it, whose file is not repeated. `home`: the origin of the frame or worker that
        the line names.
        """
        parsed = _LOCATION.fullmatch(at)
        if parsed is None:
            return word(at, self._location_chars)
        before = _LOCATION.fullmatch(after)
        address = _QUERY.sub(r"\1", parsed["address"])
        origin = home or self.origin
        if before is not None and before["address"] == parsed["address"]:
            address = ""
        elif origin and address.startswith(f"{origin}/"):
            address = address[len(origin) + 1 :] or "/"
        where = f"{word(address, self._location_chars) if address else ''}:{parsed['line']}:{parsed['column']}"
        return f"{where} {word(parsed['function'], _FUNCTION_CHARS)}" if parsed["function"] else where

    @property
    def _location_chars(self) -> int:
        return min(_LOCATION_CHARS, self.address_chars)

    def stack(self, at: str | None, below: Iterable[str], home: str = "", most: int | None = None) -> str:
        """The location and the page's own callers: `a.js:3:1 save < :9:2 submit < form.js:4:1`, `most` in all."""
        frames = [at] if at else []
        # Skip library code, which is only a count in brackets.
        frames += [frame for frame in below if not frame.startswith("(")]
        frames = frames[:most]
        return " < ".join(
            self.location(frame, before, home) for frame, before in zip(frames, ["", *frames], strict=False)
        )

    def inside(self, entry: Any) -> str:
        """Which frame or worker of the tab an entry comes from, or which origin posted it."""
        if source := _source(entry):
            kind, _, address = source.partition(" ")
            if name := self.names.get(source):
                return name
            return f"in {kind} {self.url(address)}"
        if origin := getattr(entry, "ingested_from", None):
            return f"posted by {word(origin)}"
        return ""


def home_of(entry: Any) -> str:
    """The origin of the frame or worker that an entry comes from."""
    return origin_of(_source(entry).partition(" ")[2])


def _source(entry: Any) -> str:
    """`frame http://…`, `worker http://…`; empty for the page itself."""
    if frame := getattr(entry, "frame", None):
        return f"frame {frame}"
    return getattr(entry, "worker", None) or ""


def _script_of(source: str) -> str:
    """The address of a frame or worker without its query."""
    return source.partition(" ")[2].partition("?")[0]


def _followed(entries: Iterable[Any]) -> dict[str, str]:
    """Redirects, and the requests that followed them, which come first. Those that look alike are not told apart."""
    followed: dict[str, str] = {}
    # Where it came from, where it went, and who asked → the id; empty if there are several.
    followers: dict[tuple[object, ...], str] = {}
    for entry in entries:
        if before := getattr(entry, "redirected_from", None):
            key = (before, entry.url, entry.tab_id, _source(entry))
            followers[key] = "" if key in followers else entry.id
        if after := getattr(entry, "redirect_to", None):
            follower = followers.pop((entry.url, after, entry.tab_id, _source(entry)), "")
            if follower:
                followed[entry.id] = follower
    return followed


def _short_names(entries: Iterable[Any]) -> dict[str, str]:
    """`f1`, `w2` for frames and workers with several entries."""
    counts = Counter(source for entry in entries if (source := _source(entry)))
    common = {source for source, _ in counts.most_common(_NAMES)}
    numbers = Counter[str]()
    names: dict[str, str] = {}
    for source, count in counts.items():
        if count >= _WORTH_A_NAME and source in common:
            letters = _LETTERS.get(source.partition(" ")[0], "w")
            numbers[letters] += 1
            names[source] = f"{letters}{numbers[letters]}"
    return names
