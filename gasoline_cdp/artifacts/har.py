"""An HTTP archive (HAR 1.2) of captured requests, for DevTools, proxies and test tools."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import field, frozen

from gasoline_cdp.artifacts.har_parts import (
    header_list,
    http_version,
    initiator_of,
    query_list,
    sent_cookies,
    server_of,
    set_cookies,
    timings_of,
    when,
)
from gasoline_cdp.artifacts.har_sockets import socket_entries
from gasoline_cdp.measures import WireSizes
from gasoline_cdp.records import BodyRecord, NetworkRecord, PerformanceRecord, SocketRecord

# A page's own data. It is neither requested nor of use in another program.
_LEFT_OUT = ("data:", "blob:")
_BINARY = "[Binary: "
_NOT_KEPT = {
    "errors": "Body not kept: --bodies errors keeps those of failed requests only.",
    "off": "Body not kept: --bodies off.",
}


@frozen(kw_only=True)
class HarRecords:
    """What a HAR file is made from: records in any order, and how they were captured."""

    requests: Sequence[NetworkRecord] = ()
    bodies: Mapping[str, BodyRecord] = field(factory=dict)
    sockets: Sequence[SocketRecord] = ()
    loads: Sequence[PerformanceRecord] = ()
    # How many requests and socket events memory could not keep.
    dropped: int = 0
    body_mode: str = "errors"
    browser: str = ""
    version: str = ""


def make_har(captured: HarRecords, *, include_bodies: bool = True) -> dict[str, Any]:
    """The archive, its entries in the order in which they were requested."""
    requests = sorted(
        (one for one in captured.requests if not one.url.startswith(_LEFT_OUT)), key=lambda one: (one.ts, one.seq)
    )
    pages = _Pages(requests)
    entries = [_entry(one, pages.of(one), captured, include_bodies=include_bodies) for one in requests]
    entries += socket_entries(captured.sockets, pages.at, include_bodies=include_bodies)
    entries.sort(key=lambda entry: str(entry["startedDateTime"]))
    name, _, version = captured.browser.partition("/")
    log: dict[str, Any] = {
        "version": "1.2",
        "creator": {"name": "gasoline-cdp", "version": captured.version},
        **({"browser": {"name": name, "version": version}} if name else {}),
        "pages": [_page(document, page_id, captured.loads) for document, page_id in pages.all()],
        "entries": entries,
    }
    if captured.dropped:
        log["comment"] = f"{captured.dropped} older requests or socket events had to make room in memory."
    return {"log": log}


class _Pages:
    """The documents that tabs showed, and which requests belong to each."""

    def __init__(self, requests: Iterable[NetworkRecord]) -> None:
        self._by_tab: dict[tuple[str, int], list[tuple[float, NetworkRecord, str]]] = defaultdict(list)
        self._ordered: list[tuple[NetworkRecord, str]] = []
        for one in requests:
            if one.type == "Document" and not one.source.frame_id and one.outcome != "redirect":
                page_id = f"page_{len(self._ordered) + 1}"
                self._ordered.append((one, page_id))
                self._by_tab[_tab(one)].append((one.ts, one, page_id))

    def all(self) -> list[tuple[NetworkRecord, str]]:
        """Every document with its id."""
        return self._ordered

    def of(self, record: NetworkRecord) -> str:
        """The page that a request belongs to, or nothing: a worker's requests belong to no page."""
        documents = self._by_tab.get(_tab(record), [])
        if record.type == "Document" and not record.source.frame_id:
            # A document is its own page. A redirect leads to the next one.
            return next((page_id for ts, one, page_id in documents if one is record or ts >= record.ts), "")
        return self._latest(documents, record.ts, _bare(record.source.url))

    def at(self, record: SocketRecord) -> str:
        """The page that opened a socket."""
        return self._latest(self._by_tab.get(_tab(record), []), record.ts, _bare(record.source.url))

    @staticmethod
    def _latest(documents: list[tuple[float, NetworkRecord, str]], ts: float, page_url: str) -> str:
        before = documents[: bisect_right([one[0] for one in documents], ts)]
        # Requests of the page before go on while the next document is loading.
        same = (page_id for _, one, page_id in reversed(before) if _bare(one.url) == page_url)
        return next(same, before[-1][2] if before else "")


def _tab(record: NetworkRecord | SocketRecord) -> tuple[str, int]:
    return record.source.browser_id, record.source.tab_id


def _bare(url: str) -> str:
    return url.partition("#")[0]


def _page(document: NetworkRecord, page_id: str, loads: Iterable[PerformanceRecord]) -> dict[str, Any]:
    later = [
        load
        for load in loads
        if not load.soft_navigation
        and (load.source.browser_id, load.source.tab_id) == _tab(document)
        and _bare(load.url) == _bare(document.url)
        and load.ts >= document.ts
    ]
    timing = min(later, key=lambda load: load.ts).timing if later else None
    return {
        "startedDateTime": when(document.ts),
        "id": page_id,
        "title": document.url,
        "pageTimings": {
            "onContentLoad": _milliseconds(timing.dom_content_loaded if timing else None),
            "onLoad": _milliseconds(timing.load if timing else None),
        },
    }


def _milliseconds(value: float | None) -> float:
    return -1 if value is None else round(value, 1)


def _entry(record: NetworkRecord, page_id: str, captured: HarRecords, *, include_bodies: bool) -> dict[str, Any]:
    timings, whole = timings_of(record.timing, record.duration_ms)
    sizes = record.sizes or WireSizes()
    body = captured.bodies.get(record.id) if include_bodies else None
    content = _content(record, body, captured.body_mode if include_bodies else "")
    return {
        **({"pageref": page_id} if page_id else {}),
        "startedDateTime": when(record.ts),
        "time": whole,
        "request": _request(record, body, sizes),
        "response": _response(record, content, sizes),
        "cache": {},
        "timings": timings,
        **server_of(record.remote_address),
        "_resourceType": record.type.lower(),
        "_initiator": initiator_of(record.initiator),
        **({"_mocked": True} if record.mocked else {}),
        **({"_fetchedViaServiceWorker": True} if record.from_service_worker else {}),
        **({"comment": comment} if (comment := _comment(record)) else {}),
    }


def _comment(record: NetworkRecord) -> str:
    if record.before_attach:
        return "Made before gasoline-cdp was attached."
    if record.mocked:
        return "Answered by a mock (set_conditions), not by a server."
    return "From the browser's cache." if record.from_cache else ""


def _request(record: NetworkRecord, body: BodyRecord | None, sizes: WireSizes) -> dict[str, Any]:
    request: dict[str, Any] = {
        "method": record.method,
        "url": _bare(record.url),
        "httpVersion": http_version(record.protocol),
        "cookies": sent_cookies(record.request_headers),
        "headers": header_list(record.request_headers),
        "queryString": query_list(record.url),
        "headersSize": sizes.request_headers,
        "bodySize": sizes.request_body,
    }
    if body is not None and body.request_body:
        text = body.request_body
        request["postData"] = {"mimeType": record.request_headers.get("content-type", ""), "text": text}
        if body.request_truncated:
            request["postData"]["comment"] = f"The first {len(text.encode())} bytes."
    return request


def _response(record: NetworkRecord, content: dict[str, Any], sizes: WireSizes) -> dict[str, Any]:
    answered = record.status is not None
    return {
        "status": record.status or 0,
        "statusText": record.status_text,
        "httpVersion": http_version(record.protocol),
        "cookies": set_cookies(record.response_headers),
        "headers": header_list(record.response_headers),
        "content": content,
        "redirectURL": record.redirect_to or record.response_headers.get("location", ""),
        "headersSize": sizes.response_headers,
        "bodySize": 0 if record.from_cache else sizes.response_body,
        "_transferSize": record.encoded_bytes if answered else 0,
        **({"_error": record.failure} if record.failure else {}),
    }


def _content(record: NetworkRecord, body: BodyRecord | None, mode: str) -> dict[str, Any]:
    mime = record.response_headers.get("content-type") or record.mime or "x-unknown"
    content: dict[str, Any] = {"size": record.decoded_bytes, "mimeType": mime}
    sizes = record.sizes
    if sizes is not None and 0 <= sizes.response_body < record.decoded_bytes:
        content["compression"] = record.decoded_bytes - sizes.response_body
    if not record.decoded_bytes or not mode:
        return content
    text = body.response_body if body is not None else None
    if text is None:
        missing = body.missing if body is not None else _NOT_KEPT.get(mode, "Body not kept: memory was needed.")
        return {**content, "comment": missing or "Body not kept."}
    if text.startswith(_BINARY):
        return {**content, "comment": "Binary content is not kept."}
    if body is not None and body.response_truncated:
        return {**content, "text": text, "comment": f"The first {len(text.encode())} of {record.decoded_bytes} bytes."}
    return {**content, "text": text}
