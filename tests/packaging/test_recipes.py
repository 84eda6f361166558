"""The recipes for CI systems: valid by their published schemas, and their commands work in a clean directory."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.node_tools import NODE
from tests.support import PATIENCE

pytestmark = pytest.mark.requirement("F11-RECIPES")

_RECIPES = Path(__file__).parents[2] / "launcher" / "ci"
_SCHEMAS = {
    "action.yml": "github-actions",
    "github-workflow.yml": "github-workflows",
    "gitlab-ci.yml": "gitlab-ci",
    "circleci.yml": "circle-ci",
}
_TOLD = "the command ran"


def test_the_recipes_fit_the_published_schemas() -> None:
    for name, schema in _SCHEMAS.items():
        checked = subprocess.run(
            [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", str(_RECIPES / name)],
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert checked.returncode == 0, checked.stdout


def _commands() -> dict[str, str]:
    """What each recipe runs of ours, as a shell would."""
    commands = {}
    for path in sorted(_RECIPES.iterdir()):
        text = path.read_text()
        if path.name == "Dockerfile":
            words = json.loads(text.rpartition("CMD ")[2])
            commands[path.name] = " ".join(words).replace("/out", "out")
            continue
        folded = re.sub(r">-\n\s+(.*)\n\s+", r"\1 ", text)
        found = re.findall(r"gasoline-cdp (?:ci|merge) [^'\n]+", folded)
        commands[path.name] = "\n".join(found)
    return commands


@pytest.mark.long
def test_the_commands_of_each_recipe_run_in_a_clean_directory(tmp_path: Path) -> None:
    commands = _commands()
    assert set(commands) == {*_SCHEMAS, "Dockerfile", "Jenkinsfile"}
    assert all("gasoline-cdp ci " in command for command in commands.values())
    (tmp_path / "package.json").write_text(json.dumps({"name": "app", "scripts": {"test": "node tests.js"}}))
    (tmp_path / "tests.js").write_text(
        f"fetch(process.env.GASOLINE_URL + '/health').then((answer) => answer.ok && console.log('{_TOLD}'));"
    )
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "npm").write_text('#!/bin/sh\nexec node "$NPM" "$@"\n')
    (tmp_path / "bin" / "npm").chmod(0o755)
    environment = {
        **os.environ,
        "PATH": os.pathsep.join(
            [str(tmp_path / "bin"), str(Path(sys.executable).parent), str(NODE.parent), os.environ["PATH"]]
        ),
        "NPM": str(NODE.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"),
        "HOME": str(tmp_path),
        "CI": "true",
        # What the systems set.
        "COMMAND": "npm test",
        "FAIL_ON": "console-errors",
        "ARTIFACTS": "kept",
        "CI_NODE_INDEX": "1",
        "CI_NODE_TOTAL": "2",
    }
    environment.pop("GASOLINE_RUNTIME_DIR", None)
    # Several recipes run the same.
    for script in sorted(set(commands.values())):
        done = subprocess.run(
            ["bash", "-ec", script],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, (script, done.stderr)
        assert _TOLD in done.stdout
    kept = {path.parent.name for path in tmp_path.glob("*/summary.md")}
    assert kept == {"kept", "out", "gasoline-artifacts", "gasoline-artifacts-1"}
