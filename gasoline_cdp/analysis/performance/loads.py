"""Rates web vitals, and summarises the requests of one navigation."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from attrs import evolve

from gasoline_cdp import limits
from gasoline_cdp.analysis.requests import is_browser_initiated
from gasoline_cdp.measures import NetworkTotals, Resource, SlowRequest, TypeTotals, Vital, VitalName
from gasoline_cdp.records import NetworkRecord, PerformanceRecord, Source

Rating = Literal["good", "needs-improvement", "poor"]

# Good at or below the first value, poor above the second: the published thresholds of web vitals.
THRESHOLDS: dict[VitalName, tuple[float, float]] = {
    "FCP": (1800, 3000),
    "LCP": (2500, 4000),
    "CLS": (0.1, 0.25),
    "INP": (200, 500),
    "TTFB": (800, 1800),
}
_FROM_BAD_TO_GOOD: tuple[Rating, ...] = ("poor", "needs-improvement", "good")

_TYPES = {
    "Script": "script",
    "Stylesheet": "style",
    "Image": "image",
    "Font": "font",
    "XHR": "fetch",
    "Fetch": "fetch",
    "EventSource": "fetch",
}
TYPE_NAMES = ("script", "style", "image", "font", "fetch", "other")

# Scheme and host, then the path. urlsplit would refuse hosts in which something was masked.
_PATH = re.compile(r"^(?:[a-z][a-z0-9+.-]*:(?://[^/?#]*)?|(?=/))([^?#]*)", re.IGNORECASE)
# Created by the page itself, without a request to a server.
_INLINE = ("data:", "blob:")


def rate(name: VitalName, value: float) -> Rating:
    """The rating of a value."""
    good, poor = THRESHOLDS[name]
    return "poor" if value > poor else "good" if value <= good else "needs-improvement"


def worst(values: Mapping[VitalName, float]) -> Rating | None:
    """The overall rating: the worst of all known ones."""
    ratings = {rate(name, value) for name, value in values.items()}
    return next((rating for rating in _FROM_BAD_TO_GOOD if rating in ratings), None)


def values_of(record: PerformanceRecord) -> dict[VitalName, float]:
    """The known vitals of a snapshot."""
    timing = record.timing
    values: dict[VitalName, float | None] = {
        "FCP": timing.first_contentful_paint,
        "LCP": timing.largest_contentful_paint,
        "CLS": record.cumulative_layout_shift,
        "INP": timing.interaction_to_next_paint,
        "TTFB": timing.time_to_first_byte,
    }
    return {name: value for name, value in values.items() if value is not None}


def with_vitals(record: PerformanceRecord, vitals: Mapping[VitalName, Vital]) -> PerformanceRecord:
    """The snapshot, updated with the vitals known by now. Unknown ones do not overwrite anything."""

    def newest(name: VitalName, known: float | None) -> float | None:
        return vitals[name].value if name in vitals else known

    timing = record.timing
    return evolve(
        record,
        timing=evolve(
            timing,
            time_to_first_byte=newest("TTFB", timing.time_to_first_byte),
            first_contentful_paint=newest("FCP", timing.first_contentful_paint),
            largest_contentful_paint=newest("LCP", timing.largest_contentful_paint),
            interaction_to_next_paint=newest("INP", timing.interaction_to_next_paint),
        ),
        cumulative_layout_shift=newest("CLS", record.cumulative_layout_shift),
    )


def path_of(url: str) -> str:
    """The path of a URL without query and fragment; snapshots are stored by it. Accepts a bare path, too."""
    match = _PATH.match(url)
    return (match[1] if match else "") or "/"


def _bare(url: str) -> str:
    return url.partition("#")[0]


def document_of(records: Sequence[NetworkRecord], source: Source, url: str) -> list[NetworkRecord]:
    """The request of a page's document and the requests redirected to it, newest first; empty if unknown.

    Until a document arrives the tab still shows the previous one, so its request has the number of that navigation. A
    document requested later, under the page's own number, is a frame.
    """
    chain: list[NetworkRecord] = []
    wanted = _bare(url)
    candidates = [
        record
        for record in records
        if record.type == "Document"
        and record.source.tab_id == source.tab_id
        and record.source.kind == "page"
        and record.source.navigation <= source.navigation
    ]
    candidates.sort(key=lambda record: (record.source.navigation < source.navigation, record.ts), reverse=True)
    for record in candidates:
        if _bare(record.url) == wanted:
            chain.append(record)
            if not record.redirected_from:
                break
            wanted = _bare(record.redirected_from)
    return chain


def requests_of(
    records: Sequence[NetworkRecord],
    source: Source,
    *,
    document: str | None = None,
    since: float | None = None,
    until: float | None = None,
) -> tuple[list[NetworkRecord], bool]:
    """The requests of a page within a time span, and whether we recorded it from its first request on.

    With `document`, the URL of the page as requested, the span is the load, which begins with that request.
    """
    inside = [
        record
        for record in records
        if record.source.tab_id == source.tab_id
        and record.source.navigation == source.navigation
        and not record.url.startswith(_INLINE)
        and not is_browser_initiated(record)
        and (since is None or record.ts >= since)
        and (until is None or record.ts < until)
    ]
    if document is None:
        return inside, True
    chain = document_of(records, source, document)
    known = {record.id for record in inside}
    # What the page itself remembers of the time before we attached is incomplete.
    watched = bool(chain) and not chain[0].before_attach
    return inside + [record for record in chain if record.id not in known], watched


def sum_up(records: Iterable[NetworkRecord], *, complete: bool) -> NetworkTotals:
    """Counts and sizes by type, and the slowest requests."""
    requests = list(records)
    by_type = dict.fromkeys(TYPE_NAMES, TypeTotals(count=0, size=0))
    for record in requests:
        name = _TYPES.get(record.type, "other")
        before = by_type[name]
        by_type[name] = TypeTotals(count=before.count + 1, size=before.size + record.encoded_bytes)
    timed = [(record.duration_ms, record) for record in requests if record.duration_ms is not None]
    timed.sort(key=lambda pair: -pair[0])
    return NetworkTotals(
        request_count=len(requests),
        transfer_size=sum(record.encoded_bytes for record in requests),
        decoded_size=sum(record.decoded_bytes for record in requests),
        by_type=by_type,
        slowest_requests=tuple(
            SlowRequest(id=record.id, url=_cut(record.url), duration_ms=round(duration, 1), size=record.encoded_bytes)
            for duration, record in timed[: limits.SLOWEST_REQUESTS]
        ),
        complete=complete,
    )


def resources_of(records: Iterable[NetworkRecord]) -> tuple[Resource, ...]:
    """The first requests of a load, in order."""
    requests = sorted((record for record in records if record.outcome != "redirect"), key=lambda record: record.ts)
    if not requests:
        return ()
    first = requests[0].ts
    return tuple(
        Resource(
            url=record.url[: limits.RESOURCE_URL_CHARS],
            type="document" if record.type == "Document" else _TYPES.get(record.type, "other"),
            size=record.encoded_bytes,
            duration_ms=round(record.duration_ms or 0.0, 1),
            start_ms=round((record.ts - first) * 1000, 1),
        )
        for record in requests[: limits.RESOURCES_COMPARED]
    )


def _cut(url: str) -> str:
    return url if len(url) <= limits.SLOW_URL_CHARS else url[: limits.SLOW_URL_CHARS - 1] + "…"
