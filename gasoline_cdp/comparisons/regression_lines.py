"""A page compared with its baseline, as lines: counts by category, then what is new and what is resolved."""

from collections.abc import Iterable, Iterator
from typing import Any

from gasoline_cdp import wire
from gasoline_cdp.analysis.normalise import origin_of
from gasoline_cdp.analysis.performance.regressions import Change
from gasoline_cdp.analysis.performance.resources import Cause
from gasoline_cdp.answers.amounts import clock, duration, size
from gasoline_cdp.answers.lines import Line, Tone, note
from gasoline_cdp.answers.marked_lines import marked
from gasoline_cdp.answers.performance_change_lines import cause_lines, change_line
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.answers.wording import number_of

# Counts of a baseline → nouns for lines.
_COUNTED = {
    "console_errors": "console error",
    "console_warnings": "console warning",
    "network_requests": "request",
    "network_errors": "failed request",
    "websocket_connections": "WebSocket",
    "unique_endpoints": "endpoint",
}
_NOUNS = {"accessibility": "broken accessibility rule", "security": "security finding"}


def baseline_lines(baseline: dict[str, Any]) -> Iterator[Line]:
    """Name, page and time of the baseline, and its counts if it is new."""
    name = f"baseline {word(baseline['name'])}"
    yield Line(f"{name} of {clock(baseline['captured_at'])}, {word(baseline['url'])}")
    counts = [number_of(baseline[field], noun) for field, noun in _COUNTED.items() if baseline.get(field)]
    counts += [number_of(count, _NOUNS.get(name, name)) for name, count in baseline.get("findings", {}).items()]
    if load := baseline.get("performance"):
        counts += [f"load {duration(load['load_time'])}"] if load.get("load_time") is not None else []
        counts += [f"{size(load['transfer_size'])} transferred"] if load.get("transfer_size") is not None else []
    if counts:
        yield Line(", ".join(counts), depth=1)
    for kind, count in baseline.get("left_out", {}).items():
        more = number_of(count, f"more {kind.removesuffix('s')}")
        yield note(f"{more} did not fit and will not be compared.", "warning")


def comparison_lines(comparison: dict[str, Any], url: str) -> Iterator[Line]:
    """Categories with differences, then the load."""
    for name in ("errors", "accessibility"):
        if category := comparison.get(name):
            new, gone = category["new_issues"], category["resolved_issues"]
            write = _error_words if name == "errors" else _rule_words
            noun = "" if name == "errors" else " elements"
            counts = (category["baseline_issues"], category["current_issues"])
            yield from _category(f"{name}{noun}", counts, map(write, new), map(write, gone))
    if category := comparison.get("security"):
        changes = category["changes"]
        new = [marked(one["finding"]) for one in changes if one["change"] == "new"]
        gone = [marked(one["finding"]) for one in changes if one["change"] == "resolved"]
        yield from _category(
            "security findings", (category["baseline_findings"], category["current_findings"]), new, gone
        )
    yield from _performance(comparison.get("performance", {}), SharedFacts(origin=origin_of(url)))


def _category(name: str, counts: tuple[int, int], new: Iterable[str], gone: Iterable[str]) -> Iterator[Line]:
    """The lines of one category. Empty if nothing differs."""
    tones: tuple[tuple[str, Iterable[str], Tone], ...] = (("new", new, "error"), ("resolved", gone, "good"))
    entries = [Line(text, tag=tag, tone=tone, depth=1) for tag, texts, tone in tones for text in texts]
    if entries or counts[0] != counts[1]:
        yield Line(f"{name}: {counts[0]} before, {counts[1]} now")
        yield from entries


def _error_words(issue: dict[str, Any]) -> str:
    times = f"{issue['count']} times " if issue["count"] > 1 else ""
    return f"{word(issue['type'])} {times}{marked(issue['message'])}"


def _rule_words(issue: dict[str, Any]) -> str:
    return f"{word(issue['id'])} {number_of(issue['count'], 'element')}"


def _performance(load: dict[str, Any], shared: SharedFacts) -> Iterator[Line]:
    if not load.get("measured"):
        if load.get("note"):
            yield note(f"load: {load['note']}")
        return
    if "lcp_current_ms" in load:
        before, now = duration(load["lcp_baseline_ms"]), duration(load["lcp_current_ms"])
        tone: Tone = "error" if load["lcp_regression"] else "plain"
        yield Line(f"load of {word(load['path'])}: largest contentful paint {before} before, {now} now", tone=tone)
    for change in load["regressions"]:
        yield change_line(wire.structure(change, Change), "worse:", "error")
    causes = [load["probable_cause"]] if "probable_cause" in load else []
    for cause in (*causes, *load.get("further_causes", ())):
        yield from cause_lines(wire.structure(cause, Cause), shared)
