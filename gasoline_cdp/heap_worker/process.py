"""The daemon's side: starts the worker when it is needed, ends it when it is idle, and notices when it dies.

One question at a time. Whoever receives a snapshot holds the worker until it is whole.
"""

import logging
import os
import subprocess
import sys
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import orjson
import trio

from gasoline_cdp import limits, memory_limits
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.heap_worker import frames
from gasoline_cdp.nurseries import open_hidden_nursery

log = logging.getLogger(__name__)

_COMMAND = (sys.executable, "-m", "gasoline_cdp.heap_worker")
# numpy's library of linear algebra, which nothing here uses, would start a thread for each core: 40 ms of CPU.
_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1"}
_GONE = (trio.BrokenResourceError, trio.ClosedResourceError)


Chunk = bytes | memoryview


class WorkerError(Exception):
    """The worker could not answer. `kind`: `format`, `object`, `memory`, or `ended` if the process is gone."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class ChunkQueue:
    """Pieces of a snapshot on their way to the worker. Adding never waits: event handlers cannot."""

    def __init__(self) -> None:
        self._chunks: deque[tuple[bytes, Chunk]] = deque()
        self._waiting = 0
        self._added = trio.Event()
        self._ended = False
        self.bytes = 0
        # Set when the snapshot cannot become whole: too large, or the worker does not keep up.
        self.fault: GasolineError | None = None
        self.failed = trio.Event()
        self._taken = trio.Event()

    async def drained(self) -> None:
        """Wait until the worker has taken all pieces: for a source that can wait."""
        while self._chunks:
            self._taken = trio.Event()
            await self._taken.wait()

    def add(self, chunk: Chunk, kind: bytes = frames.CHUNK) -> None:
        """Add a piece: text, or text as it stands in JSON (`frames.ESCAPED`)."""
        if self.fault is not None:
            return
        self.bytes += len(chunk)
        self._waiting += len(chunk)
        if self.bytes > memory_limits.HEAP_TEXT_BYTES_MAX:
            self.fail(
                GasolineError(
                    Code.HEAP_TOO_LARGE,
                    f"The snapshot is larger than {memory_limits.HEAP_TEXT_BYTES_MAX // limits.MB} MB and was "
                    "stopped. Reload the page and ask before it has grown.",
                )
            )
        elif self._waiting > memory_limits.HEAP_QUEUE_BYTES:
            self.fail(
                GasolineError(
                    Code.HEAP_ANALYSIS_FAILED,
                    "The snapshot was stopped: the process that reads it does not keep up. The machine may be short of "
                    "memory or very busy. Call again.",
                )
            )
        else:
            self._chunks.append((kind, chunk))
            self._added.set()

    def end(self) -> None:
        """No more pieces follow."""
        self._ended = True
        self._added.set()

    async def take(self) -> tuple[bytes, Chunk] | None:
        """The next piece, and its kind; None at the end."""
        while not self._chunks:
            if self._ended:
                return None
            await self._added.wait()
            self._added = trio.Event()
        kind, chunk = self._chunks.popleft()
        self._waiting -= len(chunk)
        self._taken.set()
        return kind, chunk

    def fail(self, error: GasolineError) -> None:
        """The snapshot cannot become whole."""
        self.fault = error
        self._chunks.clear()
        self.failed.set()


class HeapWorker:
    """The worker process, if one runs. `lives` counts processes: snapshots of an earlier one are gone."""

    def __init__(self) -> None:
        self._process: trio.Process | None = None
        self._lock = trio.Lock()
        self._used = trio.Event()
        self.lives = 0
        self.last_used = 0.0

    @property
    def pid(self) -> int | None:
        """Its process, if it runs."""
        return self._process.pid if self._process is not None and self._process.returncode is None else None

    async def run(self) -> None:
        """End the worker when nobody has asked for long, and when cancelled."""
        try:
            while True:
                await self._used.wait()
                while self.pid is not None:
                    idle_for = trio.current_time() - self.last_used
                    if idle_for >= memory_limits.HEAP_IDLE_SECONDS and not self._lock.locked():
                        await self.end()
                        break
                    await trio.sleep(max(memory_limits.HEAP_IDLE_SECONDS - idle_for, 1.0))
                self._used = trio.Event()
        finally:
            with trio.CancelScope(shield=True):
                await self.end()

    async def end(self) -> None:
        """End the process. Its memory goes back to the system, and its snapshots are gone."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        with trio.move_on_after(limits.REAP_SECONDS):
            await process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                await trio.aclose_forcefully(stream)

    async def ask(self, question: str, **details: Any) -> dict[str, Any]:
        """Ask about snapshots that the worker keeps. Raises `WorkerError`."""
        async with self._lock:
            return await self._command({"do": "ask", "question": question, **details})

    async def drop(self, name: str) -> None:
        """Forget a snapshot."""
        if self.pid is not None:
            async with self._lock:
                await self._command({"do": "drop", "name": name})

    @asynccontextmanager
    async def receiving(self, name: str, outcome: dict[str, Any]) -> AsyncIterator[ChunkQueue]:
        """Send a snapshot in pieces. When the block ends without an error, it is kept: `outcome` says more."""
        async with self._lock:
            await self._command({"do": "begin"})
            queue = ChunkQueue()
            whole = False
            try:
                async with open_hidden_nursery() as nursery:
                    nursery.start_soon(self._send_chunks, queue)
                    yield queue
                    queue.end()
                whole = True
            finally:
                if not whole and self.pid is not None:
                    with trio.CancelScope(shield=True), suppress(WorkerError):
                        await self._abort()
            outcome.update(await self._command({"do": "finish", "name": name}))

    async def _abort(self) -> None:
        """Have the worker forget an unfinished snapshot. It may have been left inside a frame: then it is ended."""
        with trio.move_on_after(memory_limits.HEAP_CANCEL_SECONDS) as scope:
            await self._command({"do": "abort"})
        if scope.cancelled_caught:
            await self.end()

    async def _send_chunks(self, queue: ChunkQueue) -> None:
        while (taken := await queue.take()) is not None:
            kind, chunk = taken
            await self._write(frames.head(kind, len(chunk)), chunk)

    async def _command(self, command: dict[str, Any]) -> dict[str, Any]:
        await self._start()
        self.last_used = trio.current_time()
        await self._write(frames.message(command))
        try:
            reply = await self._reply()
        except trio.Cancelled:
            # The answer is under way. Wait a little for it, so that the next question finds a worker in order.
            with trio.CancelScope(shield=True), suppress(WorkerError):
                with trio.move_on_after(memory_limits.HEAP_CANCEL_SECONDS) as scope:
                    await self._reply()
                if scope.cancelled_caught:
                    await self.end()
            raise
        if "error" in reply:
            raise WorkerError(reply["error"], reply["message"])
        result: dict[str, Any] = reply["result"]
        return result

    async def _start(self) -> None:
        if self.pid is not None:
            return
        await self.end()
        self._process = process = await trio.lowlevel.open_process(
            _COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **_ENVIRONMENT},
        )
        _widen(process.stdin)
        self.lives += 1
        self.last_used = trio.current_time()
        self._used.set()

    async def _write(self, *parts: Chunk) -> None:
        process = self._process
        if process is None or process.stdin is None:
            raise await self._ended()
        try:
            for part in parts:
                await process.stdin.send_all(part)
        except _GONE:
            raise await self._ended() from None

    async def _reply(self) -> dict[str, Any]:
        kind, size = frames.parse_head(await self._read(frames.HEAD_BYTES))
        if kind != frames.MESSAGE or size > memory_limits.HEAP_REPLY_BYTES:
            await self.end()
            raise WorkerError("ended", "it sent something that is no reply")
        reply: dict[str, Any] = orjson.loads(await self._read(size))
        return reply

    async def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            process = self._process
            if process is None or process.stdout is None:
                raise await self._ended()
            try:
                part = await process.stdout.receive_some(size - len(data))
            except _GONE:
                part = b""
            if not part:
                raise await self._ended()
            data += part
        return data

    async def _ended(self) -> WorkerError:
        """Why the worker is gone."""
        process = self._process
        code: int | None = None
        if process is not None:
            with trio.move_on_after(limits.REAP_SECONDS):
                code = await process.wait()
        await self.end()
        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        log.warning("the heap worker ended (%s)", how)
        return WorkerError("ended", f"it ended with {how}")


def _widen(pipe: trio.abc.SendStream | None) -> None:
    """Let a whole piece fit into the pipe, if the system supports it: a wake-up costs more than copying 64 KB."""
    if isinstance(pipe, trio.lowlevel.FdStream):
        # fcntl is missing on Windows, the constant on other systems, and a user may have a quota.
        with suppress(ImportError, AttributeError, OSError):
            import fcntl  # noqa: PLC0415 - see above

            fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, limits.PIPE_BYTES)
