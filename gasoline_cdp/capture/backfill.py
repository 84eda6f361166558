"""Reconstructs what a tab had loaded before we attached. Chrome replays its console, but not its requests.

Such tabs were open when we attached, or another client opened them with an address: those do not wait for us.

The page's performance entries have most of it. `Page.getResourceTree` adds the types, and which requests failed.
Neither has headers, methods or bodies. Records made from this are marked `before_attach`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import trio
from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.assets import page_script
from gasoline_cdp.capture.backlog import Backlog
from gasoline_cdp.capture.console import ParsedLog
from gasoline_cdp.capture.network_trackers import NetworkTrackers
from gasoline_cdp.capture.pending_request import number
from gasoline_cdp.capture.stacks import mapping
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.world import PageFault, call_in_world
from gasoline_cdp.records import NetworkOutcome, NetworkRecord, Source
from gasoline_cdp.redact import safe_text, safe_url
from gasoline_cdp.store.telemetry import Telemetry

# Initiator type of a performance entry → Chrome's resource type.
_TYPES = {
    "navigation": "Document",
    "iframe": "Document",
    "script": "Script",
    "link": "Stylesheet",
    "css": "Image",
    "img": "Image",
    "image": "Image",
    "video": "Media",
    "audio": "Media",
    "fetch": "Fetch",
    "xmlhttprequest": "XHR",
    "beacon": "Ping",
}


@frozen(eq=False)
class _OpenTab:
    """A tab that was open already, as it was then."""

    tab: Tab
    source: Source
    attached_at: float
    # It was opened after we attached, but did not wait for us.
    late: bool = False


class Backfill:
    """Asks the tabs that were already open, one after the other. A page that hangs is skipped."""

    def __init__(self, telemetry: Telemetry, network: NetworkTrackers) -> None:
        self.backlog: Backlog[_OpenTab] = Backlog(limits.TABS_REMEMBERED)
        # Tabs that had loaded before we heard of it.
        self.joined_late = 0
        self._telemetry = telemetry
        self._network = network

    def add(self, tab: Tab, now: float, *, late: bool = False) -> None:
        """A tab was open before us. Never blocks."""
        if tab.raw_url.startswith(("http://", "https://", "file://")):
            self.backlog.offer(_OpenTab(tab, tab.source, now, late))

    async def run(self) -> None:
        """Ask tabs until cancelled."""
        await self.backlog.serve(self._ask_in_time)

    async def _ask_in_time(self, open_tab: _OpenTab) -> None:
        try:
            with trio.move_on_after(limits.PAGE_ANSWER_SECONDS):
                await self._ask(open_tab)
        except (CdpError, CdpClosed, PageFault, KeyError):
            # The tab is gone or has navigated, and so are its entries.
            pass

    async def _ask(self, open_tab: _OpenTab) -> None:
        session = open_tab.tab.session
        loaded = mapping(await call_in_world(session, page_script("loaded_before"), limits.BACKFILL_ENTRIES))
        tree = mapping((await session.send("Page.getResourceTree")).get("frameTree"))
        if open_tab.tab.source.navigation != open_tab.source.navigation:
            return
        count = 0
        for record in parse_loaded(loaded, tree, open_tab.attached_at, self._seen(open_tab.tab, loaded)):
            given = {
                **record,
                "seq": self._telemetry.next_seq(),
                "id": self._network.next_id(),
                "source": open_tab.source,
            }
            self._telemetry.add(NetworkRecord(method="", before_attach=True, **given))
            count += 1
        if count and open_tab.late:
            self.joined_late += open_tab.tab.seen_from_start
            open_tab.tab.seen_from_start = False
            text = f"The tab loaded before it could be watched: {_requests_are(count)} known by its memory only."
            words = ParsedLog(ts=open_tab.attached_at, kind="event", level="info", text=text)
            self._telemetry.add(words.record(self._telemetry.next_seq(), open_tab.source))

    def _seen(self, tab: Tab, loaded: Params) -> Counter[str]:
        """Addresses of the page's requests that we have recorded, with their number."""
        origin = number(loaded.get("origin")) / 1000 - 1
        pending_requests = [(pending.source, pending.ts, pending.url) for pending in self._network.in_flight()]
        records = [(record.source, record.ts, record.url) for record in self._telemetry.network.newest()]
        return Counter(
            _bare(url)
            for source, ts, url in (*pending_requests, *records)
            if source.tab_id == tab.tab_id and ts >= origin
        )


def _requests_are(count: int) -> str:
    return "1 request is" if count == 1 else f"{count} requests are"


def parse_loaded(
    loaded: Params, tree: Params, attached_at: float, seen: Mapping[str, int] | None = None
) -> Iterator[dict[str, Any]]:
    """The fields of each request that was made before us, oldest first.

    `seen` says how many of the newest requests for an address we have recorded ourselves.
    """
    origin = number(loaded.get("origin")) / 1000
    known = {str(resource.get("url", "")): resource for resource in _resources(tree)}
    entries = loaded.get("entries")
    rest = Counter(seen or {})
    unseen: list[tuple[str, Params]] = []
    newest = entries[-limits.BACKFILL_ENTRIES :] if isinstance(entries, list) else []
    for entry in map(mapping, reversed(newest)):
        url = str(entry.get("url", ""))
        bare = _bare(safe_url(url))
        if rest[bare]:
            rest[bare] -= 1
        elif url:
            unseen.append((url, entry))
    for url in [url for url in known if _bare(safe_url(url)) in (seen or {})]:
        del known[url]
    for url, entry in reversed(unseen):
        ts = origin + number(entry.get("start")) / 1000
        resource = known.pop(url, {})
        status = int(number(entry.get("status")))
        yield {
            "ts": ts,
            "url": safe_url(url),
            "type": safe_text(resource.get("type") or _TYPES.get(str(entry.get("initiator")), "Other"), 30),
            "outcome": _outcome(status, resource),
            "status": status or None,
            "mime": safe_text(resource.get("mimeType") or entry.get("mime") or "", 100),
            "protocol": safe_text(entry.get("protocol") or "", 40),
            "from_cache": bool(entry.get("cached")),
            "duration_ms": round(max(0.0, number(entry.get("duration"))), 1),
            "encoded_bytes": int(number(entry.get("encoded"))),
            "decoded_bytes": int(number(entry.get("decoded"))),
        }
    for url, resource in list(known.items())[: limits.BACKFILL_ENTRIES]:
        # Failed, or in a frame of another site: the page has no entry for it, and nobody knows when it happened.
        yield {
            "ts": min(origin or attached_at, attached_at),
            "url": safe_url(url),
            "type": safe_text(resource.get("type", "Other"), 30),
            "outcome": _outcome(0, resource),
            "mime": safe_text(resource.get("mimeType", ""), 100),
            "decoded_bytes": int(number(resource.get("contentSize"))),
        }


def _bare(url: str) -> str:
    return url.partition("#")[0]


def _outcome(status: int, resource: Params) -> NetworkOutcome:
    if resource.get("failed"):
        return "failed"
    if resource.get("canceled"):
        return "aborted"
    if status:
        return "http_error" if status >= 400 else "ok"
    # Cross-origin responses hide their status.
    return "ok" if resource else "unknown"


def _resources(tree: Params) -> Iterator[Params]:
    """Every resource of a frame and its child frames, and the documents of the child frames."""
    waiting = [tree]
    for _ in range(limits.BACKFILL_ENTRIES):
        if not waiting:
            return
        node = waiting.pop()
        resources, children = node.get("resources"), node.get("childFrames")
        yield from (item for item in resources or () if isinstance(item, dict))
        for child in children or ():
            frame = mapping(mapping(child).get("frame"))
            if str(frame.get("url", "")).startswith(("http://", "https://")):
                yield {"url": frame["url"], "type": "Document", "mimeType": frame.get("mimeType", "")}
            waiting.append(mapping(child))
