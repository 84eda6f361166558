"""The private directory in which a daemon is found, and the lock that keeps it the only one.

Standard library only: the bridge that an editor starts imports this, and must start in a blink.
"""

import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gasoline_cdp.errors import Code, GasolineError

SOCKET = "daemon.sock"
_LOCK = "daemon.lock"


def runtime_directory() -> Path:
    """The same place whatever the environment (editors scrub it), unless a person names another."""
    if named := os.environ.get("GASOLINE_RUNTIME_DIR"):
        return Path(named)
    uid = os.getuid() if hasattr(os, "getuid") else 0
    systemd = Path(f"/run/user/{uid}")
    if systemd.is_dir() and systemd.stat().st_uid == uid:
        return systemd / "gasoline-cdp"
    base = Path(tempfile.gettempdir()) if sys.platform == "win32" else Path("/tmp")  # noqa: S108 - checked below
    return base / f"gasoline-cdp-{uid}"


def private_directory() -> Path:
    """Make the runtime directory, and refuse one that somebody else could have prepared for us."""
    directory = runtime_directory()
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = directory.lstat()
    except OSError as error:
        why = "there is a file of that name" if isinstance(error, FileExistsError) else error.strerror
        raise GasolineError(
            Code.NO_DAEMON,
            f"Cannot use {directory} for the daemon's socket: {why}. Set GASOLINE_RUNTIME_DIR.",
        ) from error
    if sys.platform != "win32":
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
            raise GasolineError(
                Code.NO_DAEMON,
                f"{directory} is not a directory of yours. Remove it, or set GASOLINE_RUNTIME_DIR.",
            )
        if found.st_mode & 0o077:
            directory.chmod(0o700)
    return directory


@contextmanager
def only_daemon() -> Iterator[Path]:
    """Be the one daemon of this user; yields the socket's path. `daemon_running` if there is one already."""
    directory = private_directory()
    lock = os.open(directory / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if not _try_lock(lock):
            pid = os.read(lock, 20).decode("ascii", errors="ignore").strip() or "unknown"
            raise GasolineError(
                Code.DAEMON_RUNNING,
                f"gasoline-cdp is already running (process {pid}). Editors join it by themselves; see "
                "`gasoline-cdp status`, or end it with Ctrl-C where it runs.",
                pid=pid,
            )
        os.ftruncate(lock, 0)
        os.write(lock, f"{os.getpid()}\n".encode())
        socket = directory / SOCKET
        socket.unlink(missing_ok=True)
        try:
            yield socket
        finally:
            socket.unlink(missing_ok=True)
    finally:
        os.close(lock)


def _try_lock(descriptor: int) -> bool:
    if sys.platform == "win32":
        return True
    import fcntl  # noqa: PLC0415 - not on Windows

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
