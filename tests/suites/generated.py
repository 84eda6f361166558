"""Runs generated tests with the real Playwright."""

import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gasoline_cdp.chrome.find import find_browser
from tests.node_tools import NODE, install_packages
from tests.suites.running import SUITES, python_packages

# One browser for all tests, each in a context of its own: after each failure the runner starts a worker anew, and with
# that a browser.
_CONFIG = """module.exports = {
  timeout: 30000, reporter: [['json', { outputFile: 'report.json' }]], fullyParallel: true,
  workers: Number(process.env.SUITE_WORKERS || 3), repeatEach: Number(process.env.SUITE_REPEAT || 1),
  globalSetup: './browser.js', use: { connectOptions: { wsEndpoint: process.env.SUITE_ENDPOINT || '' } },
};"""
_BROWSER = """const { chromium } = require('@playwright/test');
module.exports = async () => {
  const given = { executablePath: process.env.SUITE_BROWSER, args: ['--no-sandbox'] };
  const server = await chromium.launchServer(given);
  process.env.SUITE_ENDPOINT = server.wsEndpoint();
  return () => server.close();
};"""
_SECONDS = 600


def run_specs(project: Path, scripts: Mapping[str, str], **environment: str) -> dict[str, str]:
    """Run some tests by the names of their files; for each the error, empty if it passed."""
    results = spec_results(project, scripts, **environment)
    return {name: next(filter(None, errors), "") for name, errors in results.items()}


def spec_results(project: Path, scripts: Mapping[str, str], **environment: str) -> dict[str, list[str]]:
    """The same, with one error for each repetition."""
    project.mkdir(exist_ok=True)
    for old in project.glob("*.spec.*"):
        old.unlink()
    packages = project / "node_modules"
    if not packages.exists():
        packages.symlink_to(install_packages(SUITES / "playwright"))
    (project / "playwright.config.js").write_text(_CONFIG)
    (project / "browser.js").write_text(_BROWSER)
    for name, script in scripts.items():
        (project / name).write_text(script, encoding="utf-8")
    shutil.rmtree(project / "test-results", ignore_errors=True)
    done = subprocess.run(
        [str(NODE), str(packages / "@playwright" / "test" / "cli.js"), "test"],
        cwd=project,
        env={**os.environ, "SUITE_BROWSER": str(find_browser()), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=_SECONDS,
    )
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    report = json.loads((project / "report.json").read_text(encoding="utf-8"))
    results: dict[str, list[str]] = {name: [] for name in scripts}
    for suite in report["suites"]:
        results[suite["file"]] += [_error(test) for spec in suite["specs"] for test in spec["tests"]]
    # A file that cannot be loaded has no tests.
    broken = [error.get("message", "") for error in report["errors"]]
    return {name: errors or [" ".join(broken) or "no test ran"] for name, errors in results.items()}


# In the middle of words, where a text differs from what was expected.
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def _error(test: dict[str, Any]) -> str:
    (result,) = test["results"]
    said = _COLOURS.sub("", "\n".join(error.get("message", "") for error in result["errors"]))
    return "" if result["status"] == "passed" else said or result["status"]


_CONFTEST = """import os
import pytest


@pytest.fixture(scope="session")
def browser_type_launch_args():
    return {"executable_path": os.environ["SUITE_BROWSER"], "args": ["--no-sandbox"], "headless": True}
"""


def run_python(project: Path, scripts: Mapping[str, str], **environment: str) -> dict[str, list[str]]:
    """Run tests for pytest-playwright; the errors of each file."""
    project.mkdir(exist_ok=True)
    for old in project.glob("test_*.py"):
        old.unlink()
    for name, script in {**scripts, "conftest.py": _CONFTEST}.items():
        (project / name).write_text(script, encoding="utf-8")
    own = ["-c", os.devnull, "--rootdir", str(project), "-p", "no:cacheprovider", "--junitxml", "report.xml"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *own, "-n", environment.get("SUITE_WORKERS", "3"), "."],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(python_packages()), "SUITE_BROWSER": str(find_browser()), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=_SECONDS,
    )
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    results: dict[str, list[str]] = {name: [] for name in scripts}
    for case in ET.parse(project / "report.xml").getroot().iter("testcase"):
        failures = [problem.text or "failed" for kind in ("failure", "error") for problem in case.iter(kind)]
        results[f"{case.attrib['classname'].rpartition('.')[2]}.py"].append("\n".join(failures))
    return {name: errors or ["no test ran"] for name, errors in results.items()}
