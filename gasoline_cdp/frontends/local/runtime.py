"""The private directory in which a daemon is found, and the locks that keep it the only one.

Standard library only: the bridge that an editor starts imports this, and must start in a blink.
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
# Where there are no Unix sockets: the loopback port, and the token that whoever connects must know.
ADDRESS = "daemon.address"
LOG = "daemon.log"
_LOCK = "daemon.lock"
_STARTING = "starting.lock"
# How often a lock that another process holds is looked at: its release cannot be waited for and given up.
_LOOK_AGAIN_SECONDS = 0.02
# More than any of these files has.
_READ_BYTES = 1024 * 1024
# What the system takes as the address of a Unix socket.
_SOCKET_PATH_BYTES = 107 if sys.platform == "linux" else 103


def runtime_directory() -> Path:
    """The same place whatever the environment (editors scrub it), unless a person names another."""
    if named := os.environ.get("GASOLINE_RUNTIME_DIR"):
        return Path(named)
    uid = os.getuid() if hasattr(os, "getuid") else 0
    systemd = Path(f"/run/user/{uid}")
    if systemd.is_dir() and systemd.stat().st_uid == uid:
        return systemd / "gasoline-cdp"
    if sys.platform == "win32":
        # Inside the user's own profile, which others may not read.
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "gasoline-cdp" / "run"
    return Path("/tmp") / f"gasoline-cdp-{uid}"  # noqa: S108 - checked below


def private_directory() -> Path:
    """Make the runtime directory, and refuse one that somebody else could have prepared for us."""
    directory = runtime_directory()
    _check_name(directory)
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
        if found.st_mode & 0o022:
            _remove_untrusted(directory)
    return directory


def _remove_untrusted(directory: Path) -> None:
    """Others could write into this directory until now: what is not a plain file or socket of ours goes."""
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


def _is_ours(found: os.stat_result) -> bool:
    """Whether it is a file or socket that we made: not a link, not another name of a file that is elsewhere too."""
    if sys.platform == "win32":
        return True
    kind = stat.S_ISREG(found.st_mode) or stat.S_ISSOCK(found.st_mode)
    return kind and found.st_uid == os.getuid() and found.st_nlink == 1 and not found.st_mode & 0o022


def trusted_directory() -> Path | None:
    """The runtime directory for those who only look into it; None if there is none that is ours alone to write to."""
    directory = runtime_directory()
    try:
        found = directory.lstat()
    except OSError:
        return None
    if sys.platform != "win32" and (
        not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022
    ):
        return None
    return directory


def open_own(path: Path, flags: int) -> int:
    """Open a file in the runtime directory, without ever following a link. OSError if it is not ours."""
    nowhere_else = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(path, flags | nowhere_else, 0o600)
    if not _is_ours(os.fstat(descriptor)):
        os.close(descriptor)
        raise PermissionError(errno.EPERM, "it is not a file of ours", str(path))
    return descriptor


def make_own(path: Path, flags: int) -> int:
    """Open a file in the private directory, or make it. What stands there and is not ours is replaced."""
    try:
        return open_own(path, flags | os.O_CREAT)
    except OSError:
        path.unlink(missing_ok=True)
        return open_own(path, flags | os.O_CREAT | os.O_EXCL)


def read_own(name: str) -> bytes:
    """What a file in the runtime directory says. OSError if there is none of ours."""
    directory = trusted_directory()
    if directory is None:
        raise FileNotFoundError(errno.ENOENT, "there is no directory of ours")
    with os.fdopen(open_own(directory / name, os.O_RDONLY), "rb") as file:
        return file.read(_READ_BYTES)


def _check_name(directory: Path) -> None:
    if not directory.is_absolute():
        # A daemon runs in the root directory, and whoever looks for it elsewhere would never find it.
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
    """Be the one daemon of this user; yields the private directory. `daemon_running` if there is one already."""
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
    """Be the only one of this user who starts a daemon; the others wait here. Yields the private directory."""
    directory = private_directory()
    lock = _open_lock(directory, _STARTING)
    try:
        while not _try_lock(lock):
            _pause()
        yield directory
    finally:
        os.close(lock)


def daemon_process() -> str:
    """The process id of the daemon that holds the lock, or an empty text if none does."""
    try:
        lock = open_own(runtime_directory() / _LOCK, os.O_RDWR)
    except OSError:
        return ""
    try:
        return "" if _try_lock(lock) else _named(lock)
    finally:
        os.close(lock)


def wait_until_ended(seconds: float) -> bool:
    """Wait until no daemon holds the lock, that is until its browser has been closed too."""
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
    """Who holds the lock, as it wrote it."""
    os.lseek(lock, 0, os.SEEK_SET)
    return os.read(lock, 20).decode("ascii", errors="ignore").strip() or "unknown"


def _try_lock(descriptor: int) -> bool:
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - on Windows only

        # A byte far behind what is written, which others may then still read.
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
    """Say where a daemon without a Unix socket listens, to this user alone."""
    descriptor = os.open(directory / ADDRESS, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(f"{port} {token}\n")


def read_address() -> tuple[int, str] | None:
    """Port and token of the daemon that listens on loopback, if there is one."""
    try:
        port, token = read_own(ADDRESS).decode("ascii").split()
        return int(port), token
    except (OSError, ValueError):
        return None
