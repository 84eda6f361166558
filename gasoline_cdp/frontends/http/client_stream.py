"""One client's connection, with limits on how long a client can make us wait."""

import socket
from contextlib import suppress

import trio

from gasoline_cdp.frontends import limits as frontend_limits

# How long to read on after our last write, so that a client that still sends can read the answer.
_LINGER_SECONDS = 0.5


class ClientStream:
    """Reads and writes. Neither raises when the client is gone; `gone` is set instead.

    Writes are shielded from cancellation, since half an answer would corrupt what follows. So a client that reads
    nothing for `stalled_seconds` is disconnected.
    """

    def __init__(self, stream: trio.SocketStream, stalled_seconds: float) -> None:
        # Also bound what the kernel buffers for a client that does not read.
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, frontend_limits.HTTP_SEND_BYTES)
        self._stream = stream
        self._stalled_seconds = stalled_seconds
        self._writing = trio.Lock()
        self.client = _address(stream.socket.getpeername())
        self.server = _address(stream.socket.getsockname())
        self.gone = False

    async def read(self) -> bytes:
        """Wait for some bytes. Empty: the client will send no more."""
        try:
            return bytes(await self._stream.receive_some(frontend_limits.HTTP_READ_BYTES))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            self.gone = True
            return b""

    async def write(self, data: bytes) -> None:
        """Write everything, or notice that the client is gone."""
        with trio.CancelScope(shield=True):
            # In the order of the calls: the lock is fair.
            async with self._writing:
                await self._write(data)
        await trio.lowlevel.checkpoint_if_cancelled()

    async def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest and not self.gone:
                with trio.fail_after(self._stalled_seconds):
                    await self._stream.send_all(rest[: frontend_limits.HTTP_SEND_BYTES])
                rest = rest[frontend_limits.HTTP_SEND_BYTES :]
        except (trio.TooSlowError, trio.BrokenResourceError, trio.ClosedResourceError):
            # Send nothing more: the client would not read it.
            self.cut()

    def cut(self) -> None:
        """Close at once, even during a read or write."""
        self.gone = True
        self._stream.socket.close()

    async def close(self) -> None:
        """Close after the client had time to read what was written."""
        if not self.gone:
            with trio.move_on_after(_LINGER_SECONDS), suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                await self._stream.send_eof()
                while await self.read():
                    pass
        await trio.aclose_forcefully(self._stream)


def _address(name: tuple[str, int]) -> tuple[str, int]:
    return name[0], name[1]
