"""The lines of a live view: one per record, with URLs relative to the page in its tab."""

from typing import Any

from attrs import evolve

from gasoline_cdp import limits
from gasoline_cdp.analysis.normalise import origin_of
from gasoline_cdp.answers.amounts import clock
from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.network_entries import request_tag
from gasoline_cdp.answers.paging import iso
from gasoline_cdp.answers.record_entries import show_record
from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.cdp.tabs import Tabs
from gasoline_cdp.records import ActionRecord, LogRecord, NetworkRecord, Record, SocketRecord

# Kinds that a person can follow. The rest is for programs.
_FOLLOWED = (LogRecord, NetworkRecord, SocketRecord, ActionRecord)


def live_line(record: Record, tabs: Tabs) -> Line | None:
    """The line of a record. None for kinds that would be too much to follow."""
    if not isinstance(record, _FOLLOWED):
        return None
    entry: Any = show_record(record)
    line: Line = next(iter(entry.lines(_shared(record, tabs), limits.LINE_TEXT_CHARS)))
    if isinstance(record, NetworkRecord):
        # Those who watch need not know what is ordinary.
        line = evolve(line, tag=f"{record.id} {request_tag(record.method, record.status, record.outcome)}")
    return evolve(line, time=clock(iso(shown_at(record))))


def shown_at(record: Record) -> float:
    """The time that a live line shows. A request is shown when it ends, so it has that time: lines stay in order."""
    return record.ts + (record.duration_ms or 0) / 1000 if isinstance(record, NetworkRecord) else record.ts


def _shared(record: Record, tabs: Tabs) -> SharedFacts:
    """Facts that live lines may omit: the page of the tab, and the tab if only one is open."""
    opened = list(tabs.open())
    tab = next((tab for tab in opened if tab.tab_id == record.source.tab_id), None)
    page = tab.source.url if tab else ""
    return SharedFacts(origin=origin_of(page), page=page, tab_id=tab.tab_id if tab and len(opened) == 1 else None)
