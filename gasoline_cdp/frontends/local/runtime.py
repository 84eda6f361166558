"""The private directory of the daemon's socket, and the locks that allow only one daemon.

Standard library only: an editor's bridge imports this, and must start fast.
"""

import errno
import os
import select
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gasoline_cdp.errors import Code, GasolineError

SOCKET = "daemon.sock"
# Without Unix sockets: the loopback port, and the token that clients must send.
ADDRESS = "daemon.address"
LOG = "daemon.log"
_LOCK = "daemon.lock"
_STARTING = "starting.lock"
# How often to poll a lock that another process holds: there is no blocking wait with a time-out.
_LOOK_AGAIN_SECONDS = 0.02
# More than any of these files holds.
_READ_BYTES = 1024 * 1024
# The maximum length of a Unix socket's path.
_SOCKET_PATH_BYTES = 107 if sys.platform == "linux" else 103


def runtime_directory() -> Path:
    """The same directory whatever the environment (editors clear it), unless GASOLINE_RUNTIME_DIR is set."""
    if named := os.environ.get("GASOLINE_RUNTIME_DIR"):
        return Path(named)
    uid = os.getuid() if hasattr(os, "getuid") else 0
    systemd = Path(f"/run/user/{uid}")
    if systemd.is_dir() and systemd.stat().st_uid == uid:
        return systemd / "gasoline-cdp"
    if sys.platform == "win32":
        # Inside the user's own profile, which others cannot read.
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "gasoline-cdp" / "run"
    return Path("/tmp") / f"gasoline-cdp-{uid}"  # noqa: S108 - checked below


def private_directory() -> Path:
    """Create the runtime directory. Refuses one that another user could have prepared for us."""
    directory = runtime_directory()
    _check_name(directory)
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = directory.lstat()
    except OSError as error:
        why = "there is a file of that name" if isinstance(error, FileExistsError) else error.strerror
        raise GasolineError(
            Code.NO_DAEMON,
            f"Cannot use {directory} for the daemon's socket: {why}. Set GASOLINE_RUNTIME_DIR.",
        ) from error
    if sys.platform != "win32":
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
            raise GasolineError(
                Code.NO_DAEMON,
                f"{directory} is not a directory of yours. Remove it, or set GASOLINE_RUNTIME_DIR.",
            )
        if status.st_mode & 0o077:
            directory.chmod(0o700)
        if status.st_mode & 0o022:
            _remove_untrusted(directory)
    return directory


def _remove_untrusted(directory: Path) -> None:
    """Others could write to this directory until now: remove everything that is not a file or socket of ours."""
    for entry in list(directory.iterdir()):
        if not _is_ours(entry.lstat()):
            try:
                entry.unlink()
            except OSError as error:
                raise GasolineError(
                    Code.NO_DAEMON,
                    f"{directory} could be written to by others, and {entry.name[:60]!r} in it is not ours. "
                    "Remove it, or set GASOLINE_RUNTIME_DIR.",
                ) from error


def _is_ours(status: os.stat_result) -> bool:
    """Whether we made this file or socket: not a symbolic link, and not a hard link to a file elsewhere."""
    if sys.platform == "win32":
        return True
    kind = stat.S_ISREG(status.st_mode) or stat.S_ISSOCK(status.st_mode)
    return kind and status.st_uid == os.getuid() and status.st_nlink == 1 and not status.st_mode & 0o022


def trusted_directory() -> Path | None:
    """The runtime directory, for reading; None if there is none that only we can write to."""
    directory = runtime_directory()
    try:
        status = directory.lstat()
    except OSError:
        return None
    if sys.platform != "win32" and (
        not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o022
    ):
        return None
    return directory


def open_own(path: Path, flags: int) -> int:
    """Open a file in the runtime directory, without following links. OSError if the file is not ours."""
    nowhere_else = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(path, flags | nowhere_else, 0o600)
    if not _is_ours(os.fstat(descriptor)):
        os.close(descriptor)
        raise PermissionError(errno.EPERM, "it is not a file of ours", str(path))
    return descriptor


def make_own(path: Path, flags: int) -> int:
    """Open or create a file in the private directory. Replaces a file that is not ours."""
    try:
        return open_own(path, flags | os.O_CREAT)
    except OSError:
        path.unlink(missing_ok=True)
        return open_own(path, flags | os.O_CREAT | os.O_EXCL)


def read_own(name: str) -> bytes:
    """Read a file in the runtime directory. OSError if there is none of ours."""
    directory = trusted_directory()
    if directory is None:
        raise FileNotFoundError(errno.ENOENT, "there is no directory of ours")
    with os.fdopen(open_own(directory / name, os.O_RDONLY), "rb") as file:
        return file.read(_READ_BYTES)


def _check_name(directory: Path) -> None:
    if not directory.is_absolute():
        # The daemon runs in the root directory, so a relative path would mean another directory there.
        raise GasolineError(
            Code.NO_DAEMON,
            f"GASOLINE_RUNTIME_DIR is {str(directory)[:200]!r}, and must be a whole path, beginning at the root.",
        )
    excess = len(os.fsencode(directory / SOCKET)) - _SOCKET_PATH_BYTES
    if sys.platform != "win32" and excess > 0:
        raise GasolineError(
            Code.NO_DAEMON,
            f"Cannot use {str(directory)[:200]} for the daemon's socket: its path is {excess} bytes too long for one. "
            "Set GASOLINE_RUNTIME_DIR to a shorter one.",
        )


@contextmanager
def only_daemon() -> Iterator[Path]:
    """Hold the daemon lock of this user; yields the private directory. Raises `daemon_running` if it is held."""
    directory = private_directory()
    lock = _open_lock(directory, _LOCK)
    try:
        if not _try_lock(lock):
            pid = _named(lock)
            raise GasolineError(
                Code.DAEMON_RUNNING,
                f"gasoline-cdp is already running (process {pid}). Editors join it by themselves; see "
                "`gasoline-cdp status`, or end it: gasoline-cdp stop",
                pid=pid,
            )
        os.ftruncate(lock, 0)
        os.write(lock, f"{os.getpid()}\n".encode())
        _forget(directory)
        try:
            yield directory
        finally:
            _forget(directory)
    finally:
        os.close(lock)


def _forget(directory: Path) -> None:
    for name in (SOCKET, ADDRESS):
        (directory / name).unlink(missing_ok=True)


@contextmanager
def starting_daemon() -> Iterator[Path]:
    """Hold the start lock of this user; others wait here. Yields the private directory."""
    directory = private_directory()
    lock = _open_lock(directory, _STARTING)
    try:
        while not _try_lock(lock):
            _pause()
        yield directory
    finally:
        os.close(lock)


def daemon_process() -> str:
    """The process id of the daemon that holds the lock, or an empty string."""
    try:
        lock = open_own(runtime_directory() / _LOCK, os.O_RDWR)
    except OSError:
        return ""
    try:
        return "" if _try_lock(lock) else _named(lock)
    finally:
        os.close(lock)


def wait_until_ended(seconds: float) -> bool:
    """Wait until no daemon holds the lock, so that its browser is closed too."""
    deadline = time.monotonic() + seconds
    while daemon_process():
        if time.monotonic() > deadline:
            return False
        _pause()
    return True


def _pause() -> None:
    if sys.platform == "win32":
        time.sleep(_LOOK_AGAIN_SECONDS)  # noqa: TID251 - a client without a loop, and without select on nothing
    else:
        select.select([], [], [], _LOOK_AGAIN_SECONDS)


def _open_lock(directory: Path, name: str) -> int:
    try:
        return make_own(directory / name, os.O_RDWR)
    except OSError as error:
        raise GasolineError(
            Code.NO_DAEMON,
            f"Cannot use {name} in {directory}: {error.strerror}. Remove it, or set GASOLINE_RUNTIME_DIR.",
        ) from error


def _named(lock: int) -> str:
    """The process id that the holder of the lock wrote to it."""
    os.lseek(lock, 0, os.SEEK_SET)
    return os.read(lock, 20).decode("ascii", errors="ignore").strip() or "unknown"


def _try_lock(descriptor: int) -> bool:
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - on Windows only

        # Lock a byte far beyond the content, so that others can still read the content.
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True
    import fcntl  # noqa: PLC0415 - not on Windows

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def write_address(directory: Path, port: int, token: str) -> None:
    """Publish where a daemon without a Unix socket listens, for this user only."""
    descriptor = os.open(directory / ADDRESS, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(f"{port} {token}\n")


def read_address() -> tuple[int, str] | None:
    """Port and token of a daemon that listens on loopback, or None."""
    try:
        port, token = read_own(ADDRESS).decode("ascii").split()
        return int(port), token
    except (OSError, ValueError):
        return None
