"""Starts a browser on Windows, which has no debugging pipe and no process groups to signal."""

import subprocess
from collections.abc import Sequence

import trio

from gasoline_cdp import limits


class Child:
    """A started browser. Its helpers end with it: Chrome puts them into a job object."""

    def __init__(self, process: trio.Process) -> None:
        self.pid = process.pid
        self.to_chrome: trio.abc.SendStream | None = None
        self.from_chrome: trio.abc.ReceiveStream | None = None
        self._process = process

    async def wait_exit(self) -> int:
        """Wait for the browser's end."""
        return await self._process.wait()

    async def read_stderr(self) -> bytes:
        """Wait for output on stderr. Empty means that there will be no more."""
        if self._process.stderr is None:
            return b""
        try:
            return bytes(await self._process.stderr.receive_some())
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return b""

    def read_stderr_nowait(self) -> bytes:
        """Return nothing: on Windows a pipe cannot be read without waiting."""
        return b""

    def terminate(self) -> None:
        """End the browser at once. Only Browser.close is graceful here."""
        self._process.terminate()

    def kill(self) -> None:
        """End the browser at once."""
        self._process.kill()

    async def clear_group(self) -> None:
        """Do nothing: there is no group, and Windows needs no reaping."""

    async def close_pipe(self) -> None:
        """Do nothing: there is no pipe."""

    async def aclose(self) -> None:
        """Close stderr."""
        if self._process.stderr is not None:
            with trio.move_on_after(limits.REAP_SECONDS):
                await self._process.stderr.aclose()


async def spawn(command: Sequence[str]) -> Child:
    """Start a program; raises OSError if it cannot be started."""
    process = await trio.lowlevel.open_process(
        list(command), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    return Child(process)
