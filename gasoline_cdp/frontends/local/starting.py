"""Reaches the daemon for an editor, and starts one in the background if there is none. Standard library only."""

import json
import os
import select
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from gasoline_cdp.errors import Code, GasolineError
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

# Importing what the daemon is made of takes half a second; a busy machine gets much more.
_START_SECONDS = 60
_WELCOME_SECONDS = 15
# A daemon may end, or be replaced by one of our version, just when we knock.
_ATTEMPTS = 3
# The log of the daemon is started anew beyond this; it says when the browser starts, crashes and ends.
DAEMON_LOG_BYTES = 256 * 1024
_LOG_TAIL_BYTES = 500
# What an editor may have left open for its children.
_DESCRIPTORS = 4096
# By which a daemon knows this bridge again when it has lost the connection.
_NAME = os.urandom(16).hex()


def reach(arguments: Sequence[str], say: Callable[[str], None]) -> Daemon:
    """A daemon that has let us in as an MCP client; started with `arguments` if there was none."""
    for _ in range(_ATTEMPTS):
        daemon = connect()
        if daemon is None:
            with starting_daemon() as directory:
                # Somebody else may have started one while we waited for our turn.
                daemon = connect() or _start(arguments, directory)
        told = _greet(daemon, arguments)
        match told:
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
        # It is leaving, or left before it answered.
        daemon.close()
        wait_until_ended(_WELCOME_SECONDS)
    raise GasolineError(Code.NO_DAEMON, "The daemon ends as soon as it is spoken to. See: gasoline-cdp doctor")


def _greet(daemon: Daemon, arguments: Sequence[str]) -> dict[str, Any] | None:
    daemon.connection.settimeout(_WELCOME_SECONDS)
    try:
        daemon.say({"want": "mcp", "arguments": list(arguments), "directory": _directory(), "client": _NAME})
        told = daemon.answer()
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
    return told


def _directory() -> str:
    try:
        return str(Path.cwd())
    except OSError:
        # It has been removed.
        return "/"


def _start(arguments: Sequence[str], directory: Path) -> Daemon:
    """Start a daemon that outlives us and the editor, and wait until it listens (not until its browser does)."""
    # -P: a file of the project in the editor's directory must not be imported instead of a module of ours.
    command = [sys.executable, "-P", "-m", "gasoline_cdp", "mcp", "--daemon", *arguments]
    told = _first_line(_spawn(command, directory / LOG))
    match told:
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


def _spawn(command: list[str], log: Path) -> int:
    """Start a program in a session of its own, as nobody's child; its standard output as a descriptor.

    Nobody's child, because editors end their servers with all descendants.
    """
    if sys.platform == "win32":
        return _spawn_on_windows(command, log)
    reading, writing = os.pipe()
    said = _open_log(log)
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            if os.fork() == 0:
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                os.dup2(writing, 1)
                os.dup2(said, 2)
                os.closerange(3, _DESCRIPTORS)
                os.execv(command[0], command)  # noqa: S606 - this Python, and no shell
        finally:
            os._exit(127)
    os.close(writing)
    os.close(said)
    os.waitpid(child, 0)
    return reading


def _spawn_on_windows(command: list[str], log: Path) -> int:
    import subprocess  # noqa: PLC0415 - memory, where it is not needed

    flags = sum(
        getattr(subprocess, name, 0)
        # Without the breakaway it would end with the editor's job.
        for name in ("CREATE_NO_WINDOW", "CREATE_NEW_PROCESS_GROUP", "CREATE_BREAKAWAY_FROM_JOB")
    )
    reading, writing = os.pipe()
    said = _open_log(log)
    try:
        subprocess.Popen(  # noqa: S603 - this Python, and no shell
            command, stdin=subprocess.DEVNULL, stdout=writing, stderr=said, creationflags=flags
        )
    finally:
        os.close(writing)
        os.close(said)
    return reading


def _first_line(descriptor: int) -> dict[str, Any] | None:
    """What the daemon says of its start; None if it ended without a word."""
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
        told = json.loads(received)
        if isinstance(told, dict):
            return told
    return None
