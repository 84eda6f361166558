"""Which trace a record belongs to."""

from itertools import count
from typing import Any

from attrs import evolve

from gasoline_cdp import otel_limits
from gasoline_cdp.measures import LongTasks
from gasoline_cdp.otel.joining import Exported, Joiner, is_exported
from gasoline_cdp.otel.signals import LogEvent, Origin, Signal, SpanRef, TraceSpan
from gasoline_cdp.records import ActionRecord, NetworkRecord
from tests.fakes import NO_TIMING, PAGE, log_record, network_record, performance_record

_TRACE, _SPAN = 0x0AF7651916CD43DD8448EB211C80319C, 0xB7AD6B7169203331
_CARRIED = {"traceparent": f"00-{_TRACE:032x}-{_SPAN:016x}-01"}
_START = 1_790_000_000.0


def joiner(*pending: NetworkRecord) -> Joiner:
    numbers = count(1)
    return Joiner(
        lambda source, _ts: Origin(source.browser_id),
        lambda: pending,
        lambda _bits: next(numbers),
    )


def click(seq: int = 1, after: float = 1.0, **changes: Any) -> ActionRecord:
    given = {"type": "click", "selectors": {"css": "#buy"}, "fields": {}, **changes}
    return ActionRecord(seq=seq, ts=_START + after, source=PAGE, **given)


def request(seq: int, after: float, **changes: Any) -> NetworkRecord:
    return network_record(seq, ts=_START + after, duration_ms=100.0, **changes)


def named(signals: list[Signal], name: str) -> TraceSpan:
    return next(one for one in signals if isinstance(one, TraceSpan) and one.name == name)


def patiently(joins: Joiner, *records: Exported) -> list[Signal]:
    """Everything about some records, after the time that anything waits."""
    return [*joins.take(records, 0.0), *joins.take((), otel_limits.OTLP_LOAD_SECONDS)]


def test_a_click_takes_the_trace_that_its_request_carries() -> None:
    signals = patiently(joiner(), click(), request(2, 1.01, during=_START + 1.0, request_headers=_CARRIED))
    action, called = named(signals, "click"), named(signals, "GET /api")
    assert action.ref.trace_id == called.ref.trace_id == _TRACE
    assert action.ref.span_id not in {_SPAN, called.ref.span_id}
    # The page may export the span that it named, so ours is another one, below it.
    assert called.parent_id == _SPAN
    assert called.ref.span_id != _SPAN
    assert called.links == ()
    assert action.end == called.end


def test_a_request_that_has_not_finished_decides_as_well() -> None:
    slow = request(0, 1.01, during=_START + 1.0, request_headers=_CARRIED)
    joins = joiner(slow)
    assert named(patiently(joins, click()), "click").ref.trace_id == _TRACE
    assert named(joins.take([evolve(slow, seq=9)], 60.0), "GET /api").ref.trace_id == _TRACE


def test_requests_of_a_click_without_a_trace_are_below_the_click() -> None:
    signals = patiently(
        joiner(),
        request(2, 1.01, during=_START + 1.0),
        # Known after its request: its element had to be looked at.
        click(3),
        log_record(4, "TypeError: no", kind="exception", ts=_START + 1.1, during=_START + 1.0),
    )
    action, called = named(signals, "click"), named(signals, "GET /api")
    assert (called.ref.trace_id, called.parent_id) == (action.ref.trace_id, action.ref.span_id)
    (thrown,) = (one for one in signals if isinstance(one, LogEvent))
    assert thrown.ref == action.ref


def test_a_second_trace_of_one_click_is_linked_to_it() -> None:
    other = {"traceparent": f"00-{7:032x}-{8:016x}-01"}
    during = _START + 1.0
    signals = patiently(
        joiner(),
        click(),
        request(2, 1.01, during=during, request_headers=_CARRIED),
        request(3, 1.02, url="http://app.test/second", during=during, request_headers=other),
    )
    second = named(signals, "GET /second")
    assert (second.ref.trace_id, second.parent_id) == (7, 8)
    assert second.links == (named(signals, "click").ref,)


def test_nothing_waits_when_the_daemon_ends() -> None:
    joins = joiner()
    assert joins.take([click(), request(2, 1.01, during=_START + 1.0)], 0.0) == []
    assert joins.waiting == 2
    assert len(joins.take((), 0.1, ending=True)) == 2
    assert joins.waiting == 0


def test_what_belongs_to_a_load_is_in_its_trace() -> None:
    joins = joiner()
    # The tab still shows the previous page when the document is requested.
    before = evolve(PAGE, navigation=PAGE.navigation - 1)
    document = request(1, 0.0, url="http://app.test/shop", type="Document", source=before)
    script = request(2, 0.2, url="http://app.test/app.js", type="Script")
    assert [named(joins.take([document, script], 0.0), "GET /app.js").name] == ["GET /app.js"]
    timing = evolve(NO_TIMING, load=800.0)
    task = {"start": 300.0, "duration": 90.0}
    tasks = LongTasks(count=1, total_blocking_time=40.0, longest=90.0, entries=(task,))
    signals = joins.take([performance_record(3, "/shop", timing=timing, long_tasks=tasks, ts=_START + 3)], 3.0)
    load = named(signals, "load /shop")
    assert (load.start, round(load.end - load.start, 3)) == (_START, 0.8)
    for part in (named(signals, "GET /shop"), named(signals, "gasoline.long_task")):
        assert (part.ref.trace_id, part.parent_id) == (load.ref.trace_id, load.ref.span_id)
    assert named(signals, "gasoline.long_task").start == _START + 0.3
    # Later requests have a trace of their own, linked to the load.
    late = named(joins.take([request(4, 20.0)], 20.0), "GET /api")
    assert late.ref.trace_id != load.ref.trace_id
    assert (late.parent_id, late.links) == (None, (load.ref,))
    # A load is exported once, though its record is filled in later.
    again = performance_record(5, "/shop", timing=timing, long_tasks=tasks, ts=_START + 4)
    assert joins.take([again], 4.0) == []


def test_a_document_without_a_load_waits_for_some_time_only() -> None:
    joins = joiner()
    document = request(1, 0.0, url="http://app.test/report.pdf", type="Document")
    assert joins.take([document], 0.0) == []
    assert joins.take((), otel_limits.OTLP_LOAD_SECONDS - 1) == []
    assert named(joins.take((), otel_limits.OTLP_LOAD_SECONDS), "GET /report.pdf")
    frame = request(2, 0.0, url="http://app.test/frame", type="Document", request_headers={"sec-fetch-dest": "iframe"})
    assert named(joins.take([frame], 100.0), "GET /frame")


def test_workers_of_many_pages_have_traces_of_their_own() -> None:
    joins = joiner()
    worker = evolve(PAGE, kind="service_worker", target_id="W")
    signals = joins.take([request(1, 0.0, source=worker), request(2, 0.1, source=worker)], 0.0)
    spans = [one for one in signals if isinstance(one, TraceSpan)]
    assert len({span.ref.trace_id for span in spans}) == 2
    assert all(span.parent_id is None and span.links == () for span in spans)


def test_a_page_that_never_reports_its_load_does_not_grow_one_trace_for_ever() -> None:
    joins = joiner()
    early, late = (
        named(joins.take([request(seq, after)], after), "GET /api")
        for seq, after in ((1, 0.0), (2, otel_limits.OTLP_PAGE_SECONDS + 1))
    )
    assert early.parent_id is not None
    assert late.parent_id is None
    assert late.ref.trace_id != early.ref.trace_id


def test_what_is_not_exported() -> None:
    assert not is_exported(network_record(1, "data:text/plain,x"))
    assert not is_exported(network_record(1, "http://app.test/favicon.ico", type="Other"))
    assert not is_exported(log_record(1, kind="console"))
    assert not is_exported(click(type="scroll"))
    assert is_exported(log_record(1, kind="rejection"))
    assert is_exported(click())


def test_ids_are_never_zero() -> None:
    joins = Joiner(lambda _source, _ts: Origin(), random_bits=lambda _bits: 0)
    (span,) = joins.take([request(1, 0.0)], 0.0)
    assert isinstance(span, TraceSpan)
    assert span.ref == SpanRef(1, 1)
