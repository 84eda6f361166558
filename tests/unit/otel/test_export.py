"""The queue before a backend: what waits, what is sent, and what goes when it is slow or gone."""

import tracemalloc
from array import array
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import trio
import trio.testing
from attrs import evolve

from gasoline_cdp import otel_limits
from gasoline_cdp.otel.export import BatchSender, Export, HeapSize, Sources
from gasoline_cdp.otel.signals import Gauge, Origin, Outcome, Signal, SignalBatch
from gasoline_cdp.records import NetworkRecord
from gasoline_cdp.store.telemetry import Telemetry
from tests.fakes import PAGE, log_record, network_record
from tests.support import PATIENCE


class Backend:
    """A sender of the test. It runs in a thread, as a real one does."""

    def __init__(self, answer: Callable[[SignalBatch], Outcome] | None = None) -> None:
        self.batches: list[SignalBatch] = []
        self.closed = False
        self._answer = answer or (lambda batch: Outcome(len(batch.signals)))

    def send(self, batch: SignalBatch) -> Outcome:
        self.batches.append(batch)
        return self._answer(batch)

    def close(self) -> None:
        self.closed = True

    @property
    def signals(self) -> list[Any]:
        return [signal for batch in self.batches for signal in batch.signals]


def make(telemetry: Telemetry, backend: Backend, **sources: Any) -> Export:
    given = {"describe": lambda origin: {"gasoline.browser.id": origin.browser_id}, **sources}
    return Export(telemetry, "http://backend.test", lambda: backend, Sources(**given))


def record(seq: int) -> NetworkRecord:
    return network_record(seq, f"http://app.test/api/{seq % 10}", duration_ms=5.0)


async def test_what_is_stored_is_sent_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(otel_limits, "OTLP_SECONDS", 0.01)
    telemetry, backend = Telemetry(), Backend()
    export = make(telemetry, backend, test_of=lambda _source, _ts: "checkout")
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            await nursery.start(export.run)
            for seq in range(1, 4):
                telemetry.add(record(seq))
            telemetry.add(log_record(4))
            await export.finish()
    assert (export.sent, export.dropped, export.waiting, export.failure) == (3, 0, 0, "")
    assert backend.closed
    assert {one.origin for one in backend.signals} == {Origin("b1", "checkout")}
    assert backend.batches[0].resources == {Origin("b1", "checkout"): {"gasoline.browser.id": "b1"}}
    assert telemetry.listeners == 0


async def test_what_was_learned_of_a_record_is_sent() -> None:
    telemetry, backend = Telemetry(), Backend()
    export = make(telemetry, backend)
    async with trio.open_nursery() as nursery:
        await nursery.start(export.run)
        telemetry.add(log_record(1, "TypeError: a is not a function", kind="exception"))
        telemetry.annotate(1, {"text": "TypeError: addToCart is not a function"})
        await export.finish()
    assert backend.signals[0].body == "TypeError: addToCart is not a function"


async def test_a_daemon_that_is_cancelled_still_sends_what_it_has() -> None:
    telemetry, backend = Telemetry(), Backend()
    export = make(telemetry, backend)
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            await nursery.start(export.run)
            telemetry.add(record(1))
            nursery.cancel_scope.cancel()
            await export.finish()
    assert (len(backend.signals), export.sent) == (1, 1)


async def test_a_backend_that_never_answers_does_not_hold_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(otel_limits, "OTLP_SECONDS", 0.01)
    monkeypatch.setattr(otel_limits, "OTLP_FLUSH_SECONDS", 0.05)
    telemetry = Telemetry()
    asked, release, token = trio.Event(), trio.Event(), trio.lowlevel.current_trio_token()

    def wait(_: SignalBatch) -> Outcome:
        trio.from_thread.run_sync(asked.set, trio_token=token)
        trio.from_thread.run(release.wait, trio_token=token)
        return Outcome(0)

    backend = Backend(wait)
    export = make(telemetry, backend)
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            await nursery.start(export.run)
            telemetry.add(record(1))
            await asked.wait()
            await export.finish()
    release.set()
    assert (export.sent, backend.closed) == (0, True)


async def test_what_a_backend_refuses_is_dropped_with_its_reason() -> None:
    telemetry, backend = Telemetry(), Backend(lambda batch: Outcome(0, len(batch.signals), "traces: HTTP status 401"))
    export = make(telemetry, backend)
    async with trio.open_nursery() as nursery:
        await nursery.start(export.run)
        telemetry.add(record(1))
        await export.finish()
    assert (export.sent, export.dropped, export.failure) == (0, 1, "traces: HTTP status 401")


def test_the_queue_drops_its_oldest() -> None:
    telemetry = Telemetry()
    export = make(telemetry, Backend())
    with export.listening():
        for seq in range(1, otel_limits.OTLP_QUEUE + 6):
            telemetry.add(record(seq))
    assert (export.waiting, export.dropped) == (otel_limits.OTLP_QUEUE, 5)
    assert export.take()[0].attributes["gasoline.request.id"] == "r6"


def test_large_records_are_bounded_by_their_bytes() -> None:
    telemetry = Telemetry()
    export = make(telemetry, Backend())
    with export.listening():
        for seq in range(1, 2001):
            telemetry.add(log_record(seq, "Error: " + "x" * 4000, kind="exception"))
    assert export.waiting <= otel_limits.OTLP_QUEUE_BYTES / 4000
    assert export.waiting + export.dropped == 2000


def test_what_waits_for_its_trace_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(otel_limits, "OTLP_QUEUE", 10)
    telemetry = Telemetry()
    export = make(telemetry, Backend())
    with export.listening():
        for seq in range(1, 31):
            telemetry.add(evolve(record(seq), during=1.0))
            if seq % 10 == 0:
                assert export.take() == []
    assert (export.waiting, export.dropped) == (10, 20)


def test_a_heap_is_measured_once() -> None:
    sizes = [HeapSize(PAGE, 10.0, 5_000_000)]
    export = make(Telemetry(), Backend(), heaps=lambda: sizes)
    (gauge,) = export.take()
    assert isinstance(gauge, Gauge)
    assert (gauge.name, gauge.unit, gauge.value) == ("gasoline.page.js_heap.used", "By", 5_000_000)
    assert export.take() == []
    sizes[:] = [HeapSize(PAGE, 20.0, 6_000_000)]
    assert [one.value for one in export.take() if isinstance(one, Gauge)] == [6_000_000]


class _Unreachable(Export):
    """Each attempt to send takes as long as the exporters try, and fails."""

    async def _send(self, sender: BatchSender, signals: Sequence[Signal]) -> None:
        del sender
        self._sending = len(signals)
        if signals:
            await trio.sleep(10)
        self.note(Outcome(0, len(signals), "traces: no answer"))
        self._sending = 0


@pytest.mark.long
async def test_an_hour_without_a_backend_costs_nothing_but_the_queue(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.testing.MockClock
) -> None:
    monkeypatch.setattr(otel_limits, "OTLP_QUEUE", 20)
    telemetry = Telemetry()
    sources = Sources(describe=lambda _: {})
    export = _Unreachable(telemetry, "http://backend.test", Backend, sources, autojump_clock.current_time)
    seconds, per_second = 3600, 3
    # Made before anything is measured: lists of numbers would grow by more than what is looked for.
    sizes, waiting = array("q", [0]) * seconds, array("q", [0]) * seconds
    tracemalloc.start()
    try:
        async with trio.open_nursery() as nursery:
            await nursery.start(export.run)
            for second in range(seconds):
                for number in range(per_second):
                    telemetry.add(record(second * per_second + number + 1))
                await trio.sleep(1)
                waiting[second] = export.waiting
                sizes[second] = tracemalloc.get_traced_memory()[0]
            accounted = export.sent, export.dropped + export.waiting
            await export.finish()
    finally:
        tracemalloc.stop()
    assert accounted == (0, seconds * per_second)
    assert max(waiting) <= 2 * otel_limits.OTLP_QUEUE
    # Everything was captured.
    assert telemetry.network.received == seconds * per_second
    assert len(telemetry.network) == telemetry.network.max_entries
    # The ring is full after some minutes. From then on nothing grows: not by ten bytes for each record.
    first, second_half = max(sizes[: seconds // 2]), max(sizes[seconds // 2 :])
    assert second_half - first < seconds * per_second / 2 * 10
