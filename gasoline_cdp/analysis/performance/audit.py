"""Judges the performance of a page: each slow or heavy item with its cause and its fix."""

from collections.abc import Iterable, Sequence
from typing import Any

from gasoline_cdp import limits
from gasoline_cdp.analysis.markup import show_element
from gasoline_cdp.analysis.performance.loads import THRESHOLDS, rate
from gasoline_cdp.analysis.performance.request_findings import (
    AFFECTED,
    URL_CHARS,
    judge_requests,
    performance_finding,
)
from gasoline_cdp.findings import Finding
from gasoline_cdp.measures import LongTasks, UnusedCode, VitalName
from gasoline_cdp.records import NetworkRecord, VitalsRecord
from gasoline_cdp.redact import safe_text, safe_url

_SELECTOR_CHARS = 300
_LONG_TASK_MS = 200
_ELEMENTS = 1500
_BLOCKING_MS = 100
# Unused characters of one file that are worth a word, and of all files that matter.
_UNUSED_CHARS = 20 * limits.KB
_MUCH_UNUSED_CHARS = 150 * limits.KB

_VITAL_WORDS: dict[VitalName, tuple[str, str]] = {
    "LCP": ("largest_contentful_paint_slow", "The largest thing on the page is painted late"),
    "CLS": ("layout_shifts", "The page moves under its reader"),
    "INP": ("interactions_slow", "The page answers slowly to clicks and keys"),
    "FCP": ("first_paint_slow", "Nothing is painted for too long"),
    "TTFB": ("server_slow", "The server takes long to answer for the document"),
}


# All rules, each by the id of its finding.
PERFORMANCE_RULES = (
    *(finding for finding, _ in _VITAL_WORDS.values()),
    "main_thread_blocked",
    "render_blocking_resources",
    "resources_oversized",
    "page_heavy",
    "compression_missing",
    "caching_missing",
    "api_slow",
    "dom_large",
    "images_larger_than_shown",
    "images_without_size",
    "images_in_view_lazy",
    "code_unused",
)


def unjudged(
    vitals: VitalsRecord | None, tasks: LongTasks | None, unused: Sequence[UnusedCode] | None = None
) -> set[str]:
    """Rules that neither passed nor failed, because their metrics were not measured."""
    measured = vitals.vitals if vitals else {}
    missing = {finding for name, (finding, _) in _VITAL_WORDS.items() if name not in measured}
    missing |= set() if tasks else {"main_thread_blocked"}
    return missing if unused is not None else missing | {"code_unused"}


def judge_performance(
    vitals: VitalsRecord | None,
    tasks: LongTasks | None,
    requests: Sequence[NetworkRecord],
    facts: dict[str, Any],
    unused: Sequence[UnusedCode] | None = None,
) -> list[Finding]:
    """All findings, unordered."""
    # Files and inline data were not sent by a server that could do better.
    requests = [record for record in requests if record.url.startswith("http")]
    return [
        *(_vitals(vitals) if vitals else ()),
        *(_long_tasks(tasks) if tasks else ()),
        *_blocking(facts),
        *judge_requests(requests),
        *_document(facts),
        *_unused(unused or ()),
    ]


def _unused(files: Sequence[UnusedCode]) -> Iterable[Finding]:
    """Scripts and style sheets of which much was loaded and never used on this page."""
    heavy = sorted((one for one in files if one.unused >= _UNUSED_CHARS), key=lambda one: -one.unused)
    if heavy:
        total = sum(one.unused for one in heavy)
        yield performance_finding(
            "code_unused",
            "medium" if total >= _MUCH_UNUSED_CHARS else "low",
            f"The page has not used {total // limits.KB} KB of its code so far",
            "Load what another view needs when it is opened (import()), and drop libraries and styles nobody uses",
            [
                {
                    "url": one.url[:URL_CHARS],
                    "unused_kilobytes": one.unused // limits.KB,
                    "of_kilobytes": one.chars // limits.KB,
                }
                for one in heavy
            ],
            len(heavy),
        )


def _vitals(record: VitalsRecord) -> Iterable[Finding]:
    for name, vital in record.vitals.items():
        rating = rate(name, vital.value)
        if rating == "good":
            continue
        rule, words = _VITAL_WORDS[name]
        good, _ = THRESHOLDS[name]
        value = f"{vital.value:.3f}" if name == "CLS" else f"{vital.value:.0f} ms"
        aim = f"{good:g}" if name == "CLS" else f"{good:.0f} ms"
        yield Finding(
            rule=rule,
            severity="high" if rating == "poor" else "medium",
            category="performance",
            title=f"{words}: {name} is {value}, good is {aim} or less",
            fix=_vital_fix(name, vital.details),
            affected=_vital_causes(name, vital.details),
        )


def _vital_causes(name: VitalName, details: dict[str, Any]) -> list[dict[str, Any]]:
    if name == "CLS":
        return [
            {"selector": element.get("target"), "shift": round(shift["value"], 4)}
            for shift in details.get("shifts", ())
            for element in shift["elements"]
        ][:AFFECTED]
    cause: dict[str, Any] = {}
    if details.get("target"):
        cause["selector"] = details["target"]
    if details.get("url"):
        cause["url"] = details["url"][:URL_CHARS]
    if details.get("phases"):
        cause["phases"] = {phase: round(value) for phase, value in details["phases"].items()}
    if details.get("script"):
        cause["script"] = _script(details["script"])
    return [cause] if cause else []


_PHASE_FIXES = {
    "time_to_first_byte": "answer the document faster (cache it, or render less on the server)",
    "resource_load_delay": 'let the browser find its resource at once: not lazy, fetchpriority="high" or a preload',
    "resource_load_duration": "make its resource smaller or bring it nearer: compress, resize, a modern format, a CDN",
    "element_render_delay": "let nothing hold up its rendering: defer scripts, inline the styles it needs",
    "render_delay": "defer scripts and styles that block rendering",
    "input_delay": "break up the work that is under way when people click",
    "processing_duration": "do less in the event handler, and the rest after the next frame",
    "presentation_delay": "change fewer elements at once, so that layout and painting take less",
    "waiting_duration": "avoid redirects before the document",
    "request_duration": "let the server answer faster: cache, or do less before the first byte",
    "connection_duration": "reuse connections, or serve from nearer",
    "dns_duration": "use fewer hosts",
}


def _vital_fix(name: VitalName, details: dict[str, Any]) -> str:
    if name == "CLS":
        return "Reserve the room: width and height on images and frames, min-height where content comes later"
    phases = details.get("phases") or {}
    if phases:
        longest = max(phases, key=lambda phase: phases[phase])
        if longest in _PHASE_FIXES:
            return f"{longest.replace('_', ' ')} takes {phases[longest]:.0f} ms of it: {_PHASE_FIXES[longest]}"
    return {
        "LCP": "Load the largest element's resource earlier, and let nothing block its rendering",
        "FCP": "Defer scripts and styles that block rendering",
        "INP": "Break up long event handlers",
        "TTFB": "Cache the document, or do less before the first byte",
    }[name]


def _script(script: dict[str, Any]) -> dict[str, Any]:
    shown = {name: script[name][:URL_CHARS] for name in ("url", "function", "invoker") if script.get(name)}
    return {**shown, "duration_ms": round(script.get("duration", 0.0))}


def _long_tasks(tasks: LongTasks) -> Iterable[Finding]:
    long = [task for task in tasks.entries if task["duration"] >= _LONG_TASK_MS]
    if tasks.longest < _LONG_TASK_MS:
        return
    yield Finding(
        rule="main_thread_blocked",
        severity="high" if tasks.longest >= 1000 else "medium",
        category="performance",
        title=f"Scripts hold up the page: the longest task takes {tasks.longest:.0f} ms, "
        f"{tasks.total_blocking_time:.0f} ms of blocking altogether",
        count=max(1, len(long)),
        fix="Split the function that runs longest, move it to a worker, or run it when the page is idle",
        affected=[
            {
                "start_ms": round(task["start"]),
                "duration_ms": round(task["duration"]),
                **({"script": _script(task["script"])} if "script" in task else {}),
            }
            for task in long[:AFFECTED]
        ],
    )


def _blocking(facts: dict[str, Any]) -> Iterable[Finding]:
    paint = facts["paint"]
    slow = [
        entry
        for entry in facts["blocking"]
        if entry["duration"] >= _BLOCKING_MS and (paint is None or entry["end"] <= paint + 1)
    ]
    if slow:
        slow.sort(key=lambda entry: -entry["duration"])
        yield Finding(
            rule="render_blocking_resources",
            severity="high" if slow[0]["duration"] >= 1000 else "medium",
            category="performance",
            title="The first paint waits for these scripts and style sheets",
            count=len(slow),
            fix="Add defer or async to scripts; inline the styles the first view needs and load the rest later",
            affected=[
                {"url": safe_url(entry["url"], URL_CHARS), "duration_ms": round(entry["duration"])}
                for entry in slow[:AFFECTED]
            ],
        )


def _document(facts: dict[str, Any]) -> Iterable[Finding]:
    if facts["elements"] > _ELEMENTS:
        yield performance_finding(
            "dom_large",
            "medium" if facts["elements"] > 3 * _ELEMENTS else "low",
            f"The page has {facts['elements']} elements, up to {facts['deepest']} deep",
            "Show long lists in parts (pages, virtual scrolling), and drop wrappers",
            [],
            facts["elements"],
        )
    if facts["oversized"]["count"]:
        yield performance_finding(
            "images_larger_than_shown",
            "medium",
            "Images have far more pixels than are shown",
            "Serve them in the size they are shown in, with srcset for dense screens",
            [
                {
                    "selector": safe_text(image["selector"], _SELECTOR_CHARS),
                    "url": safe_url(image["url"], URL_CHARS),
                    "pixels": "{} × {}".format(*image["natural"]),
                    "shown": "{} × {}".format(*image["shown"]),
                }
                for image in facts["oversized"]["first"]
            ],
            facts["oversized"]["count"],
        )
    for finding, fact, message, fix in (
        (
            "images_without_size",
            "unsized",
            "Images do not say their size, so the page may move when they arrive",
            "Add width and height attributes (or aspect-ratio)",
        ),
        (
            "images_in_view_lazy",
            "lazyInView",
            "Images in the first view are loaded lazily, and so late",
            'Remove loading="lazy" from images in the first view',
        ),
    ):
        if facts[fact]["count"]:
            affected = [show_element(element) for element in facts[fact]["first"]]
            yield performance_finding(finding, "low", message, fix, affected, facts[fact]["count"])
