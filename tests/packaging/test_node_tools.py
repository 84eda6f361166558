"""The packages for Node are installed once, whoever else installs them and whatever was cut short before."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.node_tools import NpmError, install_packages


def _project(directory: Path) -> Path:
    """A project of its own; without dependencies npm needs no network."""
    project = directory / "project"
    project.mkdir()
    (project / "package.json").write_text(json.dumps({"name": "project"}))
    lock = {"name": "project", "lockfileVersion": 3, "requires": True, "packages": {"": {"name": "project"}}}
    (project / "package-lock.json").write_text(json.dumps(lock))
    (project / ".npmrc").write_text("audit=false\n")
    return project


def test_runs_at_once_end_up_with_the_same_packages(tmp_path: Path) -> None:
    project, shelf = _project(tmp_path), tmp_path / "shelf"
    code = (
        "import sys; from pathlib import Path; from tests.node_tools import install_packages\n"
        "print(install_packages(Path(sys.argv[1]), Path(sys.argv[2])))"
    )
    checkout = Path(__file__).parents[2]
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(project), str(shelf)], cwd=checkout, stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    said = {run.communicate()[0].strip() for run in runs}
    assert [run.returncode for run in runs] == [0, 0, 0]
    assert said == {str(install_packages(project, shelf))}
    assert sorted(path.name for path in shelf.iterdir()) == sorted([Path(said.pop()).parent.name, "lock"])


def test_what_a_killed_run_left_is_not_taken_for_whole(tmp_path: Path) -> None:
    project, shelf = _project(tmp_path), tmp_path / "shelf"
    (shelf / "unfinished" / "node_modules" / "half").mkdir(parents=True)
    home = install_packages(project, shelf).parent
    assert not (home / "node_modules" / "half").exists()
    assert not (shelf / "unfinished").exists()


def test_a_changed_lock_is_installed_anew(tmp_path: Path) -> None:
    project, shelf = _project(tmp_path), tmp_path / "shelf"
    before = install_packages(project, shelf)
    (project / ".npmrc").write_text("audit=false\nfund=false\n")
    assert install_packages(project, shelf) != before


def test_a_failure_is_told_and_leaves_nothing_to_use(tmp_path: Path) -> None:
    project, shelf = _project(tmp_path), tmp_path / "shelf"
    (project / "package.json").write_text("{")
    for _ in range(2):
        with pytest.raises(NpmError, match=r"npm ci of .*project failed"):
            install_packages(project, shelf)
