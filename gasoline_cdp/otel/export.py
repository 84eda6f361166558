"""Exports what is stored to an OpenTelemetry backend: a listener of `Telemetry` with a bounded queue.

A record that is stored costs one append to the queue. A task joins the records into traces every few seconds, and a
thread encodes and sends them, so a backend that is slow or gone never delays what is captured. What does not fit into
the queue, and what the backend did not accept, is dropped and counted.
"""

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import trio
from attrs import frozen

from gasoline_cdp import otel_limits
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.otel.joining import Exported, Joiner, is_exported
from gasoline_cdp.otel.signals import Gauge, Origin, Outcome, Signal, SignalBatch, Value
from gasoline_cdp.records import ActionRecord, LogRecord, NetworkRecord, Record, Source
from gasoline_cdp.store.telemetry import Telemetry

_HEAP = "gasoline.page.js_heap.used"
# A record of a page's metrics has no size of its own.
_METRICS_BYTES = 4000


class BatchSender(Protocol):
    """Sends a batch, and blocks while it does."""

    def send(self, batch: SignalBatch) -> Outcome: ...  # noqa: D102
    def close(self) -> None: ...  # noqa: D102


@frozen
class HeapSize:
    """How many bytes the JavaScript heap of a page had at one moment."""

    source: Source
    ts: float
    used: int


@frozen(kw_only=True)
class Sources:
    """Where the export gets what is in no record."""

    # The resource attributes of an origin.
    describe: Callable[[Origin], dict[str, Value]]
    test_of: Callable[[Source, float], str] = lambda _source, _ts: ""
    pending: Callable[[], Iterable[NetworkRecord]] = tuple
    heaps: Callable[[], Iterable[HeapSize]] = tuple


class Export:
    """One export. `open_sender` makes the sender, in a thread: it imports OpenTelemetry."""

    def __init__(
        self,
        telemetry: Telemetry,
        endpoint: str,
        open_sender: Callable[[], BatchSender],
        sources: Sources,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.endpoint = endpoint
        # Signals that the backend accepted; records and signals that were dropped.
        self.sent = 0
        self.dropped = 0
        # Why the newest batch that failed did so; empty when the newest one was accepted.
        self.failure = ""
        self._telemetry = telemetry
        self._open_sender = open_sender
        self._sources = sources
        self._clock = clock
        self._queue: deque[Exported] = deque()
        self._bytes = 0
        self._sending = 0
        self._joiner = Joiner(self._origin_of, sources.pending)
        # When the heap of each tab that was exported last was measured.
        self._heaps: BoundedDict[tuple[str, int], float] = BoundedDict(otel_limits.OTLP_PAGES)
        self._woken = trio.Event()
        self._ending = False
        self._scope = trio.CancelScope(shield=True)
        self._ended: trio.Event | None = None

    @property
    def waiting(self) -> int:
        """Records and signals that are not sent yet."""
        return len(self._queue) + self._joiner.waiting + self._sending

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Queue every record from now on, until the block ends."""
        with self._telemetry.listening(self.on_record):
            yield

    def on_record(self, record: Record) -> None:
        """A record was stored."""
        if not is_exported(record):
            return
        self._queue.append(record)  # type: ignore[arg-type]  # `is_exported` has just said so
        self._bytes += _size(record)
        while len(self._queue) > otel_limits.OTLP_QUEUE or self._bytes > otel_limits.OTLP_QUEUE_BYTES:
            self._bytes -= _size(self._queue.popleft())
            self.dropped += 1
        if len(self._queue) >= otel_limits.OTLP_BATCH:
            self._woken.set()

    def take(self, *, ending: bool = False) -> list[Signal]:
        """What can be sent by now."""
        records = [self._known(record) for record in self._queue]
        self._queue.clear()
        self._bytes = 0
        signals = self._joiner.take(records, self._clock(), ending=ending)
        self.dropped += self._joiner.forget_oldest(max(0, self._joiner.waiting - otel_limits.OTLP_QUEUE))
        return [*signals, *self._heap_sizes()]

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Send until `finish` is called. Shielded, so that what is left can be sent when the daemon is cancelled."""
        self._ended = trio.Event()
        try:
            with self.listening(), self._scope:
                task_status.started()
                sender = await trio.to_thread.run_sync(self._open_sender, abandon_on_cancel=True)
                try:
                    await self._send_all(sender)
                finally:
                    sender.close()
        finally:
            self._ended.set()

    async def finish(self) -> None:
        """Send what is left, for some seconds at most."""
        if self._ended is None:
            return
        self._ending = True
        self._woken.set()
        self._scope.deadline = trio.current_time() + otel_limits.OTLP_FLUSH_SECONDS
        with trio.CancelScope(shield=True):
            await self._ended.wait()

    async def _send_all(self, sender: BatchSender) -> None:
        while not self._ending:
            with trio.move_on_after(otel_limits.OTLP_SECONDS):
                await self._woken.wait()
            self._woken = trio.Event()
            await self._send(sender, self.take(ending=self._ending))
        if len(self._queue) or self._joiner.waiting:
            await self._send(sender, self.take(ending=True))

    async def _send(self, sender: BatchSender, signals: Sequence[Signal]) -> None:
        self._sending = len(signals)
        for start in range(0, len(signals), otel_limits.OTLP_BATCH):
            chosen = tuple(signals[start : start + otel_limits.OTLP_BATCH])
            batch = SignalBatch(
                chosen, {origin: self._sources.describe(origin) for origin in {one.origin for one in chosen}}
            )
            self.note(await trio.to_thread.run_sync(sender.send, batch, abandon_on_cancel=True))
            self._sending -= len(chosen)

    def note(self, outcome: Outcome) -> None:
        """Count what became of a batch."""
        self.sent += outcome.sent
        self.dropped += outcome.failed
        self.failure = outcome.reason

    def _known(self, record: Exported) -> Exported:
        if isinstance(record, NetworkRecord | LogRecord | ActionRecord):
            return self._telemetry.known(record)
        return record

    def _origin_of(self, source: Source, ts: float) -> Origin:
        return Origin(source.browser_id, self._sources.test_of(source, ts))

    def _heap_sizes(self) -> Iterator[Gauge]:
        for heap in self._sources.heaps():
            key = heap.source.browser_id, heap.source.tab_id
            if heap.ts <= self._heaps.get(key, -math.inf):
                continue
            self._heaps[key] = heap.ts
            yield Gauge(
                origin=self._origin_of(heap.source, heap.ts),
                name=_HEAP,
                unit="By",
                description="Bytes of the JavaScript heap of a page that are in use.",
                ts=heap.ts,
                value=heap.used,
                attributes={"gasoline.tab.id": heap.source.tab_id, "browser.document.url.full": heap.source.url},
            )


def _size(record: Record) -> int:
    return getattr(record, "size", _METRICS_BYTES)
