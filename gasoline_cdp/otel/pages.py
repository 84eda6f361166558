"""The traces of pages: each load of a document has one, and what belongs to the load is in it."""

from collections.abc import Callable, Iterable

from attrs import define, field

from gasoline_cdp import otel_limits
from gasoline_cdp.analysis.performance.loads import document_of
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.measures import LongTasks, VitalName
from gasoline_cdp.otel.describing import end_of, load_span, long_task_spans
from gasoline_cdp.otel.signals import Origin, SpanRef, TraceSpan
from gasoline_cdp.records import NetworkRecord, PerformanceRecord, Source, VitalsRecord

# These serve any number of pages.
_SHARED = ("shared_worker", "service_worker")

# The navigations of one document, which are its route changes, whose vitals are compared with what was exported.
_NAVIGATIONS = 5

PageKey = tuple[str, int, int]


@define(eq=False)
class TracedPage:
    """One load of a document: the ref of its span, and when it began and ended as far as that is known."""

    ref: SpanRef
    # When the first record of it was made.
    first: float
    began: float | None = None
    ended: float | None = None
    exported: bool = False
    # The values of its vitals and the starts of its long tasks that were exported, by the id of its navigation.
    vitals: BoundedDict[str, dict[VitalName, float]] = field(factory=lambda: BoundedDict(_NAVIGATIONS))
    long_tasks: set[float] = field(factory=set)

    def covers(self, ts: float) -> bool:
        """Whether a request at this time belongs to the load."""
        return ts <= (self.first + otel_limits.OTLP_PAGE_SECONDS if self.ended is None else self.ended)


class Pages:
    """The newest pages of all tabs."""

    def __init__(self, new_ref: Callable[[], SpanRef]) -> None:
        self._new_ref = new_ref
        self._pages: BoundedDict[PageKey, TracedPage] = BoundedDict(otel_limits.OTLP_PAGES)

    def of(self, source: Source, ts: float) -> TracedPage | None:
        """The page that a record belongs to; None for workers that serve several."""
        if source.kind in _SHARED or source.ingested_from:
            return None
        return self._at((source.browser_id, source.tab_id, source.navigation), ts)

    def _at(self, key: PageKey, ts: float) -> TracedPage:
        page = self._pages.get(key)
        if page is None:
            page = self._pages[key] = TracedPage(self._new_ref(), ts)
        return page

    def loaded(
        self, record: PerformanceRecord, waiting: Iterable[NetworkRecord], origin: Origin
    ) -> tuple[list[TraceSpan], list[NetworkRecord]]:
        """A load was measured: its spans, and the requests of its document. Both are empty for one that is known."""
        page = self.of(record.source, record.ts)
        if page is None or page.exported or record.soft_navigation:
            return [], []
        documents = document_of([request for request in waiting if is_document(request)], record.source, record.url)
        timing = record.timing
        began = min([page.first, *(document.ts for document in documents)])
        took = timing.load or timing.dom_content_loaded or 0.0
        page.began = began
        page.ended = max([began + took / 1000, *(end_of(document) for document in documents)])
        page.exported = True
        span = load_span(record, origin, page.ref, began, page.ended)
        return [span, *self._long_tasks(page, record.long_tasks, origin)], documents

    def reported(self, record: VitalsRecord, origin: Origin) -> list[TraceSpan]:
        """The long tasks of a page that were not exported yet."""
        page = self.of(record.source, record.ts)
        if page is None or record.soft_navigation:
            return []
        return self._long_tasks(page, record.long_tasks, origin)

    def _long_tasks(self, page: TracedPage, tasks: LongTasks, origin: Origin) -> list[TraceSpan]:
        if page.began is None:
            return []
        return list(long_task_spans(tasks, origin, page.ref, page.began, page.long_tasks, self._ref_in))

    def _ref_in(self, ref: SpanRef) -> SpanRef:
        return SpanRef(ref.trace_id, self._new_ref().span_id)


def is_document(record: NetworkRecord) -> bool:
    """Whether it is the request of a page, and not of a frame in one."""
    return (
        record.type == "Document"
        and record.source.kind == "page"
        and record.request_headers.get("sec-fetch-dest", "document") == "document"
    )
