"""Starts the command line as its users do, and speaks to it from outside."""

import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import trio

from gasoline_cdp.frontends.local import bridge, runtime
from tests.support import PATIENCE

COMMAND = [sys.executable, "-m", "gasoline_cdp"]
# The tests run as root in CI; a person would not.
HEADLESS = ["--headless", "--no-sandbox"]
# Most tests read answers as a program does; what lines say is tested apart.
AS_PROGRAM = ["--answers", "json"]


class Running:
    """A gasoline-cdp process, with what it has said so far."""

    def __init__(self, process: trio.Process) -> None:
        self.process = process
        self.stderr = ""
        self.stdout = ""
        self._changed = trio.Event()

    async def collect(self, name: str, stream: trio.abc.ReceiveStream) -> None:
        async for chunk in stream:
            setattr(self, name, getattr(self, name) + chunk.decode(errors="replace"))
            self._changed.set()
            self._changed = trio.Event()

    async def said(self, text: str) -> None:
        """Wait until it has said something on either stream."""
        with trio.fail_after(PATIENCE):
            while text not in self.stderr + self.stdout:
                await self._changed.wait()

    async def ended(self) -> int:
        with trio.fail_after(PATIENCE):
            return await self.process.wait()

    def signal(self, number: int) -> None:
        os.kill(self.process.pid, number)


def open_command(*arguments: str, stdin: bool = False) -> AbstractAsyncContextManager[Running]:
    """Start `gasoline-cdp ARGUMENTS`; whatever is left of it is killed at the end."""
    return open_process([*COMMAND, *arguments], stdin=stdin)


@asynccontextmanager
async def open_process(command: Sequence[str], *, stdin: bool = False) -> AsyncIterator[Running]:
    """Start any program, as `open_command` does."""
    process = await trio.lowlevel.open_process(
        list(command),
        stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    running = Running(process)
    assert process.stdout is not None
    assert process.stderr is not None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(running.collect, "stderr", process.stderr)
        if not stdin:
            nursery.start_soon(running.collect, "stdout", process.stdout)
        try:
            yield running
        finally:
            if process.returncode is None:
                process.send_signal(signal.SIGTERM)
                with trio.move_on_after(10, shield=True):
                    await process.wait()
                if process.returncode is None:
                    process.kill()
            nursery.cancel_scope.cancel()


async def run_command(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run `gasoline-cdp ARGUMENTS` to its end."""
    with trio.fail_after(PATIENCE):
        return await trio.run_process(
            [*COMMAND, *arguments], capture_stdout=True, capture_stderr=True, check=False, stdin=b""
        )


async def run_on_terminal(*arguments: str, columns: int = 80) -> tuple[int, str]:
    """Run `gasoline-cdp ARGUMENTS` on a terminal; its code, and all that it wrote."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 50, columns, 0, 0))
    process = await trio.lowlevel.open_process(
        [*COMMAND, *arguments],
        env={**os.environ, "TERM": "xterm-256color"},
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.STDOUT,
    )
    os.close(theirs)
    said = b""
    async with trio.lowlevel.FdStream(ours) as terminal:
        with trio.fail_after(PATIENCE):
            # Linux tells the end of a terminal as an error.
            with suppress(trio.BrokenResourceError):
                async for chunk in terminal:
                    said += chunk
            code = await process.wait()
    return code, said.decode()


async def call(tool: str, **arguments: Any) -> dict[str, Any]:
    """Ask the running daemon through its socket, as the command line does."""
    data, is_error = await trio.to_thread.run_sync(bridge.call, tool, arguments)
    assert not is_error, data
    return data


async def until(condition: Any) -> Any:
    """Look again and again until a condition holds: for what happens in other processes, which tell nobody."""
    with trio.fail_after(PATIENCE):
        while not (result := await condition()):  # noqa: ASYNC110 - no event crosses the border between processes
            await trio.sleep(0.01)
        return result


def end_daemon() -> None:
    """End the daemon that an editor or a command of this test has started, which stays when they go."""
    if pid := runtime.daemon_process():
        os.kill(int(pid), signal.SIGTERM)
        assert runtime.wait_until_ended(PATIENCE)


def state_of(pid: int) -> str:
    """What the kernel says of a process: S if it sleeps; X, as of a dead one, if there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    return state_of(pid) not in "ZX"


def browsers_with(text: str) -> list[int]:
    """The processes whose command line contains a text, such as a profile's path."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and alive(int(entry.name)):
            try:
                command = (entry / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if text in command and "gasoline_cdp" not in command:
                found.append(int(entry.name))
    return found


async def drive(profile: Path, url: str) -> None:
    """Open a page with an independent client, as another tool beside us would."""
    port = int((profile / "DevToolsActivePort").read_text().split()[0])

    with trio.fail_after(PATIENCE):
        await trio.run_process(
            [sys.executable, str(Path(__file__).with_name("witness.py")), str(port), url], capture_stdout=True
        )
