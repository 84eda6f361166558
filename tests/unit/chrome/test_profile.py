"""Profile directories: created, cleared of leftovers, protected from a second browser, removed."""

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gasoline_cdp.chrome import profile as profile_module
from gasoline_cdp.chrome.profile import default_profile, lock_holder, open_profile
from gasoline_cdp.errors import Code, GasolineError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="locks are symbolic links on POSIX only")

HOST = socket.gethostname()
KEEPS_WRITING = """
import pathlib, sys
for number in range(3000):
    try:
        pathlib.Path(sys.argv[1], str(number)).touch()
    except FileNotFoundError:
        sys.exit()
    if number == 50:
        print("writing", flush=True)
"""


def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def lock(profile: Path, pid: int, host: str = HOST) -> None:
    (profile / "SingletonLock").symlink_to(f"{host}-{pid}")
    (profile / "SingletonCookie").symlink_to("123")
    (profile / "SingletonSocket").symlink_to(profile / "gone")


def lock_files(profile: Path) -> set[str]:
    return {path.name for path in profile.iterdir() if path.name.startswith("Singleton")}


@pytest.mark.parametrize(
    ("platform", "environ", "expected"),
    [
        ("linux", {}, "/h/.local/share/gasoline-cdp/profile"),
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data/gasoline-cdp/profile"),
        ("darwin", {"XDG_DATA_HOME": "/data"}, "/h/Library/Application Support/gasoline-cdp/profile"),
        ("win32", {"LOCALAPPDATA": "/c/local"}, "/c/local/gasoline-cdp/profile"),
        ("win32", {}, "/h/AppData/Local/gasoline-cdp/profile"),
    ],
)
def test_the_profile_that_persists(platform: str, environ: dict[str, str], expected: str) -> None:
    assert default_profile(environ=environ, platform=platform, home=Path("/h")) == Path(expected)


def test_the_default_is_used_when_none_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_module, "default_profile", lambda: tmp_path / "ours")
    with open_profile(None, temporary=False) as profile:
        assert profile == tmp_path / "ours"


def test_a_persisting_profile_is_private_and_stays(tmp_path: Path) -> None:
    with open_profile(tmp_path / "a" / "b", temporary=False) as profile:
        assert stat.S_IMODE(profile.stat().st_mode) == 0o700
        (profile / "kept").touch()
    assert (profile / "kept").exists()


def test_a_temporary_profile_is_private_and_removed_with_all_it_holds(tmp_path: Path) -> None:
    with open_profile(tmp_path, temporary=True) as profile:
        assert profile.parent == tmp_path
        assert stat.S_IMODE(profile.stat().st_mode) == 0o700
        (profile / "Default" / "Cache").mkdir(parents=True)
        (profile / "Default" / "Cache" / "data").touch()
        (profile / "SingletonLock").symlink_to("nowhere")
    assert list(tmp_path.iterdir()) == []


def test_a_temporary_profile_is_removed_when_the_block_fails() -> None:
    def use() -> None:
        with open_profile(None, temporary=True) as profile:
            used.append(profile)
            raise RuntimeError

    used: list[Path] = []
    with pytest.raises(RuntimeError):
        use()
    assert not used[0].exists()


def test_a_temporary_profile_is_removed_while_something_still_writes_to_it(tmp_path: Path) -> None:
    with open_profile(tmp_path, temporary=True) as profile:
        writer = subprocess.Popen([sys.executable, "-c", KEEPS_WRITING, profile], stdout=subprocess.PIPE)
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"writing\n"
    assert not profile.exists()
    writer.communicate()


def test_the_port_of_an_earlier_browser_is_forgotten(tmp_path: Path) -> None:
    (tmp_path / "DevToolsActivePort").write_text("9222\n/devtools/browser/old\n")
    with open_profile(tmp_path, temporary=False):
        assert not (tmp_path / "DevToolsActivePort").exists()


def test_the_lock_of_a_dead_browser_is_removed(tmp_path: Path) -> None:
    lock(tmp_path, dead_pid())
    with open_profile(tmp_path, temporary=False):
        assert lock_files(tmp_path) == set()


def test_the_lock_of_a_browser_that_only_waits_to_be_reaped_is_removed(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    lock(tmp_path, process.pid)
    if sys.platform == "linux":
        with open_profile(tmp_path, temporary=False):
            assert lock_files(tmp_path) == set()
    process.wait()


def test_a_living_browser_keeps_its_profile(tmp_path: Path) -> None:
    lock(tmp_path, os.getpid())
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "gone"))
        server.listen()
        with pytest.raises(GasolineError, match=f"in use by process {os.getpid()}") as caught:
            open_profile(tmp_path, temporary=False).__enter__()
    assert caught.value.code == Code.PROFILE_IN_USE
    assert caught.value.details == {"pid": os.getpid(), "profile": str(tmp_path)}
    assert "SingletonLock" in lock_files(tmp_path)


def test_a_browser_that_has_its_lock_but_not_yet_its_socket_is_alive(tmp_path: Path) -> None:
    (tmp_path / "SingletonLock").symlink_to(f"{HOST}-{os.getpid()}")
    with pytest.raises(GasolineError, match="in use by process"):
        open_profile(tmp_path, temporary=False).__enter__()


@pytest.mark.parametrize("host", [HOST, "another-host"])
def test_what_only_chrome_can_judge_is_left_to_chrome(tmp_path: Path, host: str) -> None:
    # The number now belongs to another program than the browser, or to a process of another machine.
    lock(tmp_path, os.getpid(), host)
    with open_profile(tmp_path, temporary=False):
        assert len(lock_files(tmp_path)) == 3


@pytest.mark.parametrize("target", ["nonsense", "host-", "host-12x"])
def test_an_unreadable_lock_names_nobody(tmp_path: Path, target: str) -> None:
    (tmp_path / "SingletonLock").symlink_to(target)
    assert lock_holder(tmp_path) is None


@pytest.mark.parametrize("temporary", [False, True])
def test_a_directory_that_cannot_be_is_a_clear_error(tmp_path: Path, temporary: bool) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(GasolineError, match="cannot be used") as caught:
        open_profile(tmp_path / "file" / "profile", temporary=temporary).__enter__()
    assert caught.value.code == Code.BROWSER_FAILED
    assert str(tmp_path / "file" / "profile") in caught.value.message


def test_a_directory_that_is_not_writable_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The superuser may write anywhere, so the answer of the system is replaced.
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    with pytest.raises(GasolineError, match="not writable"):
        open_profile(tmp_path, temporary=False).__enter__()


HOLDS_PROFILE = """
import sys
from gasoline_cdp.chrome.profile import open_profile
from pathlib import Path
with open_profile(Path(sys.argv[1]), temporary=True) as profile:
    (profile / "Default").mkdir()
    print(profile, flush=True)
    sys.stdin.read()
"""


def test_a_temporary_profile_that_a_killed_process_left_is_removed_at_the_next_start(tmp_path: Path) -> None:
    for name in ("gasoline-cdp-profile-of-somebody", "gasoline-cdp-1000"):
        (tmp_path / name).mkdir()
    (tmp_path / "gasoline-cdp-profile-link").symlink_to(tmp_path / "gasoline-cdp-1000")
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS_PROFILE, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        left = Path(process.stdout.readline().strip())
        with open_profile(tmp_path, temporary=True):
            assert left.is_dir(), "a profile in use was removed"
        process.kill()
        process.wait()
    # Its browser has not quite gone.
    lock(left, os.getpid())
    with open_profile(tmp_path, temporary=True):
        assert left.is_dir()
    (left / "SingletonLock").unlink()
    with open_profile(tmp_path, temporary=True):
        assert not left.exists()
    kept = {path.name for path in tmp_path.iterdir()}
    assert kept == {"gasoline-cdp-profile-of-somebody", "gasoline-cdp-1000", "gasoline-cdp-profile-link"}


def test_a_profile_that_somebody_else_prepared_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    ours = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: ours + 1)
    monkeypatch.setattr(profile_module, "default_profile", lambda: tmp_path / "real")
    for directory in (tmp_path / "link", None):
        with pytest.raises(GasolineError, match="belongs to another user"), open_profile(directory, temporary=False):
            raise AssertionError
    # Named by a person, and no link.
    with open_profile(tmp_path / "real", temporary=False):
        pass
