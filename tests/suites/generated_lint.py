"""What Playwright's recommended rules and the type checker say of generated tests."""

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.node_tools import NODE, install_packages
from tests.suites.running import SUITES

_ESLINT = """const plugin = require("eslint-plugin-playwright");
const languageOptions = { sourceType: "module" };
module.exports = [{ ...plugin.configs["flat/recommended"], files: ["**/*.js"], languageOptions }];
"""
_STRICT = ("--noEmit", "--strict", "--noUnusedLocals", "--skipLibCheck", "--target", "esnext", "--module", "nodenext")


def lint_scripts(project: Path, scripts: Mapping[str, str]) -> list[str]:
    """Complaints of the rules about tests in JavaScript, and of the type checker about those in TypeScript."""
    project.mkdir(exist_ok=True)
    tools = install_packages(SUITES.parent / "node")
    # Both look for packages beside the project.
    packages = project / "node_modules"
    packages.mkdir()
    for name in ("@playwright", "playwright", "playwright-core"):
        (packages / name).symlink_to(install_packages(SUITES / "playwright") / name)
    for name in ("@types", "eslint-plugin-playwright"):
        (packages / name).symlink_to(tools / name)
    (project / "package.json").write_text('{"type": "commonjs"}')
    (project / "eslint.config.js").write_text(_ESLINT)
    for name, script in scripts.items():
        (project / name).write_text(script, encoding="utf-8")
    return [*_rules(project, tools, scripts), *_types(project, tools, scripts)]


def _rules(project: Path, tools: Path, scripts: Mapping[str, str]) -> list[str]:
    names = [name for name in scripts if name.endswith(".js")]
    command = [str(NODE), str(tools / "eslint" / "bin" / "eslint.js"), "--format", "json", *names]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode in {0, 1}, done.stderr
    return [
        f"{Path(file['filePath']).name}:{said['line']} {said['ruleId']} {said['message']}"
        for file in json.loads(done.stdout)
        for said in file["messages"]
    ]


def _types(project: Path, tools: Path, scripts: Mapping[str, str]) -> list[str]:
    names = [name for name in scripts if name.endswith(".ts")]
    command = [str(NODE), str(tools / "typescript" / "bin" / "tsc"), *_STRICT, "--types", "node", "--pretty", "false"]
    done = subprocess.run(
        [*command, "--ignoreConfig", *names], cwd=project, capture_output=True, text=True, check=False
    )
    shutil.rmtree(project / "node_modules")
    return done.stdout.splitlines()
