"""Recognises texts that differ from run to run: a test must not expect them."""

import re
from collections import defaultdict
from collections.abc import Iterable

from gasoline_cdp.analysis.performance.loads import path_of
from gasoline_cdp.records import DomSnapshotRecord

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_MONTHS = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
# Linear: the text comes from pages.
_CHANGES = re.compile(
    rf"{_UUID}"
    r"|\b\d{1,2}:\d\d(?::\d\d)?\b"
    r"|\b\d{4}-\d\d-\d\d\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b"
    rf"|\b\d{{1,2}}\.? {_MONTHS}\b|\b{_MONTHS} \d{{1,2}}\b"
    r"|\b\d+ ?(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|days?|weeks?|months?|years?) ago\b"
    r"|\b(?:just now|today|yesterday|tomorrow)\b"
    r"|\b\d+(?:\.\d+)? ?(?:ms|milliseconds?)\b"
    r"|\b(?=[a-f]{0,40}\d)[0-9a-f]{8,}\b"
    r"|\b\d{5,}\b",
    re.IGNORECASE,
)
_MASKED = ("[REDACTED]", "[redacted]", "…")


def is_volatile(text: str) -> bool:
    """Whether a text contains a time, a date, an id, or something masked."""
    return _CHANGES.search(text) is not None or any(mark in text for mark in _MASKED)


class SeenTexts:
    """What the elements of each page showed in all its loads: a text that changes between loads says nothing."""

    def __init__(self, snapshots: Iterable[DomSnapshotRecord]) -> None:
        self._texts: dict[tuple[str, str], set[str]] = defaultdict(set)
        for snapshot in snapshots:
            if snapshot.trigger != "action":
                path = path_of(snapshot.source.url)
                for element in snapshot.elements:
                    self._texts[path, str(element.get("selector"))].add(str(element.get("text")))

    def differs(self, url: str, selector: str) -> bool:
        """Whether this element showed different texts in different loads of its page."""
        return len(self._texts.get((path_of(url), selector), ())) > 1
