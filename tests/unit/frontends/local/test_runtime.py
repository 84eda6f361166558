"""The directory in which a daemon is found is nobody else's, and there is one daemon in it."""

import os
import socket
import stat
import tempfile
from pathlib import Path

import pytest

from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends.http.access import make_access, published
from gasoline_cdp.frontends.local import bridge, runtime
from gasoline_cdp.frontends.local.runtime import (
    SOCKET,
    only_daemon,
    private_directory,
    read_own,
    runtime_directory,
    starting_daemon,
)
from gasoline_cdp.frontends.local.starting import _open_log


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Where this test's daemon would live; conftest names it in the environment."""
    assert runtime_directory() == tmp_path / "runtime"
    return tmp_path / "runtime"


@pytest.mark.requirement("S13")
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_what_is_made_is_private_whatever_the_umask(directory: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        with only_daemon():
            assert mode_of(directory) == 0o700
            assert mode_of(directory / "daemon.lock") == 0o600
    finally:
        os.umask(before)


@pytest.mark.requirement("S13")
def test_a_directory_that_was_open_to_others_is_closed(directory: Path) -> None:
    directory.mkdir()
    directory.chmod(0o777)
    assert private_directory() == directory
    assert mode_of(directory) == 0o700


PLANTED = ["symlink", "hard link", "fifo", "file of others"]


def _plant(place: Path, kind: str, victim: Path) -> None:
    """What somebody else could put in the place of a file of ours."""
    victim.write_text("precious\n")
    match kind:
        case "symlink":
            place.symlink_to(victim)
        case "hard link":
            place.hardlink_to(victim)
        case "fifo":
            os.mkfifo(place)
        case _:
            place.write_text("1\n")
            place.chmod(0o666)


@pytest.mark.requirement("S13")
@pytest.mark.parametrize("mode", [0o777, 0o700])
@pytest.mark.parametrize("kind", PLANTED)
@pytest.mark.parametrize("name", ["daemon.lock", "starting.lock", "daemon.log", "http.json", "daemon.sock"])
def test_what_others_planted_is_replaced_and_never_written_to(
    directory: Path, tmp_path: Path, name: str, kind: str, mode: int
) -> None:
    directory.mkdir()
    directory.chmod(mode)
    victim = tmp_path / "victim"
    _plant(directory / name, kind, victim)
    with starting_daemon(), only_daemon(), published(make_access(1, no_token=False)):
        os.close(_open_log(directory / "daemon.log"))
        assert victim.read_text() == "precious\n"
        for entry in directory.iterdir():
            assert stat.S_ISREG(entry.lstat().st_mode)
            assert entry.lstat().st_nlink == 1
            assert mode_of(entry) == 0o600
    assert victim.read_text() == "precious\n"


@pytest.mark.requirement("S13")
def test_a_directory_of_others_in_ours_is_refused(directory: Path) -> None:
    (directory / "daemon.lock").mkdir(parents=True)
    directory.chmod(0o777)
    with pytest.raises(GasolineError, match="could be written to by others"):
        private_directory()
    with pytest.raises(GasolineError, match=r"Cannot use daemon\.lock"), only_daemon():
        raise AssertionError
    with pytest.raises(GasolineError, match=r"Cannot write .*daemon\.lock"):
        _open_log(directory / "daemon.lock")


@pytest.mark.requirement("S13")
@pytest.mark.parametrize("kind", ["symlink", "hard link", "file of others"])
def test_what_others_wrote_is_not_read(directory: Path, tmp_path: Path, kind: str) -> None:
    directory.mkdir(mode=0o700)
    _plant(directory / "http.json", kind, tmp_path / "victim")
    with pytest.raises(OSError, match=r"not a file of ours|Too many levels"):
        read_own("http.json")
    (directory / "http.json").unlink()
    (directory / "http.json").write_text("ours")
    assert read_own("http.json") == b"ours"
    directory.chmod(0o777)
    with pytest.raises(FileNotFoundError):
        read_own("http.json")


@pytest.mark.requirement("S13")
def test_a_client_does_not_speak_to_a_socket_that_others_may_have_made(directory: Path) -> None:
    directory.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(directory / "daemon.sock"))
        listener.listen()
        daemon = bridge.connect()
        assert daemon is not None
        daemon.close()
        directory.chmod(0o777)
        assert bridge.connect() is None


@pytest.mark.requirement("S13")
def test_a_symlink_is_refused(directory: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    directory.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(GasolineError, match="not a directory of yours") as refusal:
        private_directory()
    assert refusal.value.code is Code.NO_DAEMON
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.requirement("S13")
@pytest.mark.parametrize("kind", ["file", "dangling symlink", "fifo"])
def test_what_is_no_directory_is_refused(directory: Path, tmp_path: Path, kind: str) -> None:
    if kind == "file":
        directory.write_text("")
    elif kind == "fifo":
        os.mkfifo(directory)
    else:
        directory.symlink_to(tmp_path / "nowhere")
    with pytest.raises(GasolineError, match="GASOLINE_RUNTIME_DIR") as refusal:
        private_directory()
    assert refusal.value.code is Code.NO_DAEMON
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.requirement("S13")
def test_a_directory_of_somebody_else_is_refused(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory.mkdir(mode=0o755)
    monkeypatch.setattr(os, "getuid", lambda: directory.stat().st_uid + 1)
    with pytest.raises(GasolineError, match="not a directory of yours"):
        private_directory()
    # Not ours to mend either.
    assert mode_of(directory) == 0o755


def test_a_directory_that_cannot_be_made_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GASOLINE_RUNTIME_DIR", str(tmp_path / "file" / "runtime"))
    with pytest.raises(GasolineError, match=r"Cannot use .*GASOLINE_RUNTIME_DIR"):
        private_directory()


@pytest.mark.parametrize("name", ["run", "./run", "../run", "~/run"])
def test_a_directory_is_named_in_full(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GASOLINE_RUNTIME_DIR", name)
    with pytest.raises(GasolineError, match=r"GASOLINE_RUNTIME_DIR is .* must be a whole path") as refusal:
        private_directory()
    assert refusal.value.code is Code.NO_DAEMON
    assert list(tmp_path.iterdir()) == []


def test_a_directory_whose_socket_nobody_could_reach_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("x" * 100)
    monkeypatch.setenv("GASOLINE_RUNTIME_DIR", str(long))
    with pytest.raises(GasolineError, match=r"bytes too long for one\. Set GASOLINE_RUNTIME_DIR"):
        private_directory()
    assert not long.exists()
    # The longest that is not refused can be listened on.
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        room = runtime._SOCKET_PATH_BYTES - len(f"{short}//{runtime.SOCKET}")
        monkeypatch.setenv("GASOLINE_RUNTIME_DIR", f"{short}/{'x' * room}")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(private_directory() / runtime.SOCKET))
        monkeypatch.setenv("GASOLINE_RUNTIME_DIR", f"{short}/{'x' * (room + 1)}")
        with pytest.raises(GasolineError, match="1 bytes too long"):
            private_directory()


def test_the_place_depends_on_the_user_and_on_nothing_an_editor_scrubs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GASOLINE_RUNTIME_DIR")
    place = runtime_directory()
    for name in ("XDG_RUNTIME_DIR", "TMPDIR", "TEMP", "HOME", "USER"):
        monkeypatch.setenv(name, "/somewhere/else")
    assert runtime_directory() == place
    assert "gasoline-cdp" in place.name


def test_there_is_one_daemon(directory: Path) -> None:
    with only_daemon() as found:
        assert found == directory
        with (
            pytest.raises(GasolineError, match=rf"already running \(process {os.getpid()}\)") as refusal,
            only_daemon(),
        ):
            pytest.fail("two daemons")
        assert refusal.value.code is Code.DAEMON_RUNNING
        assert refusal.value.details == {"pid": str(os.getpid())}
    # The refused one took nothing away, and the first one's end lets the next begin.
    with only_daemon():
        pass


def test_the_second_does_not_take_the_first_ones_socket(directory: Path) -> None:
    with only_daemon(), socket.socket(socket.AF_UNIX) as listener:
        path = directory / SOCKET
        listener.bind(str(path))
        with pytest.raises(GasolineError), only_daemon():
            pytest.fail("two daemons")
        assert path.is_socket()
    assert not (directory / SOCKET).exists()


def test_what_a_killed_daemon_left_is_no_obstacle(directory: Path) -> None:
    directory.mkdir(mode=0o700)
    (directory / "daemon.lock").write_text("4194304\nand more that was there before\n")
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(directory / SOCKET))
    with only_daemon():
        assert not (directory / SOCKET).exists()
        assert (directory / "daemon.lock").read_text() == f"{os.getpid()}\n"


def test_a_daemon_that_fails_lets_go(directory: Path) -> None:
    def run() -> None:
        with only_daemon() as found:
            (found / SOCKET).touch()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run()
    assert not (directory / SOCKET).exists()
    with only_daemon():
        pass


def test_a_lock_without_a_name_in_it_is_still_a_lock(directory: Path) -> None:
    with only_daemon():
        (directory / "daemon.lock").write_bytes(b"\xff\xfe")
        with pytest.raises(GasolineError, match="process unknown"), only_daemon():
            pytest.fail("two daemons")
