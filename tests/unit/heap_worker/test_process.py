"""What daemon and worker send each other, and the queue between Chrome and the worker."""

import pytest
import trio

from gasoline_cdp import memory_limits
from gasoline_cdp.errors import Code
from gasoline_cdp.heap_worker import frames
from gasoline_cdp.heap_worker.process import ChunkQueue, HeapWorker, WorkerError


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
