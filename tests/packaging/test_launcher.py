"""launcher/run on a checkout that is set up: it hands over, says nothing itself, and starts little else.

The checkout is made up, so that nothing here can install anything or touch the environment the tests run in.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gasoline_cdp import __version__

CHECKOUT = Path(__file__).parents[2]
LAUNCHER = CHECKOUT / "launcher" / "run"
_INPUTS = (
    "launcher/requirements.lock",
    "launcher/requirements-dev.lock",
    "pyproject.toml",
    "gasoline_cdp/__init__.py",
    "gasoline_cdp/analysis/heap/kernel.c",
    "launcher/build_kernel.py",
)
# All that a start may run besides the shell and the program itself; readlink only for a link.
_NEEDED = ("cat", "cksum", "readlink")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose environment is ready, with the real command in it."""
    root = tmp_path / "a checkout"
    for name in ("launcher/run", *_INPUTS):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CHECKOUT / name, root / name)
    programs = root / ".venv" / "bin"
    programs.mkdir(parents=True)
    _program(programs / "python", f'exec "{sys.executable}" "$@"')
    _program(programs / "gasoline-cdp", f'exec "{sys.executable}" -P -m gasoline_cdp "$@"')
    sums = subprocess.run(["cksum", *_INPUTS], cwd=root, capture_output=True, text=True, check=True).stdout
    (root / ".venv" / ".setup").mkdir()
    (root / ".venv" / ".setup" / "stamp").write_text(f"dev {root.resolve()}\n{sums}")
    return root


def _program(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


def _tell(checkout: Path) -> None:
    """Let the command tell how it was called."""
    _program(checkout / ".venv" / "bin" / "gasoline-cdp", 'pwd -P; printf "<%s>\\n" "$@"')


def _start(*command: str | Path, cwd: Path, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **environment},
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("script", ["launcher/run", ".ci/run"])
def test_the_shell_can_read_it(script: str) -> None:
    done = _start("sh", "-n", CHECKOUT / script, cwd=CHECKOUT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert os.access(CHECKOUT / script, os.X_OK)


def test_what_it_says_it_can_do_is_what_it_can_do() -> None:
    text = LAUNCHER.read_text(encoding="utf-8")
    head = text.partition("\nset -eu\n")[0]
    told = set(re.findall(r"^#   launcher/run ([a-z]+) ", head, re.MULTILINE))
    branches = set(re.findall(r"^    ([a-z]+)\)$", text.rpartition("\ncase ${1-} in\n")[2], re.MULTILINE))
    assert told == branches
    assert {"demo", "test", "lint", "bench", "lock"} <= told


def test_the_command_is_passed_through(checkout: Path, tmp_path: Path) -> None:
    done = _start(checkout / "launcher" / "run", "--version", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"gasoline-cdp {__version__}\n", "")


def test_wrong_usage_is_the_command_s_to_tell(checkout: Path, tmp_path: Path) -> None:
    done = _start(checkout / "launcher" / "run", "no-such-command", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "launcher:" not in done.stderr


def test_arguments_input_and_directory_stay_as_they_were(checkout: Path, tmp_path: Path) -> None:
    _tell(checkout)
    arguments = ["mcp", "", "two words", "*", "--", "--flag"]
    done = _start(checkout / "launcher" / "run", *arguments, cwd=tmp_path)
    assert done.stdout.splitlines() == [str(tmp_path.resolve()), *(f"<{argument}>" for argument in arguments)]
    _program(checkout / ".venv" / "bin" / "gasoline-cdp", "exec cat")
    assert _start(checkout / "launcher" / "run", "mcp", cwd=tmp_path, stdin="a line\n").stdout == "a line\n"


def test_it_runs_through_links_and_from_its_own_directory(checkout: Path, tmp_path: Path) -> None:
    _tell(checkout)
    elsewhere = tmp_path / "bin"
    elsewhere.mkdir()
    (elsewhere / "absolute").symlink_to(checkout / "launcher" / "run")
    (elsewhere / "relative").symlink_to(Path("..") / checkout.name / "launcher" / "run")
    (elsewhere / "link to a link").symlink_to("relative")
    for link in elsewhere.iterdir():
        assert _start(link, "x", cwd=elsewhere).stdout.splitlines() == [str(elsewhere.resolve()), "<x>"], link
    found = _start("absolute", "x", cwd=tmp_path, PATH=f"{elsewhere}{os.pathsep}{os.environ['PATH']}")
    assert found.stdout.splitlines()[-1] == "<x>"
    assert _start("./run", "x", cwd=checkout / "launcher").stdout.splitlines()[-1] == "<x>"
    assert _start("sh", "run", "x", cwd=checkout / "launcher").stdout.splitlines()[-1] == "<x>"


def test_a_start_runs_next_to_nothing_else(checkout: Path, tmp_path: Path) -> None:
    """No Python, no pip, no git: an editor that waits for its server waits for the server only."""
    _tell(checkout)
    few = tmp_path / "few"
    few.mkdir()
    for name in _NEEDED:
        where = shutil.which(name)
        assert where is not None
        (few / name).symlink_to(where)
    done = _start(checkout / "launcher" / "run", "x", cwd=tmp_path, PATH=str(few), HOME=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")


def test_without_a_python_it_says_so_and_leaves_nothing(checkout: Path, tmp_path: Path) -> None:
    shutil.rmtree(checkout / ".venv")
    done = _start(checkout / "launcher" / "run", "--version", cwd=tmp_path, PYTHON=str(tmp_path / "none"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("launcher: PYTHON names ")
    assert not (checkout / ".venv").exists()
