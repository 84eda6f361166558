"""Who lives, and who only waits to be reaped."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gasoline_cdp.chrome.processes import is_group_running, is_running

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen]:
    process = subprocess.Popen(["sleep", "600"], process_group=0)
    yield process
    process.kill()
    process.wait()


def test_a_living_process_and_its_group(sleeper: subprocess.Popen) -> None:
    assert is_running(sleeper.pid)
    assert is_group_running(sleeper.pid)


def test_one_that_waits_to_be_reaped_is_dead_and_so_is_its_group(sleeper: subprocess.Popen) -> None:
    sleeper.kill()
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)
    assert not is_running(sleeper.pid)
    assert not is_group_running(sleeper.pid)
    sleeper.wait()
    assert not is_running(sleeper.pid)


def test_a_program_with_parentheses_in_its_name(tmp_path: Path) -> None:
    program = tmp_path / "a) Z (b"
    program.symlink_to("/bin/sleep")
    process = subprocess.Popen([program, "600"])
    try:
        assert is_running(process.pid)
    finally:
        process.kill()
        process.wait()


def test_without_proc_signals_are_asked(
    sleeper: subprocess.Popen, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("gasoline_cdp.chrome.processes._PROC", tmp_path)
    assert is_running(sleeper.pid)
    assert is_group_running(sleeper.pid)
    sleeper.kill()
    sleeper.wait()
    assert not is_running(sleeper.pid)
    assert not is_group_running(sleeper.pid)
