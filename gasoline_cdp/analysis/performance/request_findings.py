"""Judges the requests of a page: what is heavy, uncompressed, not cached or slow."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from gasoline_cdp import limits
from gasoline_cdp.findings import Finding, Severity
from gasoline_cdp.records import NetworkRecord

# Number of examples per finding, and length of an address.
AFFECTED = 5
URL_CHARS = 200
_SLOW_API_MS = 1000
_VERY_SLOW_API_MS = 3000
# Smaller savings are not noticeable.
_COMPRESSIBLE_BYTES = 1400
_HEAVY_BYTES = {
    "Script": 300 * limits.KB,
    "Image": 500 * limits.KB,
    "Stylesheet": 150 * limits.KB,
    "Font": 150 * limits.KB,
}
_TOTAL_BYTES = 3 * limits.MB
_FRESH_SECONDS = 7 * 86400
_MAX_AGE = re.compile(r"max-age\s*=\s*(\d{1,12})", re.IGNORECASE)
_TEXT_MIME = re.compile(
    r"^(?:text/|application/(?:javascript|json|xml|xhtml|manifest|ld\+json|wasm)|image/svg)", re.IGNORECASE
)
_STATIC = {"Script", "Stylesheet", "Image", "Font"}
_API = {"XHR", "Fetch"}


def judge_requests(requests: Sequence[NetworkRecord]) -> Iterable[Finding]:
    """All findings about the requests of a page, unordered."""
    yield from _heavy(requests)
    yield from _uncompressed(requests)
    yield from _uncached(requests)
    yield from _slow_api(requests)


def _resource(record: NetworkRecord, **more: Any) -> dict[str, Any]:
    return {"id": record.id, "url": record.url[:URL_CHARS], **more}


def performance_finding(
    rule: str, severity: Severity, title: str, fix: str, affected: Sequence[dict[str, Any]], count: int
) -> Finding:
    """A finding that shows the first affected requests."""
    return Finding(
        rule=rule, severity=severity, category="performance", title=title, fix=fix,
        affected=list(affected[:AFFECTED]), count=count,
    )  # fmt: skip


def _heavy(requests: Sequence[NetworkRecord]) -> Iterable[Finding]:
    heavy = [
        record
        for record in requests
        if record.type in _HEAVY_BYTES and record.encoded_bytes > _HEAVY_BYTES[record.type]
    ]
    if heavy:
        heavy.sort(key=lambda record: -record.encoded_bytes)
        yield performance_finding(
            "resources_oversized",
            "medium",
            "Resources are much larger than is usual for their type",
            "Split scripts and load parts on demand; resize and recompress images (AVIF, WebP); subset fonts",
            [_resource(record, type=record.type, kilobytes=record.encoded_bytes // limits.KB) for record in heavy],
            len(heavy),
        )
    total = sum(record.encoded_bytes for record in requests)
    if total > _TOTAL_BYTES:
        largest = sorted(requests, key=lambda record: -record.encoded_bytes)
        yield performance_finding(
            "page_heavy",
            "medium",
            f"The page transfers {total / limits.MB:.1f} MB in {len(requests)} requests",
            "Drop, delay or shrink the largest resources",
            [_resource(record, kilobytes=record.encoded_bytes // limits.KB) for record in largest],
            len(requests),
        )


def _uncompressed(requests: Sequence[NetworkRecord]) -> Iterable[Finding]:
    plain = [
        record
        for record in requests
        if record.status == 200
        and not record.from_cache
        and not record.from_service_worker
        and record.decoded_bytes > _COMPRESSIBLE_BYTES
        and _TEXT_MIME.match(record.mime)
        and "content-encoding" not in record.response_headers
    ]
    if plain:
        plain.sort(key=lambda record: -record.decoded_bytes)
        wasted = sum(record.decoded_bytes for record in plain)
        yield performance_finding(
            "compression_missing",
            "medium" if wasted > 50 * limits.KB else "low",
            f"Text is sent uncompressed: {wasted // limits.KB} KB",
            "Let the server compress text with Brotli or gzip (content-encoding: br)",
            [_resource(record, kilobytes=round(record.decoded_bytes / limits.KB, 1)) for record in plain],
            len(plain),
        )


def _uncached(requests: Sequence[NetworkRecord]) -> Iterable[Finding]:
    again = [
        record
        for record in requests
        if record.type in _STATIC and record.status == 200 and not record.from_cache and not _lasts(record)
    ]
    if again:
        again.sort(key=lambda record: -record.encoded_bytes)
        yield performance_finding(
            "caching_missing",
            "low",
            "Static resources are sent without a cache lifetime of a week or more",
            "Send cache-control: max-age=31536000, immutable for files whose name changes with their content",
            [
                _resource(record, cache_control=record.response_headers.get("cache-control", "not sent")[:80])
                for record in again
            ],
            len(again),
        )


def _lasts(record: NetworkRecord) -> bool:
    control = record.response_headers.get("cache-control", "")
    max_age = _MAX_AGE.search(control)
    if max_age is None:
        return "immutable" in control or "expires" in record.response_headers
    return int(max_age[1]) >= _FRESH_SECONDS and "no-store" not in control


def _slow_api(requests: Sequence[NetworkRecord]) -> Iterable[Finding]:
    slow = [record for record in requests if record.type in _API and (record.duration_ms or 0) >= _SLOW_API_MS]
    if slow:
        slow.sort(key=lambda record: -(record.duration_ms or 0))
        longest = slow[0].duration_ms or 0
        yield performance_finding(
            "api_slow",
            "high" if longest >= _VERY_SLOW_API_MS else "medium",
            f"Calls to the server take long: up to {longest:.0f} ms",
            "See which phase takes the time (observe network with its request_id), then cache or split the answer",
            [
                _resource(
                    record,
                    method=record.method,
                    duration_ms=round(record.duration_ms or 0),
                    **({"wait_ms": round(record.timing.wait)} if record.timing and record.timing.wait >= 0 else {}),
                )
                for record in slow
            ],
            len(slow),
        )
