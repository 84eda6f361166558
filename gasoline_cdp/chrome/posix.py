"""Starts a browser on Linux and macOS: in its own process group, with its debugging pipe on fds 3 and 4."""

import fcntl
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

import trio

from gasoline_cdp import limits
from gasoline_cdp.chrome.processes import is_group_running

assert sys.platform != "win32"  # noqa: S101 tells the type checker not to look for these calls on Windows

# Chrome's convention: it reads commands from the first, and writes replies and events to the second.
_CHROME_READS = 3
_CHROME_WRITES = 4
# Above every fd that is set up in the child, so that no setup overwrites the source of the next.
_SAFE_FD = 10
# Default size of a pipe on Linux and macOS, so one read of this size empties it.
_STDERR_READ_BYTES = 64 * limits.KB
# The kernel did not keep the exit code, because of an inherited SIGCHLD setting.
_UNKNOWN_EXIT = 255


class Child:
    """A started browser. Nobody else may wait for its process id."""

    def __init__(self, pid: int, to_chrome: int, from_chrome: int, stderr: int) -> None:
        self.pid = pid
        self.to_chrome: trio.lowlevel.FdStream | None = trio.lowlevel.FdStream(to_chrome)
        self.from_chrome: trio.lowlevel.FdStream | None = trio.lowlevel.FdStream(from_chrome)
        self._stderr = trio.lowlevel.FdStream(stderr)

    async def wait_exit(self) -> int:
        """Wait for the end of the browser's main process.

        It stays unreaped until `clear_group`. Until then nobody else can get its number, which is also the group's.
        """
        try:
            pidfd = os.pidfd_open(self.pid)
        except (AttributeError, OSError):
            # macOS, and kernels or containers without pidfd.
            return await trio.to_thread.run_sync(
                _wait_blocking, self.pid, abandon_on_cancel=True, limiter=trio.CapacityLimiter(1)
            )
        try:
            await trio.lowlevel.wait_readable(pidfd)
        finally:
            os.close(pidfd)
        return _wait_blocking(self.pid)

    async def read_stderr(self) -> bytes:
        """Wait for output on stderr. Empty means that there will be no more."""
        try:
            return bytes(await self._stderr.receive_some(_STDERR_READ_BYTES))
        except trio.ClosedResourceError:
            return b""

    def read_stderr_nowait(self) -> bytes:
        """Return the output on stderr that has not been read yet."""
        with suppress(OSError):
            return os.read(self._stderr.fileno(), _STDERR_READ_BYTES)
        return b""

    def terminate(self) -> None:
        """Ask the browser and all its helpers to exit."""
        self._signal_group(signal.SIGTERM)

    def kill(self) -> None:
        """Kill the browser and all its helpers."""
        self._signal_group(signal.SIGKILL)

    def _signal_group(self, number: signal.Signals) -> None:
        # Already gone, or (macOS) only zombies are left.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    async def clear_group(self) -> None:
        """After the main process has ended: let its helpers exit, kill those that stay, and reap."""
        if not await self._wait_group_ended(limits.HELPERS_SECONDS):
            self.kill()
            await self._wait_group_ended(limits.REAP_SECONDS)
        self._reap_group()

    def _reap_group(self) -> None:
        # Not only the main process: as a container's first process we inherit its helpers.
        with suppress(ChildProcessError):
            while os.waitpid(-self.pid, os.WNOHANG)[0]:
                pass

    async def _wait_group_ended(self, seconds: float) -> bool:
        with trio.move_on_after(seconds):
            while is_group_running(self.pid):  # noqa: ASYNC110 no event tells of other people's children
                await trio.sleep(limits.LOOK_AGAIN_SECONDS)
            return True
        return False

    async def close_pipe(self) -> None:
        """Close our end of the command pipe. Chrome then closes as after Browser.close."""
        if self.to_chrome is not None:
            await self.to_chrome.aclose()

    async def aclose(self) -> None:
        """Close every fd. The processes must have ended before."""
        await trio.aclose_forcefully(self._stderr)
        for stream in (self.to_chrome, self.from_chrome):
            if stream is not None:
                await trio.aclose_forcefully(stream)


async def spawn(command: Sequence[str]) -> Child:
    """Start a program with a debugging pipe and a stderr that we read. It inherits nothing else from us.

    Raises OSError if it cannot be started. There is no checkpoint after the start, so a cancelled caller has either no
    process or a `Child`.
    """
    await trio.lowlevel.checkpoint()
    return _start(list(command))


def _start(command: list[str]) -> Child:
    with ExitStack() as child_ends, ExitStack() as on_failure:
        chrome_reads, to_chrome = _open_pipe(0, child_ends, on_failure)
        chrome_writes, from_chrome = _open_pipe(1, child_ends, on_failure)
        chrome_stderr, stderr = _open_pipe(1, child_ends, on_failure)
        for end in (to_chrome, from_chrome):
            _grow(end)
        pid = os.posix_spawn(
            command[0],
            command,
            os.environ,
            file_actions=[
                # Never our own stdout: an MCP client may be reading it.
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_DUP2, chrome_stderr, 2),
                (os.POSIX_SPAWN_DUP2, chrome_reads, _CHROME_READS),
                (os.POSIX_SPAWN_DUP2, chrome_writes, _CHROME_WRITES),
                *((os.POSIX_SPAWN_CLOSE, fd) for fd in _inheritable_fds()),
            ],
            # A group of its own: to signal all helpers at once, and to keep the terminal's Ctrl-C to ourselves.
            setpgroup=0,
            # Python ignores these, and a child would inherit that.
            setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],
        )
        on_failure.pop_all()
    return Child(pid, to_chrome, from_chrome, stderr)


def _open_pipe(child_end: int, child_ends: ExitStack, on_failure: ExitStack) -> tuple[int, int]:
    """Open a pipe. Returns the child's end (0 reads, 1 writes) at a safe number, and ours."""
    pipe = os.pipe()
    on_failure.callback(os.close, pipe[1 - child_end])
    try:
        safe: int = fcntl.fcntl(pipe[child_end], fcntl.F_DUPFD_CLOEXEC, _SAFE_FD)
    finally:
        os.close(pipe[child_end])
    child_ends.callback(os.close, safe)
    return safe, pipe[1 - child_end]


def _grow(pipe: int) -> None:
    """Enlarge the pipe's buffer, if the system supports it and the user's quota allows it."""
    with suppress(AttributeError, OSError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, limits.PIPE_BYTES)


def _inheritable_fds() -> list[int]:
    """Fds that our parent left open for children. Python's own are never inheritable."""
    fds = []
    for fd in [int(entry.name) for entry in Path("/dev/fd").iterdir()]:
        # The fd that read the directory is closed by now.
        with suppress(OSError):
            if fd > _CHROME_WRITES and os.get_inheritable(fd):
                fds.append(fd)
    return fds


def _wait_blocking(pid: int) -> int:
    """Wait for a child's end and return its code, negative for a signal. Leave it unreaped where possible."""
    waitid: Callable[..., os.waitid_result | None] | None = getattr(os, "waitid", None)
    try:
        if waitid is None:
            return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        result = waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    except ChildProcessError:
        return _UNKNOWN_EXIT
    if result is None:
        return _UNKNOWN_EXIT
    return result.si_status if result.si_code == os.CLD_EXITED else -result.si_status
