"""What the tests of documents share."""

import os
import shlex
import sys
from pathlib import Path

import pytest

from tests.processes import COMMAND

ROOT = Path(__file__).parents[2]


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without a display, with `gasoline-cdp` on PATH, and `./launcher/run` in the directory."""
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("CI", "1")
    monkeypatch.setenv("COLUMNS", "80")
    programs = tmp_path / "bin"
    programs.mkdir()
    _script(programs / "gasoline-cdp", shlex.join(COMMAND))
    # What is installed into an editor is not installed into one of this machine's user.
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    (tmp_path / "launcher").mkdir()
    # Elsewhere than in the environment that the launcher makes, it would first have to make one.
    by_launcher = Path(sys.prefix) == ROOT / ".venv"
    _script(tmp_path / "launcher" / "run", str(ROOT / "launcher" / "run") if by_launcher else shlex.join(COMMAND))
    monkeypatch.chdir(tmp_path)


def _script(path: Path, command: str) -> None:
    path.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    path.chmod(0o755)
