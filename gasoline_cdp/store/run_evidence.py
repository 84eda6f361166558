"""What gates need of a whole test run, kept while the rings lose their oldest records: failures, loads, pages."""

from collections.abc import Iterable
from typing import Any

from attrs import define, evolve

from gasoline_cdp.analysis.gates.failures import is_failure
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.records import LogRecord, NetworkRecord, PerformanceRecord, Record

Failure = LogRecord | NetworkRecord

# Failures as they happened, and as many older ones merged by message; loads for the budgets; pages. A suite of a
# thousand tests has fewer.
RUN_FAILURES = 1000
_RUN_LOADS = 500
_RUN_PAGES = 500
# New failures that are sorted in together: one by one, they take twice the time in a flood.
_UNSORTED = 200


@define
class SeenFailure:
    """A failure, and how often it was seen in the same page and test."""

    record: Failure
    count: int = 1


class RunEvidence:
    """Bounded. Old failures are merged by their message, so that floods do not hide what is different.

    `lasting` is set by a test run: what was captured may be cleared between tests, and the gates judge all of them.
    Failures are kept once somebody is going to ask for them: they are a fifth of what an error costs.
    """

    def __init__(self) -> None:
        self.lasting = False
        self.keeps_failures = False
        # Whether there are budgets, which are for loads.
        self.keeps_loads = True
        self._lost = 0
        # Counts changes of tests: failures before and after are not merged while they are new.
        self.test_changes = 0
        self._recent: BoundedDict[tuple[Any, ...], SeenFailure] = BoundedDict(RUN_FAILURES, self._merge)
        self._older: BoundedDict[tuple[Any, ...], SeenFailure] = BoundedDict(RUN_FAILURES, self._lose)
        self._loads: BoundedDict[str, PerformanceRecord] = BoundedDict(_RUN_LOADS, self._lose_load)
        # Addresses only: a record with its headers takes 4 KB.
        self._pages: BoundedDict[str, None] = BoundedDict(_RUN_PAGES)
        self._by_seq: dict[int, SeenFailure] = {}
        # New failures, each with the number of changes of tests by then.
        self._unsorted: list[tuple[Failure, int]] = []

    def add(self, record: Record) -> None:
        """Keep a record that matters to a gate."""
        if self.keeps_failures and isinstance(record, LogRecord | NetworkRecord) and is_failure(record):
            self._unsorted.append((record, self.test_changes))
            if len(self._unsorted) >= _UNSORTED:
                self._sort_in()
        if isinstance(record, NetworkRecord):
            if _is_page(record):
                self._pages[record.url.partition("#")[0]] = None
        elif isinstance(record, PerformanceRecord) and self.keeps_loads:
            # The resources of a load are most of it, and no budget needs them one by one.
            self._loads[record.page_id] = evolve(record, resources=())

    def keep_failures(self, captured: Iterable[Failure]) -> None:
        """Keep failures from now on, and those among what is captured already."""
        self.keeps_failures = True
        self._unsorted.extend((record, self.test_changes) for record in captured if is_failure(record))

    def _sort_in(self) -> None:
        new, self._unsorted = self._unsorted, []
        for record, test_changes in new:
            key = (*_coarse(record), record.source.target_id, record.source.navigation, test_changes)
            known = self._recent.get(key)
            if known is not None:
                known.count += 1
            else:
                self._by_seq[record.seq] = self._recent[key] = SeenFailure(record)

    def annotate(self, seq: int, fields: dict[str, Any]) -> None:
        """Something was learned about a record: its location in the source, or more of its text."""
        self._sort_in()
        if (seen := self._by_seq.get(seq)) is not None:
            seen.record = evolve(seen.record, **fields)

    def failures(self) -> list[SeenFailure]:
        """All failures, oldest first."""
        self._sort_in()
        return [*self._older.values(), *self._recent.values()]

    @property
    def lost(self) -> int:
        """How many failures and loads are not even merged any more."""
        self._sort_in()
        return self._lost

    def loads(self) -> list[PerformanceRecord]:
        """The loads of pages, oldest first."""
        return list(self._loads.values())

    def is_measured(self, page_id: str) -> bool:
        """Whether the load of a page is known."""
        return page_id in self._loads

    def pages(self) -> list[str]:
        """The addresses of documents that tabs have shown."""
        return list(self._pages)

    def clear(self) -> None:
        """Forget everything, unless the run still needs it."""
        if not self.lasting:
            self._unsorted.clear()
            for kept in (self._recent, self._older, self._loads, self._pages, self._by_seq):
                kept.clear()

    def _merge(self, _: object, seen: SeenFailure) -> None:
        self._by_seq.pop(seen.record.seq, None)
        known = self._older.get(key := _coarse(seen.record))
        if known is None:
            self._older[key] = seen
        else:
            known.count += seen.count

    def _lose(self, _: object, seen: SeenFailure) -> None:
        self._lost += seen.count

    def _lose_load(self, *_: object) -> None:
        self._lost += 1


def _is_page(record: NetworkRecord) -> bool:
    return record.type == "Document" and not record.source.frame_id and record.outcome != "redirect"


def _coarse(record: Failure) -> tuple[Any, ...]:
    """What makes two failures the same, wherever they happened."""
    if isinstance(record, LogRecord):
        return record.kind, record.text
    return record.method, record.url, record.page_status, record.failure
