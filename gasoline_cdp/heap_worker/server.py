"""The worker's side: receives snapshots, keeps them by name up to a budget, and answers questions about them."""

import gc
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import orjson

from gasoline_cdp.analysis.heap.graph import HeapGraph
from gasoline_cdp.analysis.heap.reader import HeapFormatError, SnapshotReader
from gasoline_cdp.analysis.heap.walk import ReadableHeap
from gasoline_cdp.heap_worker import frames
from gasoline_cdp.heap_worker.questions import UnknownObjectError, answer_question
from gasoline_cdp.heap_worker.snapshots import HeldHeaps

_PIECE_BYTES = 96 << 10


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Answer one command after the other until the daemon closes the pipe."""
    worker = _Worker()
    while head := source.read(frames.HEAD_BYTES):
        if len(head) < frames.HEAD_BYTES:
            return
        kind, size = frames.parse_head(head)
        if kind in (frames.CHUNK, frames.ESCAPED):
            for piece, escaped in _pieces(source, size, may_escape=kind == frames.ESCAPED):
                worker.feed(piece, escaped=escaped)
            continue
        data = source.read(size)
        if len(data) < size:
            return
        sink.write(frames.message(worker.reply(orjson.loads(data))))
        sink.flush()
        worker.prepare()


def _pieces(source: BinaryIO, size: int, *, may_escape: bool) -> Iterator[tuple[bytes, bool]]:
    """The bytes of a frame, and whether they have escapes. In pieces that stay in the processor's cache."""
    while size:
        piece = source.read(min(size, _PIECE_BYTES))
        if not piece:
            return
        size -= len(piece)
        escaped = may_escape and b"\\" in piece
        if escaped:
            # An escape sequence must stay whole.
            piece += source.read(size)
            size = 0
        yield piece, escaped


class _Worker:
    """One daemon's worker."""

    def __init__(self) -> None:
        self._kept = HeldHeaps()
        self._reader: SnapshotReader | None = None
        # Why the snapshot that is being received cannot be used.
        self._fault = ""
        self._short_of_memory = False
        self._unwalked: ReadableHeap | None = None
        self._commands: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "begin": self._begin,
            "finish": self._finish,
            "abort": self._abort,
            "drop": self._drop,
            "ask": self._ask,
        }

    def feed(self, chunk: bytes, *, escaped: bool) -> None:
        """A piece of a snapshot. A fault is told at its end: until then nobody listens."""
        if self._reader is not None and not self._fault:
            try:
                self._reader.feed(frames.unescape(chunk) if escaped else chunk)
            except HeapFormatError as error:
                self._fault = str(error)
            except ValueError:
                self._fault = "Chrome sent a piece of it that is no text"
            except MemoryError:
                # What was read of it goes at once.
                self._reader, self._short_of_memory = None, True

    def reply(self, command: dict[str, Any]) -> dict[str, Any]:
        """Answer a command."""
        try:
            return {"result": self._commands[command["do"]](command)}
        except HeapFormatError as error:
            return {"error": "format", "message": str(error)}
        except UnknownObjectError as error:
            return {"error": "object", "message": str(error)}
        except MemoryError:
            return {"error": "memory", "message": "there is not enough memory to analyse it"}

    def prepare(self) -> None:
        """Walk through a new baseline while nobody waits: the next question will need it."""
        walked, self._unwalked = self._unwalked, None
        if walked is not None:
            try:
                _ = walked.shown_parent
            except MemoryError:
                return

    def _begin(self, _: dict[str, Any]) -> dict[str, Any]:
        self._reader, self._fault, self._short_of_memory = SnapshotReader(), "", False
        return {}

    def _abort(self, _: dict[str, Any]) -> dict[str, Any]:
        self._reader, self._fault = None, ""
        gc.collect()
        return {}

    def _finish(self, command: dict[str, Any]) -> dict[str, Any]:
        """The whole snapshot is here: keep it."""
        reader, fault = self._reader, self._fault
        self._reader, self._fault = None, ""
        if self._short_of_memory:
            raise MemoryError
        if fault or reader is None:
            raise HeapFormatError(fault or "no snapshot was begun")
        size = reader.bytes_read
        graph = HeapGraph(reader.finish())
        dropped = self._kept.put(command["name"], graph)
        if command["name"].startswith("name:"):
            self._unwalked = self._kept.get(command["name"]).walked
        return {"nodes": len(graph), "text_bytes": size, "engine": graph.engine, "dropped": dropped}

    def _drop(self, command: dict[str, Any]) -> dict[str, Any]:
        self._kept.drop(command["name"])
        gc.collect()
        return {}

    def _ask(self, command: dict[str, Any]) -> dict[str, Any]:
        """A question about snapshots that are kept."""
        return answer_question(self._kept, command)
