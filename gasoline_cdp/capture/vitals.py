"""Records how pages load, shift and respond, from the reports of our observer."""

import time
from collections.abc import Callable, Iterator
from typing import Any, get_args

from gasoline_cdp import limits
from gasoline_cdp.analysis.performance.loads import path_of, requests_of, resources_of, sum_up, with_vitals
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.cdp.connection import Params
from gasoline_cdp.measures import LoadTiming, LongTasks, Vital, VitalName
from gasoline_cdp.records import NetworkRecord, PerformanceRecord, Source, VitalsRecord
from gasoline_cdp.redact import safe_text, safe_url
from gasoline_cdp.store.telemetry import Telemetry

_NAMES: tuple[VitalName, ...] = get_args(VitalName)
_NAVIGATION_TYPES = {
    "navigate", "reload", "back-forward", "back-forward-cache", "prerender", "restore", "soft-navigation",
}  # fmt: skip
_INTERACTIONS = ("pointer", "keyboard")
# The phases that a metric may have. Other names are ignored.
_PHASES: dict[VitalName, tuple[str, ...]] = {
    "FCP": ("time_to_first_byte", "render_delay"),
    "LCP": ("time_to_first_byte", "resource_load_delay", "resource_load_duration", "element_render_delay"),
    "CLS": (),
    "INP": ("input_delay", "processing_duration", "presentation_delay"),
    "TTFB": ("waiting_duration", "cache_duration", "dns_duration", "connection_duration", "request_duration"),
}
_ID_CHARS = 60
_TARGET_CHARS = 300
_TAG_CHARS = 60
_FUNCTION_CHARS = 120
_SHIFTS = 5
_ELEMENTS = 5
# Four months in milliseconds: a larger number is no measurement.
_NUMBER_MAX = 1e10


class VitalsTracker:
    """Handles the reports of the main frames of all tabs."""

    def __init__(self, telemetry: Telemetry, pending: Callable[[], list[NetworkRecord]]) -> None:
        self._telemetry = telemetry
        self._pending = pending
        # Where each page was when it first reported. Its last report may arrive after the tab has navigated.
        self._pages: BoundedDict[str, Source] = BoundedDict(limits.PAGES_REPORTING)
        # The last report of each tab's document, until it is summarised.
        self._unsettled: dict[int, Params] = {}

    def vitals(self, report: Params, source: Source) -> None:
        """The current metrics of a page. Missing values of its snapshot are filled in."""
        page_id = self._page_id(report, source)
        if page_id is None:
            return
        tab_id = self._pages[page_id].tab_id
        if isinstance(report.get("document"), str):
            self._unsettled[tab_id] = report
        elif report.get("soft") is not True:
            self._unsettled.pop(tab_id, None)
        record = parse_vitals(
            report, page_id=page_id, source=self._pages[page_id], seq=self._telemetry.next_seq(), ts=time.time()
        )
        self._telemetry.add(record)
        snapshot = self._telemetry.performance.snapshot_of_page(page_id)
        if snapshot is not None:
            filled = with_vitals(snapshot, record.vitals)
            if filled != snapshot:
                self._telemetry.add(filled)

    def left(self, source: Source) -> None:
        """A tab navigates or closes: summarise the page it showed, if that did not happen yet.

        A page that never painted was only passed through.
        """
        report = self._unsettled.pop(source.tab_id, None)
        if report and ("FCP" in _mapping(report.get("metrics")) or _mapping(report.get("timing")).get("load")):
            self.performance({**report, "left": True}, source)

    def performance(self, report: Params, source: Source) -> None:
        """A load has settled, or its page was left: summarise it."""
        page_id = self._page_id(report, source)
        if page_id is None:
            return
        source = self._pages[page_id]
        soft = report.get("soft") is True
        records = [*self._telemetry.network.newest(), *self._pending()]
        requests, complete = requests_of(
            records,
            source,
            document=None if soft else safe_url(report.get("document")),
            since=_number(report.get("since")) if soft else None,
            until=_number(report.get("until")),
        )
        url = safe_url(report.get("url")) or source.url
        timing = _mapping(report.get("timing"))
        snapshot = PerformanceRecord(
            seq=self._telemetry.next_seq(),
            ts=time.time(),
            source=source,
            page_id=page_id,
            url=url,
            path=path_of(url),
            soft_navigation=soft,
            timing=LoadTiming(
                time_to_first_byte=None,
                dom_interactive=_number(timing.get("dom_interactive")),
                dom_content_loaded=_number(timing.get("dom_content_loaded")),
                load=_number(timing.get("load")),
                first_contentful_paint=None,
                largest_contentful_paint=None,
                interaction_to_next_paint=None,
            ),
            network=sum_up(requests, complete=complete),
            long_tasks=_long_tasks(report.get("long_tasks")),
            cumulative_layout_shift=None,
            resources=resources_of(requests),
            left_early=report.get("left") is True,
        )
        known = self._telemetry.performance.vitals_of_page(page_id)
        self._telemetry.add(with_vitals(snapshot, known.vitals) if known else snapshot)

    def _page_id(self, report: Params, source: Source) -> str | None:
        page_id = report.get("page")
        if not isinstance(page_id, str) or not 0 < len(page_id) <= _ID_CHARS or not page_id.isascii():
            return None
        if source.kind != "page" or source.frame_id:
            return None
        self._pages.setdefault(page_id, source)
        return page_id


def parse_vitals(report: Params, *, page_id: str, source: Source, seq: int, ts: float) -> VitalsRecord:
    """A report of metrics. Values of unexpected types are left out."""
    metrics = _mapping(report.get("metrics"))
    kind = report.get("type")
    parsed = {name: _vital(name, _mapping(metrics.get(name))) for name in _NAMES}
    return VitalsRecord(
        seq=seq,
        ts=ts,
        source=source,
        page_id=page_id,
        soft_navigation=report.get("soft") is True,
        navigation_type=kind if isinstance(kind, str) and kind in _NAVIGATION_TYPES else "navigate",
        url=safe_url(report.get("url")) or source.url,
        hidden=report.get("hidden") is True,
        vitals={name: vital for name, vital in parsed.items() if vital is not None},
        long_tasks=_long_tasks(report.get("long_tasks")),
    )


def _vital(name: VitalName, metric: Params) -> Vital | None:
    value = _number(metric.get("value"))
    if value is None:
        return None
    given = _mapping(metric.get("phases"))
    phases = {phase: number for phase in _PHASES[name] if (number := _number(given.get(phase))) is not None}
    interaction = metric.get("interaction")
    details: dict[str, Any] = {
        **_element(metric),
        "url": safe_url(metric.get("url"), limits.URL_CHARS),
        "interaction": interaction if interaction in _INTERACTIONS else None,
        "time": _number(metric.get("time")),
        "phases": phases,
        "shifts": [_shift(shift) for shift in _mappings(metric.get("shifts"), _SHIFTS)],
        "script": _script(metric.get("script")),
    }
    return Vital(
        value=value, details={key: detail for key, detail in details.items() if detail not in (None, "", {}, [])}
    )


def _shift(shift: Params) -> dict[str, Any]:
    elements = [element for one in _mappings(shift.get("elements"), _ELEMENTS) if (element := _element(one))]
    return {
        "value": _number(shift.get("value")) or 0.0,
        "time": _number(shift.get("time")) or 0.0,
        "elements": elements,
    }


def _element(given: Params) -> dict[str, str]:
    """An element as selector and tag. Its ids and names are text of the page."""
    named = (("target", _TARGET_CHARS), ("tag", _TAG_CHARS))
    return {name: safe_text(text, limit) for name, limit in named if isinstance(text := given.get(name), str) and text}


def _script(given: object) -> dict[str, Any] | None:
    script = _mapping(given)
    if not script:
        return None
    texts = {
        "url": safe_url(script.get("url")),
        "function": _text(script.get("function"), _FUNCTION_CHARS),
        "invoker": _text(script.get("invoker"), _TARGET_CHARS),
    }
    return {"duration": _number(script.get("duration")) or 0.0, **{name: text for name, text in texts.items() if text}}


def _long_tasks(given: object) -> LongTasks:
    tasks = _mapping(given)
    entries = [
        {"start": _number(task.get("start")) or 0.0, "duration": _number(task.get("duration")) or 0.0}
        | ({"script": script} if (script := _script(task.get("script"))) else {})
        for task in _mappings(tasks.get("entries"), limits.LONG_TASKS_KEPT)
    ]
    return LongTasks(
        count=int(_number(tasks.get("count")) or 0),
        total_blocking_time=_number(tasks.get("total_blocking_time")) or 0.0,
        longest=_number(tasks.get("longest")) or 0.0,
        entries=tuple(sorted(entries, key=lambda entry: -entry["duration"])),
    )


def _text(value: object, limit: int) -> str:
    return safe_text(value, limit) if isinstance(value, str) else ""


def _number(value: object) -> float | None:
    """A measurement. None for anything else, and for impossible values."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _NUMBER_MAX:
        return None
    return float(value)


def _mapping(value: object) -> Params:
    return value if isinstance(value, dict) else {}


def _mappings(value: object, limit: int) -> Iterator[Params]:
    if isinstance(value, list):
        for item in value[:limit]:
            if isinstance(item, dict):
                yield item
