"""Runs the command of `ci`: its streams are ours, its signals are its own, and nothing it started is left behind."""

import os
import secrets
import shutil
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import trio
from attrs import define, field

from gasoline_cdp.frontends import limits as frontend_limits

# Exit codes as shells have them.
NOT_FOUND = 127
NOT_EXECUTABLE = 126
_KILLED = 128
# Marks the processes of the command, wherever they are in the tree.
_MARK = "GASOLINE_RUN"
# A terminal sends these to all its processes by itself.
_OF_TERMINAL = {signal.SIGINT, *([signal.SIGQUIT] if hasattr(signal, "SIGQUIT") else [])}


class CannotStartError(Exception):
    """The command cannot be started: the exit code, and why."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@define(eq=False)
class Command:
    """A command with its process, once it runs."""

    words: Sequence[str]
    mark: str = field(factory=lambda: secrets.token_hex(16))
    # Whether it runs, or is about to.
    started: bool = False
    _process: trio.Process | None = None
    _in_terminal: bool = False
    # Signals that came while it was being started.
    _waiting: list[int] = field(factory=list)

    async def run(self, environment: Mapping[str, str]) -> int:
        """Run it to its end, and return its exit code. A signal that ended it is 128 and the signal's number."""
        self.started = True
        self._in_terminal = _has_terminal()
        # In a terminal it stays in our process group, so that Ctrl-C and Ctrl-Z work as without us. Elsewhere it has
        # its own: who ends our group ends us, and we pass that on once.
        group: Any = {} if self._in_terminal or sys.platform == "win32" else {"process_group": 0}
        try:
            self._process = await trio.lowlevel.open_process(
                list(self.words), env={**environment, _MARK: self.mark}, **group
            )
        except FileNotFoundError as error:
            raise CannotStartError(NOT_FOUND, f"{self.words[0]}: command not found") from error
        except OSError as error:
            program = shutil.which(self.words[0], mode=os.F_OK)
            why = "it is a directory" if program is None and Path(self.words[0]).is_dir() else error.strerror
            raise CannotStartError(NOT_EXECUTABLE, f"{self.words[0]}: cannot be run: {why}") from error
        for number in self._waiting:
            self.forward(number)
        code: int = await self._process.wait()
        return _KILLED - code if code < 0 else code

    def forward(self, number: int) -> None:
        """Pass a signal on, unless the terminal has sent it to the command as well."""
        if self._process is None:
            self._waiting.append(number)
        elif self._process.returncode is None and not (self._in_terminal and number in _OF_TERMINAL):
            self._process.send_signal(number)

    def left_behind(self) -> dict[int, str]:
        """Processes that the command started and that still run, by number, with their names."""
        marked = f"{_MARK}={self.mark}".encode()
        running = {}
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if int(entry.name) != os.getpid() and marked in (entry / "environ").read_bytes().split(b"\0"):
                    running[int(entry.name)] = (entry / "comm").read_text().strip()
            except OSError:
                # It has ended, or is not ours.
                continue
        return running

    async def end_left_behind(self) -> dict[int, str]:
        """End those processes: asked first, then killed. Returns them."""
        ended = left = self.left_behind()
        for number in (signal.SIGTERM, signal.SIGKILL) if sys.platform != "win32" else ():
            for pid in left:
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    continue
            with trio.move_on_after(frontend_limits.LEFT_BEHIND_SECONDS):
                while left := self.left_behind():  # noqa: ASYNC110 - nobody tells when another's child has ended
                    await trio.sleep(frontend_limits.LEFT_BEHIND_POLL_SECONDS)
            if not left:
                break
        return ended


def _has_terminal() -> bool:
    """Whether we are in the foreground of a terminal, which sends Ctrl-C to all processes there."""
    if not hasattr(os, "tcgetpgrp"):
        return False
    for descriptor in (0, 1, 2):
        try:
            if os.tcgetpgrp(descriptor) == os.getpgrp():
                return True
        except OSError:
            continue
    return False
