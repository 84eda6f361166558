"""What daemon and worker send each other, and the queue between Chrome and the worker."""

import resource

import pytest
import trio

from gasoline_cdp import memory_limits
from gasoline_cdp.errors import Code
from gasoline_cdp.heap_worker import frames
from gasoline_cdp.heap_worker.process import ChunkQueue, HeapWorker, WorkerError
from gasoline_cdp.probe.heap_capture import worker_failed


def test_a_frame_says_what_it_is() -> None:
    data = frames.message({"do": "begin"})
    kind, size = frames.parse_head(data[: frames.HEAD_BYTES])
    assert (kind, data[frames.HEAD_BYTES :]) == (frames.MESSAGE, b'{"do":"begin"}')
    assert size == len(data) - frames.HEAD_BYTES


@pytest.mark.parametrize(
    ("escaped", "text"),
    [
        (b"1,2,3", b"1,2,3"),
        (rb"\"a\\n\"\n", b'"a\\n"\n'),
        (rb"\u00e9\ud83d\ude00", "é😀".encode()),
        # Half of a surrogate pair, as a page may have in a string.
        (rb"a\ud83d", b"a?"),
    ],
)
def test_an_escaped_piece_is_the_text_that_chrome_meant(escaped: bytes, text: bytes) -> None:
    assert frames.unescape(escaped) == text


async def test_pieces_come_in_order_until_the_end() -> None:
    queue = ChunkQueue()
    queue.add(b"one")
    queue.add(b"two")
    queue.end()
    taken = [await queue.take(), await queue.take(), await queue.take()]
    assert taken == [(frames.CHUNK, b"one"), (frames.CHUNK, b"two"), None]
    assert queue.bytes == 6


@pytest.mark.parametrize(
    ("limit", "code"),
    [("HEAP_TEXT_BYTES_MAX", Code.HEAP_TOO_LARGE), ("HEAP_QUEUE_BYTES", Code.HEAP_ANALYSIS_FAILED)],
)
async def test_what_cannot_become_whole_is_given_up(monkeypatch: pytest.MonkeyPatch, limit: str, code: Code) -> None:
    monkeypatch.setattr(memory_limits, limit, 10)
    queue = ChunkQueue()
    queue.add(b"x" * 8)
    assert not queue.failed.is_set()
    queue.add(b"x" * 8)
    with trio.fail_after(1):
        await queue.failed.wait()
    assert queue.fault is not None
    assert queue.fault.code == code


async def test_what_is_no_snapshot_is_refused_and_the_worker_goes_on() -> None:
    worker = HeapWorker()
    outcome: dict[str, object] = {}
    try:
        with pytest.raises(WorkerError) as raised:
            async with worker.receiving("name:x", outcome) as queue:
                queue.add(b'{"snapshot": 7}')
        assert raised.value.kind == "format"
        assert outcome == {}
        assert worker.lives == 1
        assert worker.pid is not None
    finally:
        await worker.end()
    assert worker.pid is None


async def test_too_little_memory_is_told_and_the_worker_goes_on() -> None:
    worker = HeapWorker()
    outcome: dict[str, object] = {}
    # More nodes than there are addresses to keep them at.
    nodes, fields = 10**8, '"type","name","id","self_size","edge_count"'
    types = '[["hidden","object"],"string","number","number","number"]'
    meta = f'{{"node_fields":[{fields}],"node_types":{types},"edge_fields":["type","name_or_index","to_node"],'
    meta += '"edge_types":[["context"],"string_or_number","node"]}'
    text = f'{{"snapshot":{{"meta":{meta},"node_count":{nodes},"edge_count":1}},"nodes":['

    async def send(piece: bytes) -> None:
        async with worker.receiving("name:x", outcome) as queue:
            assert worker.pid is not None
            resource.prlimit(worker.pid, resource.RLIMIT_AS, (1 << 30, 1 << 30))
            queue.add(piece)

    try:
        with pytest.raises(WorkerError) as raised:
            await send(text.encode())
        assert raised.value.kind == "memory"
        told = worker_failed(raised.value)
        assert told.code == Code.HEAP_TOO_LARGE
        assert "kept before are still there" in told.message
        assert (worker.lives, outcome) == (1, {})
        with pytest.raises(WorkerError, match="cut short"):
            await send(b'{"snapshot"')
    finally:
        await worker.end()
