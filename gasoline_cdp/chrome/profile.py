"""Prepares a browser's profile directory, and prevents two browsers from sharing one."""

import logging
import os
import shutil
import socket
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from gasoline_cdp.chrome.processes import is_running
from gasoline_cdp.errors import Code, GasolineError

log = logging.getLogger(__name__)

# Where a browser with `--remote-debugging-port=0` writes its port.
ACTIVE_PORT = "DevToolsActivePort"
_LOCK = "SingletonLock"
_SOCKET = "SingletonSocket"
_LOCK_FILES = (_LOCK, "SingletonCookie", _SOCKET)
# Each pass removes what was written during the last one. A dying helper cannot keep up for long.
_REMOVE_ATTEMPTS = 50
_TEMPORARY = "gasoline-cdp-profile-"
# Locked by the process that uses a temporary profile. The lock ends with the process, however that ends.
_OWNER = "gasoline-cdp.lock"


def default_profile(
    *, environ: Mapping[str, str] = os.environ, platform: str = sys.platform, home: Path | None = None
) -> Path:
    """Return the directory of the profile that persists between runs: ours, not the user's own."""
    home = home or Path.home()
    if platform == "darwin":
        data = home / "Library" / "Application Support"
    elif platform == "win32":
        data = Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    else:
        data = Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    return data / "gasoline-cdp" / "profile"


@contextmanager
def open_profile(directory: Path | None, *, temporary: bool) -> Iterator[Path]:
    """Yield a directory ready for a browser to start in.

    A temporary one is new, inside `directory` if given, and removed afterwards. A persistent one is `directory` or our
    default; it is created if needed, and stays.
    """
    _remove_abandoned(directory if temporary else None)
    if temporary:
        profile = _create_temporary(directory)
        try:
            with _owned(profile):
                yield profile
        finally:
            _remove(profile)
    else:
        profile = (directory or default_profile()).absolute()
        _create(profile)
        _check_owner(profile, named=directory is not None)
        clear_leftovers(profile)
        yield profile


def lock_holder(profile: Path) -> tuple[str, int] | None:
    """Return the host and process id in a profile's lock, alive or not. Windows has no such lock."""
    try:
        host, _, pid = str((profile / _LOCK).readlink()).rpartition("-")
        return host, int(pid)
    except (OSError, ValueError):
        return None


def read_active_port(file: Path) -> str | None:
    """The address in a DevToolsActivePort file: a port and a path, one per line."""
    try:
        port, path, *_ = file.read_text(encoding="utf-8").split("\n")
        # A browser that is just starting may not have written the second line yet.
        return f"ws://127.0.0.1:{int(port)}{path}" if path.startswith("/devtools/") else None
    except (OSError, ValueError):
        return None


def clear_leftovers(profile: Path) -> None:
    """Remove what a killed browser left behind. Raises PROFILE_IN_USE if one is alive.

    The port's file outlives the browser that wrote it, and would lead us to another program's port.
    """
    leftovers = [ACTIVE_PORT]
    # We cannot see processes of another machine. Chrome decides, and reports it.
    if (holder := lock_holder(profile)) and holder[0] == socket.gethostname():
        if not is_running(holder[1]):
            leftovers += _LOCK_FILES
        elif _is_answering(profile / _SOCKET):
            raise profile_in_use(profile, holder[1])
    try:
        for name in leftovers:
            (profile / name).unlink(missing_ok=True)
    except OSError as error:
        raise _unusable(profile, error) from error


def profile_in_use(profile: Path, pid: int | None) -> GasolineError:
    """Build the error for a profile that another browser has open."""
    by = f"process {pid}" if pid else "another browser"
    return GasolineError(
        Code.PROFILE_IN_USE,
        f"The profile {profile} is in use by {by}: close that browser, or use --profile DIR or --temporary-profile.",
        pid=pid,
        profile=str(profile),
    )


def _is_answering(link: Path) -> bool:
    """Whether the lock's process is a browser, and not another process with the number of a dead browser.

    If the lock is there and its socket is not yet, a browser is just starting.
    """
    if not link.is_symlink():
        return True
    with socket.socket(socket.AF_UNIX) as client:
        client.setblocking(False)
        try:
            client.connect(str(link.readlink()))
        except BlockingIOError:
            # A stopped browser with a full queue.
            return True
        except OSError:
            # Chrome takes over such a lock itself, and can judge better when to.
            return False
    return True


def _create(profile: Path) -> None:
    try:
        profile.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _unusable(profile, error) from error
    if not os.access(profile, os.R_OK | os.W_OK | os.X_OK):
        raise _unusable(profile, PermissionError("it is not writable"))


def _create_temporary(parent: Path | None) -> Path:
    if parent is not None:
        _create(parent.absolute())
    try:
        return Path(tempfile.mkdtemp(prefix=_TEMPORARY, dir=parent)).absolute()
    except OSError as error:
        raise _unusable(parent or Path(tempfile.gettempdir()), error) from error


@contextmanager
def _owned(profile: Path) -> Iterator[None]:
    """Mark the temporary profile as in use until the block ends."""
    if sys.platform == "win32":
        yield
        return
    import fcntl  # noqa: PLC0415 - not on Windows

    # Lock it before it gets its name, so that it is never seen unlocked.
    with (profile / f"{_OWNER}.new").open("xb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        (profile / f"{_OWNER}.new").rename(profile / _OWNER)
        yield


def _remove_abandoned(parent: Path | None) -> None:
    """Remove temporary profiles whose processes were killed and could not remove them."""
    if sys.platform == "win32":
        return
    for profile in Path(parent or tempfile.gettempdir()).glob(f"{_TEMPORARY}*"):
        if _is_abandoned(profile):
            log.info("removing %s, which a killed process left behind", profile)
            _remove(profile)


def _is_abandoned(profile: Path) -> bool:
    import fcntl  # noqa: PLC0415 - not on Windows

    holder = lock_holder(profile)
    if holder and holder[0] == socket.gethostname() and is_running(holder[1]):
        # Its browser is still exiting.
        return False
    try:
        status = profile.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
            return False
        with os.fdopen(os.open(profile / _OWNER, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)) as owner:
            fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        # In use, not complete yet, or not ours.
        return False
    return True


def _check_owner(profile: Path, *, named: bool) -> None:
    """Refuse a profile that another user prepared: a browser runs the extensions in it.

    For a directory that a person named, only another user's symbolic link is refused: in containers such a directory
    often belongs to another user.
    """
    if sys.platform == "win32":
        return
    try:
        owners = {profile.lstat().st_uid} if named else {profile.lstat().st_uid, profile.stat().st_uid}
    except OSError as error:
        raise _unusable(profile, error) from error
    if not owners <= {os.getuid()} and (profile.is_symlink() or not named):
        raise _unusable(profile, PermissionError("it belongs to another user"))


def _unusable(profile: Path, error: OSError) -> GasolineError:
    return GasolineError(
        Code.BROWSER_FAILED,
        f"The profile directory {profile} cannot be used ({error.strerror or error}): "
        "use --profile DIR or --temporary-profile.",
        profile=str(profile),
    )


def _remove(profile: Path) -> None:
    for _ in range(_REMOVE_ATTEMPTS):
        shutil.rmtree(profile, ignore_errors=True)
        if not profile.exists():
            return
    log.warning("the temporary profile %s could not be removed", profile)
