"""What an editor's bridge reads and writes."""

import os
import subprocess
import sys
from contextlib import suppress
from typing import Any

import pytest

from gasoline_cdp.frontends.local import bridge_loop


def test_what_is_no_message_is_none() -> None:
    for line in (b"", b"[]", b"\xff", b"null", b"1", b"[" * 100_000):
        assert bridge_loop._parsed(line) == {}
    assert bridge_loop._parsed(b'{"id": 1}\n') == {"id": 1}


@pytest.mark.parametrize(
    ("message", "answered"),
    [
        ({"id": 1, "method": "x"}, True),
        ({"id": "a", "method": 5}, True),
        ({"id": 1.5}, True),
        ({"id": 2, "method": "x", "result": 1}, True),
        ({"method": "x"}, False),
        ({"id": None, "method": "x"}, False),
        ({"id": True}, False),
        ({"id": [1]}, False),
        ({"id": 1, "result": {}}, False),
        ({}, False),
    ],
)
def test_which_messages_will_be_answered_by_their_id(message: dict[str, Any], answered: bool) -> None:
    assert bridge_loop._wants_answer(message) is answered


def test_a_pipe_that_does_not_block_is_waited_for() -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with suppress(BlockingIOError):
        while True:
            os.write(writing, b"x" * 4096)
    code = (
        "import os; from gasoline_cdp.frontends.local.bridge_loop import _write_all; "
        "os.write(2, b'!'); _write_all(b'y' * 1_000_000)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=writing, stderr=subprocess.PIPE) as process:
        os.close(writing)
        assert process.stderr is not None
        assert process.stderr.read(1) == b"!"
        with os.fdopen(reading, "rb") as pipe:
            assert pipe.read().count(b"y") == 1_000_000
        assert process.stderr.read() == b""
    assert process.returncode == 0
