"""Runs the suites with the real test runners, and says which evidence each test has."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from attrs import field, frozen

from gasoline_cdp.chrome.find import find_browser
from gasoline_cdp.frontends.http.access import read_access
from tests.node_tools import NODE, install_packages, npm
from tests.processes import open_command, until

SUITES = Path(__file__).parent
FIXTURE = SUITES.parents[1] / "launcher" / "playwright"
FILES = ("gasoline-summary.txt", "gasoline-snapshot.json", "gasoline.har")
# Every page says which test opened it.
_MARK = re.compile(r"(?:failing|passing|flaky)-(?:[a-z]+-?)*\d*(?:-try-\d)?")
_SECONDS = 600


@frozen
class TryOfTest:
    """One run of one test, as its report tells it."""

    __test__ = False

    name: str
    retry: int
    failed: bool
    message: str
    files: dict[str, Path] = field(factory=dict)

    @property
    def mark(self) -> str:
        """What its page calls itself."""
        if again := re.search(r"tried[ _]again\D*(\d)", self.name):
            return f"flaky-{again[1]}-try-{self.retry}"
        if passes := re.search(r"passes\D*(\d+)", self.name):
            return f"passing-{passes[1]}"
        fails = re.search(r"fails[ _]by[\W_]*(?:chromium-)?([a-z0-9-]+)", self.name)
        assert fails is not None, self.name
        return f"failing-{fails[1]}"

    def text(self, file: str) -> str:
        return self.files[file].read_text(encoding="utf-8")

    def marks(self) -> set[str]:
        """The tests that its evidence speaks of."""
        return {found for file in self.files for found in _MARK.findall(self.text(file))}


@contextmanager
def open_site() -> Iterator[str]:
    """The application under test; its address."""
    command = [NODE, SUITES / "site.mjs"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


async def _published() -> bool:
    return read_access() is not None


@asynccontextmanager
async def open_gasoline() -> AsyncIterator[int]:
    """A daemon for tests that bring their own browsers; its process."""
    waiting = [str(NODE), "-e", "process.stdin.resume()"]
    async with open_command("ci", "--no-browser", "--port", "0", "--", *waiting, stdin=True) as running:
        await until(_published)
        yield running.process.pid


def pack_fixture(into: Path) -> Path:
    """The npm package, as it would be published."""
    into.mkdir(exist_ok=True)
    npm("pack", "--pack-destination", str(into), str(FIXTURE), cwd=into)
    (packed,) = into.glob("*.tgz")
    return packed


def playwright_project(directory: Path) -> Path:
    """A project outside the checkout, with Playwright and the fixture installed from its package."""
    project = directory / "project"
    project.mkdir()
    for name in ("package.json", "playwright.config.js", "shop.spec.js"):
        shutil.copy(SUITES / "playwright" / name, project)
    shutil.copytree(install_packages(SUITES / "playwright"), project / "node_modules", symlinks=True)
    # Not offline: installing from a lock does not fetch the descriptions that checking a peer needs.
    npm("install", "--no-save", "--prefer-offline", str(pack_fixture(directory / "packed")), cwd=project)
    return project


def suite_environment(site: str, **more: str) -> dict[str, str]:
    """What the suites read."""
    return {
        **os.environ,
        "PATH": os.pathsep.join((str(NODE.parent), os.environ.get("PATH", os.defpath))),
        "SUITE_SITE": site,
        "SUITE_BROWSER": str(find_browser()),
        **more,
    }


def run_playwright(
    project: Path, site: str, *arguments: str, under: Sequence[str] = (), **environment: str
) -> list[TryOfTest]:
    """Run the suite, perhaps under another command; every try of every test."""
    results = project / "results"
    environment = (
        suite_environment(site, SUITE_RESULTS=str(results), SUITE_FIXTURE="gasoline-cdp-playwright") | environment
    )
    program = project / "node_modules" / "@playwright" / "test" / "cli.js"
    command = [*under, str(NODE), str(program), "test", *arguments]
    done = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, check=False, timeout=_SECONDS
    )
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    report = json.loads((results / "report.json").read_text(encoding="utf-8"))
    assert not report["errors"], report["errors"]
    return list(_tries(report["suites"]))


def _tries(suites: list[dict[str, Any]]) -> Iterator[TryOfTest]:
    for suite in suites:
        yield from _tries(suite.get("suites", []))
        for spec in suite["specs"]:
            for result in spec["tests"][0]["results"]:
                yield TryOfTest(
                    spec["title"],
                    result["retry"],
                    result["status"] != "passed",
                    "\n".join(error.get("message", "") for error in result["errors"]),
                    {one["name"]: Path(one["path"]) for one in result["attachments"] if one["name"] in FILES},
                )


def python_packages() -> Path:
    """The packages that the suites for pytest need, which are no dependencies of ours; installed once."""
    lock = SUITES / "requirements.lock"
    home = Path(sys.prefix) / ".suites" / hashlib.sha256(lock.read_bytes()).hexdigest()[:16]
    if not home.is_dir():
        home.parent.mkdir(exist_ok=True)
        unfinished = home.with_name(f"unfinished-{os.getpid()}")
        command = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"]
        subprocess.run([sys.executable, *command, "--target", unfinished, "-r", lock], check=True, timeout=_SECONDS)
        try:
            unfinished.rename(home)
        except OSError:
            # Another run was faster.
            shutil.rmtree(unfinished)
    return home


def run_pytest(
    suite: str, directory: Path, site: str, *arguments: str, under: Sequence[str] = (), **environment: str
) -> tuple[list[TryOfTest], Path]:
    """Run a suite in a directory of its own; the last try of every test, and the directory of its evidence."""
    project = directory / suite
    shutil.copytree(SUITES / suite, project)
    environment = suite_environment(site, PYTHONPATH=str(python_packages())) | environment
    # Neither our own settings nor those of the machine.
    own = ["-c", os.devnull, "--rootdir", str(project), "-p", "no:cacheprovider", "--junitxml", "report.xml"]
    command = [*under, sys.executable, "-m", "pytest", *own, *arguments, "."]
    done = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, check=False, timeout=_SECONDS
    )
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    cases = ET.parse(project / "report.xml").getroot().iter("testcase")
    return [_case(case) for case in cases], project / "test-results"


def _case(case: ET.Element) -> TryOfTest:
    failure = case.find("failure")
    properties = {one.attrib["name"]: Path(one.attrib["value"]) for one in case.iter("property")}
    files = {path.name: path for name, path in properties.items() if name.startswith("gasoline_")}
    output = case.findtext("system-err", "") + case.findtext("system-out", "")
    message = "" if failure is None else f"{failure.text}\n{output}"
    # JUnit knows no tries: the first one of a test that passed when tried again is a case without failure.
    failed = failure is not None or ("tried_again" in case.attrib["name"] and bool(files))
    return TryOfTest(case.attrib["name"], 0, failed, message, files)


def wrong_evidence(tries: Sequence[TryOfTest], files: Sequence[str] = FILES) -> list[str]:
    """What is missing, and what belongs to another test."""
    wrong = []
    for one in tries:
        if not one.failed:
            if one.files:
                wrong.append(f"{one.name} passed and has {sorted(one.files)}")
            continue
        if sorted(one.files) != sorted(files):
            wrong.append(f"{one.name} has {sorted(one.files)}")
        elif strays := one.marks() - {one.mark}:
            wrong.append(f"{one.name} speaks of {sorted(strays)}")
        elif one.mark not in one.text("gasoline-summary.txt"):
            wrong.append(f"{one.name} does not say what happened: {one.text('gasoline-summary.txt')}")
    return wrong
