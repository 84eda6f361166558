"""One client's connection, with bounds on what a client can make us wait for."""

import socket
from contextlib import suppress

import trio

from gasoline_cdp.frontends import limits as frontend_limits

# How long we read on after our last word, so that a client that still sends gets to read it.
_LINGER_SECONDS = 0.5


class ClientStream:
    """Reads and writes. Neither raises when the client has gone: `gone` then says so.

    Writes are shielded, since half an answer would spoil what comes after it; so a client that reads nothing for
    `stalled_seconds` is cut off.
    """

    def __init__(self, stream: trio.SocketStream, stalled_seconds: float) -> None:
        # What a client that does not read leaves in the kernel is bounded too.
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, frontend_limits.HTTP_SEND_BYTES)
        self._stream = stream
        self._stalled_seconds = stalled_seconds
        self._writing = trio.Lock()
        self.client = _address(stream.socket.getpeername())
        self.server = _address(stream.socket.getsockname())
        self.gone = False

    async def read(self) -> bytes:
        """Wait for some bytes; none means that the client will send no more."""
        try:
            return bytes(await self._stream.receive_some(frontend_limits.HTTP_READ_BYTES))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            self.gone = True
            return b""

    async def write(self, data: bytes) -> None:
        """Write all of it, or find that the client has gone."""
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
            # Without a word: it would not be read either.
            self.cut()

    def cut(self) -> None:
        """Close at once, whatever is under way."""
        self.gone = True
        self._stream.socket.close()

    async def close(self) -> None:
        """Close after the client has had time to read what was written."""
        if not self.gone:
            with trio.move_on_after(_LINGER_SECONDS), suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                await self._stream.send_eof()
                while await self.read():
                    pass
        await trio.aclose_forcefully(self._stream)


def _address(name: tuple[str, int]) -> tuple[str, int]:
    return name[0], name[1]
