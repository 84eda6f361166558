"""Whether failing tests of real runners have exactly their own evidence, and the cost beside Playwright's traces.

Forty tests: ten fail in ten ways, two pass when tried again, and the others log the same errors and pass.
"""

import argparse
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from tests.processes import COMMAND
from tests.suites.running import TryOfTest, open_site, playwright_project, run_playwright, run_pytest, wrong_evidence

# The variants, in the order in which each round runs them: the environment of each.
VARIANTS: dict[str, dict[str, str]] = {
    "without": {"SUITE_FIXTURE": "@playwright/test"},
    "fixture": {},
    "trace: retain-on-failure": {"SUITE_FIXTURE": "@playwright/test", "SUITE_TRACE": "retain-on-failure"},
    "trace: on": {"SUITE_FIXTURE": "@playwright/test", "SUITE_TRACE": "on"},
}
UNDER_CI = [*COMMAND, "ci", "--no-browser", "--port", "0", "--"]
# With the fixture, a suite may take this much longer.
_ALLOWED = 1.10


def main(arguments: Sequence[str]) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="launcher/run bench fixtures", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how often each variant runs (default: 3)")
    parser.add_argument("--workers", default="4", help="workers of each runner (default: 4)")
    parser.add_argument("--tests", default="40", help="tests of the suite (default: 40)")
    parser.add_argument("--only", choices=["playwright", "pytest", "selenium"], help="one of the runners")
    options = parser.parse_args(arguments)
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as temporary, open_site() as site:
        directory = Path(temporary)
        if options.only in {None, "playwright"}:
            wrong += _playwright(directory, site, options)
        if options.only in {None, "pytest"}:
            wrong += _pytest("pytest", directory, site, options)
        if options.only in {None, "selenium"}:
            wrong += _pytest("selenium", directory, site, options)
    for line in wrong:
        _say(f"WRONG: {line}")
    return 1 if wrong else 0


def _say(text: str) -> None:
    Console().print(text, highlight=False, soft_wrap=True)


def _playwright(directory: Path, site: str, options: argparse.Namespace) -> list[str]:
    project = playwright_project(directory)
    walls: dict[str, list[float]] = {name: [] for name in VARIANTS}
    processors: dict[str, list[float]] = {name: [] for name in VARIANTS}
    wrong: list[str] = []
    tries: list[TryOfTest] = []
    for _ in range(options.rounds):
        for name, environment in VARIANTS.items():
            shutil.rmtree(project / "results", ignore_errors=True)
            before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            tries = run_playwright(
                project,
                site,
                under=UNDER_CI if name == "fixture" else (),
                SUITE_TESTS=options.tests,
                SUITE_WORKERS=options.workers,
                **environment,
            )
            walls[name].append(time.perf_counter() - started)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            processors[name].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
            if name == "fixture":
                wrong += wrong_evidence(tries)
    _say(f"Playwright: {len(tries)} tries, {sum(one.failed for one in tries)} failed, {len(wrong)} wrong")
    for name in VARIANTS:
        wall, processor = statistics.median(walls[name]), statistics.median(processors[name])
        ratio = wall / statistics.median(walls["without"])
        each = " ".join(f"{one:.1f}" for one in walls[name])
        _say(f"  {name:<26} {wall:6.1f} s ({each}), {ratio:.2f} x, processor {processor:.1f} s")
    ratio = statistics.median(walls["fixture"]) / statistics.median(walls["without"])
    if ratio > _ALLOWED:
        wrong.append(f"with the fixture the suite takes {ratio:.2f} times as long; {_ALLOWED} is allowed")
    return wrong


def _pytest(suite: str, directory: Path, site: str, options: argparse.Namespace) -> list[str]:
    alone = ["-p", "no:playwright"] if suite == "selenium" else []
    driver = shutil.which("chromedriver")
    if suite == "selenium" and driver is None:
        return ["Install chromedriver (Debian: apt-get install chromium-driver)."]
    tests = options.tests if suite == "pytest" else "16"
    environment = {"SUITE_TESTS": tests, "SUITE_CHROMEDRIVER": driver or ""}
    cases, _ = run_pytest(suite, directory, site, "-n", options.workers, *alone, under=UNDER_CI, **environment)
    wrong = wrong_evidence(cases)
    _say(f"{suite}: {len(cases)} tests, {sum(one.failed for one in cases)} failed tries, {len(wrong)} wrong")
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
