"""Recognises texts that differ from run to run: a test must not expect them."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from gasoline_cdp.analysis.performance.loads import path_of
from gasoline_cdp.records import DomSnapshotRecord

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_MONTHS = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
# Linear: the text comes from pages.
_AGO = (
    r"\b\d+ ?(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|days?|weeks?|months?|years?) ago\b"
    r"|\bjust now\b"
)
# What says something else a minute later.
_TIME = re.compile(rf"\d:\d\d:\d\d|{_AGO}", re.IGNORECASE)
_CHANGES = re.compile(
    rf"{_UUID}|{_AGO}"
    r"|\b\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]\.?m\b|\b)"
    r"|\b\d{4}-\d\d-\d\d\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th|\.)?,? (?:of )?{_MONTHS}\b|\b{_MONTHS} \d{{1,4}}(?:st|nd|rd|th)?\b"
    r"|\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? \d{1,2}\b"
    r"|\b(?:today|yesterday|tomorrow)\b"
    r"|\b\d+(?:\.\d+)? ?(?:ms|milliseconds?)\b"
    r"|\b(?=[a-f]{0,40}\d)[0-9a-f]{8,}\b"
    r"|\d{5,}\b",
    re.IGNORECASE,
)
# Roles of what leads to other pages.
_LEADS_ON = frozenset({"button", "link", "menuitem", "tab"})
_DIGITS = re.compile(r"\d+")
_MASKED = ("[REDACTED]", "[redacted]", "…")


def is_volatile(text: str) -> bool:
    """Whether a text contains a time, a date, an id, or something masked."""
    return _CHANGES.search(text) is not None or any(mark in text for mark in _MASKED)


def is_momentary(text: str) -> bool:
    """Whether a text will soon be another one: no element can be found by it again."""
    return _TIME.search(text) is not None


def _texts_in(nodes: Iterable[Any]) -> Iterator[str]:
    """Names and texts of an outline as reported."""
    for node in nodes:
        if isinstance(node, str):
            yield node
        else:
            yield node.get("name", "")
            yield from _texts_in(node.get("children", ()))


def _outlined(shot: DomSnapshotRecord) -> list[Any]:
    return shot.outline["nodes"] if shot.outline else []


def _by_role(nodes: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Each name and text with the role that it has; a text has none."""
    for node in nodes:
        if isinstance(node, str):
            yield "", node
        else:
            yield node["role"], node.get("name", "")
            yield from _by_role(node.get("children", ()))


def texts_of(snapshot: DomSnapshotRecord) -> Iterator[str]:
    """All that a page was told to show."""
    for element in snapshot.elements:
        yield str(element.get("text", ""))
    yield from _texts_in(_outlined(snapshot))


def _by_words(texts: Iterable[str]) -> dict[str, set[str]]:
    by_words: dict[str, set[str]] = defaultdict(set)
    for text in texts:
        by_words[_DIGITS.sub("0", text)].add(text)
    return by_words


def _before(shot: DomSnapshotRecord, loads: Iterable[DomSnapshotRecord]) -> frozenset[str]:
    """Links and buttons that the page that was loaded before had, too: those that stand on every page of a site."""
    earlier = [load for load in loads if load.source.tab_id == shot.source.tab_id and load.ts < shot.ts]
    if not earlier:
        return frozenset()
    last = max(earlier, key=lambda load: load.ts)
    before = {text for role, text in _by_role(_outlined(last)) if role in _LEADS_ON}
    # What is also shown as a text says something.
    return frozenset(before - {text for role, text in _by_role(_outlined(shot)) if role not in _LEADS_ON})


class SeenTexts:
    """What the elements of each page showed in all its loads: a text that changes between loads says nothing."""

    def __init__(self, snapshots: Iterable[DomSnapshotRecord]) -> None:
        self._texts: dict[tuple[str, str], set[str]] = defaultdict(set)
        # Of each load of a path: its texts by what they are without their digits.
        self._outlined: dict[str, list[dict[str, set[str]]]] = defaultdict(list)
        self._loads: list[DomSnapshotRecord] = []
        for snapshot in snapshots:
            if snapshot.trigger != "action":
                path = path_of(snapshot.source.url)
                if snapshot.outline:
                    self._loads.append(snapshot)
                    self._outlined[path].append(_by_words(_texts_in(snapshot.outline["nodes"])))
                for element in snapshot.elements:
                    self._texts[path, str(element.get("selector"))].add(str(element.get("text")))

    def varies(self, url: str, text: str) -> bool:
        """Whether another load of this page showed the same text with other numbers instead."""
        words = _DIGITS.sub("0", text)
        return any(text not in load.get(words, {text}) for load in self._outlined.get(path_of(url), ()))

    def left_out(self, shot: DomSnapshotRecord) -> Callable[[str], bool]:
        """Which texts an outline does without: those that vary, and those that stand on every page."""
        before = _before(shot, self._loads) if shot.trigger == "load" else frozenset()
        return lambda text: text in before or self.varies(shot.source.url, text)

    def differs(self, url: str, selector: str) -> bool:
        """Whether this element showed different texts in different loads of its page."""
        return len(self._texts.get((path_of(url), selector), ())) > 1
