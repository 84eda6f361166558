"""Lines are whole, whatever the pieces they come in."""

import os
import subprocess
import sys
from contextlib import suppress

import pytest

from gasoline_cdp.frontends.local import pump


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_lines_are_whole_whatever_the_pieces(size: int) -> None:
    text = b"one\ntwo\r\n\n\xff\rthree\nrest"
    lines = pump._Lines()
    cut = [line for start in range(0, len(text), size) for line in lines.cut(text[start : start + size])]
    assert cut == [b"one\n", b"two\r\n", b"\n", b"\xff\rthree\n"]


@pytest.mark.parametrize("size", [3, 10, 64])
def test_a_line_too_long_is_left_out_and_the_next_is_not(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pump, "_LINE_BYTES", 20)
    text = b"one\n" + b"x" * 100 + b"\ntwo\n"
    lines = pump._Lines()
    cut = [line for start in range(0, len(text), size) for line in lines.cut(text[start : start + size])]
    assert cut == [b"one\n", b"two\n"]
    assert lines.skipped


def test_what_is_no_message_is_none() -> None:
    for line in (b"", b"[]", b"\xff", b"null", b"1", b"[" * 100_000):
        assert pump._parsed(line) == {}
    assert pump._parsed(b'{"id": 1}\n') == {"id": 1}


def test_a_pipe_that_does_not_block_is_waited_for() -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with suppress(BlockingIOError):
        while True:
            os.write(writing, b"x" * 4096)
    code = (
        "import os; from gasoline_cdp.frontends.local import pump; os.write(2, b'!'); pump._write_all(b'y' * 1_000_000)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=writing, stderr=subprocess.PIPE) as process:
        os.close(writing)
        assert process.stderr is not None
        assert process.stderr.read(1) == b"!"
        with os.fdopen(reading, "rb") as pipe:
            assert pipe.read().count(b"y") == 1_000_000
        assert process.stderr.read() == b""
    assert process.returncode == 0
