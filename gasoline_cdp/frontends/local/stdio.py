"""Standard input and output as cancellable streams. Stray prints do not reach the client."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio


@asynccontextmanager
async def open_stdio() -> AsyncIterator[tuple[trio.abc.ReceiveStream, trio.abc.SendStream]]:
    """Take over both descriptors. Afterwards 0 reads nothing, and what is printed to 1 goes to stderr."""
    if sys.platform == "win32":
        yield _ThreadedReader(), _ThreadedWriter()
        return
    private_in, private_out = _move_up(0), _move_up(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    async with trio.lowlevel.FdStream(private_in) as receive, trio.lowlevel.FdStream(private_out) as send:
        yield receive, send


def _move_up(descriptor: int) -> int:
    import fcntl  # noqa: PLC0415 - not on Windows

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)


class _ThreadedReader(trio.abc.ReceiveStream):
    """Windows cannot wait for pipes: a thread reads, and is abandoned at the end."""

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        return await trio.to_thread.run_sync(os.read, 0, max_bytes or 65536, abandon_on_cancel=True)

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()


class _ThreadedWriter(trio.abc.SendStream):
    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        rest = memoryview(data)
        while rest:
            written = await trio.to_thread.run_sync(os.write, 1, rest)
            rest = rest[written:]

    async def wait_send_all_might_not_block(self) -> None:
        await trio.lowlevel.checkpoint()

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()
