"""Takes heap snapshots of pages, frames and workers, on a session of its own, straight into the worker process."""

from collections.abc import Callable
from typing import Any

import trio

from gasoline_cdp import limits, memory_limits
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.undecoded import leaving_undecoded
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.heap_worker import frames
from gasoline_cdp.heap_worker.process import ChunkQueue, HeapWorker, WorkerError
from gasoline_cdp.probe.dom import browser_ended
from gasoline_cdp.probe.memory import MemorySample, sample_memory

Progress = Callable[[float, float | None, str], None]
_CHUNK = "HeapProfiler.addHeapSnapshotChunk"
# Objects that Chrome holds for us would be in the snapshot as if the page held them.
_GROUPS = ("console", "gasoline-audit", "gasoline-memory", "gasoline-script")


async def settle(tab: Tab, session: Session, progress: Progress) -> MemorySample:
    """Collect garbage until the counters stay the same: timers and requests may still end what an action began."""
    before: MemorySample | None = None
    with trio.move_on_after(memory_limits.HEAP_SETTLE_SECONDS):
        while True:
            progress(0, None, "waits until the page has settled")
            await trio.sleep(memory_limits.HEAP_QUIET_SECONDS)
            _require_open(tab)
            # The first collection runs finalizers; what only they held goes with the second.
            await session.send("HeapProfiler.collectGarbage")
            await session.send("HeapProfiler.collectGarbage")
            now = await sample_memory(session)
            if before is not None and (before.nodes, before.listeners) == (now.nodes, now.listeners):
                return now
            before = now
    _require_open(tab)
    return await sample_memory(session)


def _require_open(tab: Tab) -> None:
    """Chrome never replies to what is sent to a crashed tab."""
    if tab.state != "open":
        raise CdpClosed(f"the tab {tab.state}")


async def capture_heap(
    worker: HeapWorker,
    name: str,
    tab: Tab,
    own: Session,
    progress: Progress,
    save: Callable[[bytes], None] | None = None,
) -> tuple[dict[str, Any], MemorySample]:
    """Take a snapshot and have the worker keep it. Returns what the worker says, and the counters."""
    if tab.state == "crashed":
        raise GasolineError(Code.PAGE_HUNG, f"Tab {tab.tab_id} has crashed. Reload it, then ask again.")
    navigation = tab.source.navigation
    outcome: dict[str, Any] = {}
    for group in _GROUPS:
        tab.session.post("Runtime.releaseObjectGroup", {"objectGroup": group})
    tab.analysis = "a heap snapshot"
    try:
        counters = await settle(tab, own, progress)
        if counters.used > memory_limits.HEAP_BYTES_MAX:
            raise GasolineError(
                Code.HEAP_TOO_LARGE,
                f"The heap of tab {tab.tab_id} has {counters.used // limits.MB} MB. Snapshots are taken up to "
                f"{memory_limits.HEAP_BYTES_MAX // limits.MB} MB. Reload the page and ask before it has grown.",
                heap_mb=counters.used // limits.MB,
            )
        async with worker.receiving(name, outcome) as queue:
            await _stream(own, tab, queue, progress, save)
    except (CdpClosed, CdpError) as error:
        raise _lost(tab, navigation) from error
    except WorkerError as error:
        raise worker_failed(error) from error
    finally:
        tab.analysis = ""
    if tab.source.navigation != navigation:
        await worker.drop(name)
        raise _lost(tab, navigation)
    return outcome, counters


async def _stream(
    own: Session, tab: Tab, queue: ChunkQueue, progress: Progress, save: Callable[[bytes], None] | None
) -> None:
    """Have Chrome write the snapshot. Ends early if the page navigates: Chrome would never reply."""

    def chunk(params: Params) -> None:
        _pass_on(params.get("chunk", ""), queue, save)

    def progressed(params: Params) -> None:
        progress(float(params.get("done", 0)), float(params.get("total", 0)) or None, "takes a heap snapshot")

    navigated = trio.CancelScope()

    def left(params: Params) -> None:
        if not (params.get("frame") or {}).get("parentId"):
            navigated.cancel()

    async def watch_queue(scope: trio.CancelScope) -> None:
        await queue.failed.wait()
        scope.cancel()

    with (
        own.listening(_CHUNK, chunk),
        leaving_undecoded(own, _CHUNK, "chunk"),
        own.listening("HeapProfiler.reportHeapSnapshotProgress", progressed),
        tab.session.listening("Page.frameNavigated", left),
    ):
        with navigated:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(watch_queue, nursery.cancel_scope)
                _require_open(tab)
                await own.send("HeapProfiler.takeHeapSnapshot", {"reportProgress": True, "captureNumericValue": True})
                nursery.cancel_scope.cancel()
        if navigated.cancelled_caught:
            raise CdpClosed("the page navigated", "HeapProfiler.takeHeapSnapshot")
        if queue.fault is not None:
            raise queue.fault


def _pass_on(text: str | memoryview, queue: ChunkQueue, save: Callable[[bytes], None] | None) -> None:
    """A piece of the snapshot: to the worker as it is, and to a file decoded."""
    kind = frames.ESCAPED if isinstance(text, memoryview) else frames.CHUNK
    chunk = text if isinstance(text, memoryview) else text.encode(errors="replace")
    if save is not None and queue.fault is None:
        try:
            save(frames.unescape(bytes(chunk)) if kind == frames.ESCAPED else bytes(chunk))
        except OSError as error:
            queue.fail(GasolineError(Code.OUTPUT_REFUSED, f"Cannot write the heap snapshot: {error.strerror}."))
    queue.add(chunk, kind)


def _lost(tab: Tab, navigation: int) -> GasolineError:
    """Why the page did not finish its snapshot."""
    if tab.session.browser_gone:
        return browser_ended()
    if tab.state == "closed":
        return GasolineError(
            Code.NO_SUCH_TAB, f"Tab {tab.tab_id} was closed during its heap snapshot. Nothing is kept."
        )
    if tab.state == "crashed":
        return GasolineError(
            Code.PAGE_HUNG, f"Tab {tab.tab_id} crashed during its heap snapshot. Nothing is kept. Reload it."
        )
    if tab.source.navigation != navigation:
        return GasolineError(
            Code.PAGE_NAVIGATED,
            f"Tab {tab.tab_id} navigated during its heap snapshot. Nothing is kept. Call again when it has loaded.",
        )
    return GasolineError(
        Code.PAGE_NAVIGATED, f"The frame, worker or page in tab {tab.tab_id} ended during its heap snapshot. Ask again."
    )


def worker_failed(error: WorkerError) -> GasolineError:
    """What a failure of the worker means to the caller."""
    if error.kind == "format":
        what = str(error).rstrip(".")
        return GasolineError(Code.BAD_SNAPSHOT_FILE, f"The heap snapshot cannot be read: {what}. Take it again.")
    if error.kind == "object":
        return GasolineError(
            Code.NO_SUCH_OBJECT,
            f"The snapshot has no object {str(error)!r}: give an id or a class that an answer named.",
        )
    if error.kind == "memory":
        return GasolineError(
            Code.HEAP_TOO_LARGE,
            "There is not enough memory to analyse the heap snapshot. Close other programs, or ask when the page has a "
            "smaller heap. Snapshots that were kept before are still there.",
        )
    return GasolineError(
        Code.HEAP_ANALYSIS_FAILED,
        f"The process that analyses heap snapshots failed: {error}. Snapshots that it kept are gone: take the baseline "
        "again.",
    )
