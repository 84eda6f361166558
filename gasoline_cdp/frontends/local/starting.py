"""Connects an editor to the daemon, and starts one in the background if there is none. Standard library only."""

import json
import os
import select
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends.hidden_arguments import pass_hidden
from gasoline_cdp.frontends.invocation import UsageError
from gasoline_cdp.frontends.local.bridge import Daemon, connect
from gasoline_cdp.frontends.local.runtime import (
    LOG,
    daemon_process,
    make_own,
    read_own,
    starting_daemon,
    wait_until_ended,
)

# Importing the daemon's modules takes half a second; a busy machine needs much more.
_START_SECONDS = 60
_WELCOME_SECONDS = 15
# A daemon may end, or be replaced by one of our version, just when we connect.
_ATTEMPTS = 3
# The daemon's log is truncated above this size. It holds starts, crashes and ends of the browser.
DAEMON_LOG_BYTES = 256 * 1024
_LOG_TAIL_BYTES = 500
# An editor may have left descriptors up to this number open for its children.
_DESCRIPTORS = 4096
# The daemon recognises this bridge by its name after a lost connection.
_NAME = os.urandom(16).hex()


def reach(arguments: Sequence[str], say: Callable[[str], None]) -> Daemon:
    """A daemon that has accepted us as an MCP client. Started with `arguments` if there was none."""
    for _ in range(_ATTEMPTS):
        daemon = connect()
        if daemon is None:
            with starting_daemon() as directory:
                # Another process may have started one while we waited for the lock.
                daemon = connect() or _start(arguments, directory)
        answer = _greet(daemon, arguments)
        match answer:
            case {"welcome": {"notes": list(notes)}}:
                for note in notes:
                    say(note)
                return daemon
            case {"usage": str(text)}:
                daemon.close()
                raise UsageError(text)
            case {"error": str(code), "message": str(message)}:
                daemon.close()
                raise GasolineError(Code(code), message)
        # The daemon is ending, or ended before it answered.
        daemon.close()
        wait_until_ended(_WELCOME_SECONDS)
    raise GasolineError(Code.NO_DAEMON, "The daemon ends as soon as it is spoken to. See: gasoline-cdp doctor")


def _greet(daemon: Daemon, arguments: Sequence[str]) -> dict[str, Any] | None:
    daemon.connection.settimeout(_WELCOME_SECONDS)
    try:
        daemon.say({"want": "mcp", "arguments": list(arguments), "directory": _directory(), "client": _NAME})
        answer = daemon.answer()
        daemon.connection.settimeout(None)
    except TimeoutError as error:
        daemon.close()
        raise GasolineError(
            Code.NO_DAEMON,
            f"gasoline-cdp runs (process {daemon_process() or 'unknown'}), but does not answer. End that process; "
            "the next call starts a new one.",
        ) from error
    except (OSError, ValueError):
        return None
    return answer


def _directory() -> str:
    try:
        return str(Path.cwd())
    except OSError:
        # The directory was removed.
        return "/"


def _start(arguments: Sequence[str], directory: Path) -> Daemon:
    """Start a daemon that outlives us and the editor. Waits until it listens, but not until its browser runs."""
    # -P: a file in the editor's directory must not be imported instead of a module of ours.
    visible, hidden = pass_hidden(arguments)
    command = [sys.executable, "-P", "-m", "gasoline_cdp", "mcp", "--daemon", *visible]
    report = _first_line(_spawn(command, directory / LOG, {**os.environ, **hidden}))
    match report:
        case {"listening": True} | {"error": Code.DAEMON_RUNNING.value}:
            if (daemon := connect()) is not None:
                return daemon
        case {"usage": str(text)}:
            raise UsageError(text)
        case {"error": str(code), "message": str(message)}:
            raise GasolineError(Code(code), message)
    raise GasolineError(
        Code.INTERNAL_ERROR,
        f"gasoline-cdp could not start its daemon. {_log_tail(directory / LOG)}See: gasoline-cdp doctor",
    )


def _log_tail(log: Path) -> str:
    try:
        tail = " ".join(read_own(log.name)[-_LOG_TAIL_BYTES:].decode(errors="replace").splitlines()[-2:])
    except OSError:
        return ""
    return f"It said: {tail} " if tail else ""


def _open_log(path: Path) -> int:
    try:
        descriptor = make_own(path, os.O_WRONLY | os.O_APPEND)
    except OSError as error:
        raise GasolineError(
            Code.NO_DAEMON, f"Cannot write {path}: {error.strerror}. Remove it, or set GASOLINE_RUNTIME_DIR."
        ) from error
    if os.fstat(descriptor).st_size > DAEMON_LOG_BYTES:
        os.ftruncate(descriptor, 0)
    return descriptor


def _spawn(command: list[str], log: Path, environment: dict[str, str]) -> int:
    """Start a detached program in a session of its own. Returns a descriptor of its standard output.

    It is nobody's child, because editors kill their servers with all descendants.
    """
    if sys.platform == "win32":
        return _spawn_on_windows(command, log, environment)
    reading, writing = os.pipe()
    log_descriptor = _open_log(log)
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            if os.fork() == 0:
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                os.dup2(writing, 1)
                os.dup2(log_descriptor, 2)
                os.closerange(3, _DESCRIPTORS)
                os.execve(command[0], command, environment)  # noqa: S606 - this Python, and no shell
        finally:
            os._exit(127)
    os.close(writing)
    os.close(log_descriptor)
    os.waitpid(child, 0)
    return reading


def _spawn_on_windows(command: list[str], log: Path, environment: dict[str, str]) -> int:
    import subprocess  # noqa: PLC0415 - memory, where it is not needed

    flags = sum(
        getattr(subprocess, name, 0)
        # Without CREATE_BREAKAWAY_FROM_JOB it would end with the editor's job.
        for name in ("CREATE_NO_WINDOW", "CREATE_NEW_PROCESS_GROUP", "CREATE_BREAKAWAY_FROM_JOB")
    )
    reading, writing = os.pipe()
    log_descriptor = _open_log(log)
    try:
        subprocess.Popen(  # noqa: S603 - this Python, and no shell
            command,
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=log_descriptor,
            creationflags=flags,
            env=environment,
        )
    finally:
        os.close(writing)
        os.close(log_descriptor)
    return reading


def _first_line(descriptor: int) -> dict[str, Any] | None:
    """The daemon's report of its start; None if it ended without one."""
    received = b""
    try:
        while b"\n" not in received:
            if sys.platform != "win32" and not select.select([descriptor], [], [], _START_SECONDS)[0]:
                return None
            chunk = os.read(descriptor, 65536)
            if not chunk:
                break
            received += chunk
    finally:
        os.close(descriptor)
    with suppress(ValueError):
        report = json.loads(received)
        if isinstance(report, dict):
            return report
    return None
