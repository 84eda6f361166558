"""The plugin at work: from the beginning of each test to its evidence."""

import os
import re
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from gasoline_cdp.frontends.pytest_plugin.daemon_client import DaemonError, find_daemon
from gasoline_cdp.frontends.pytest_plugin.playwright_browsers import PlaywrightBrowsers
from gasoline_cdp.frontends.pytest_plugin.selenium_drivers import SeleniumDrivers
from gasoline_cdp.frontends.pytest_plugin.watcher import TestRun, Watcher

_LIBRARIES: dict[str, Callable[..., PlaywrightBrowsers | SeleniumDrivers]] = {
    "playwright.sync_api": PlaywrightBrowsers,
    "playwright.async_api": PlaywrightBrowsers,
    "selenium.webdriver.remote.webdriver": SeleniumDrivers,
}
_SUMMARY_FILE = "gasoline-summary.txt"
# Names of files may be this long. A test's name is cut in the middle: its end tells it from others.
_NAME_CHARS = 150


def open_session(config: pytest.Config) -> "WatchedSession | None":
    """The session, or None if no daemon is there: then the tests run as without us."""
    daemon = find_daemon()
    try:
        if daemon is not None:
            daemon.check()
            return WatchedSession(config, Watcher(daemon))
    except DaemonError as error:
        problem = str(error)
    else:
        problem = "gasoline-cdp is not running"
    sys.stderr.write(f"gasoline-cdp: {problem.removesuffix('.')}; the tests run without evidence.\n")
    return None


class WatchedSession:
    """Hooks of pytest. A run of a test begins with its set-up, so that each try of a plugin for retries is one."""

    def __init__(self, config: pytest.Config, watcher: Watcher) -> None:
        self._config = config
        self.watcher = watcher
        self._worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        self._tries: dict[str, int] = {}
        self._run: TestRun | None = None
        self._reported = False
        self._libraries: dict[str, PlaywrightBrowsers | SeleniumDrivers] = {}

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None]:
        """Begin a run, before any fixture makes a browser."""
        self._watch_libraries()
        retry = self._tries.get(item.nodeid, 0)
        self._tries[item.nodeid] = retry + 1
        self._run = TestRun(self.watcher.daemon, item.nodeid, retry, self._worker)
        self._reported = False
        # What an earlier try left belongs to the report of that try.
        item.user_properties[:] = [one for one in item.user_properties if not one[0].startswith("gasoline_")]
        self.watcher.begin(self._run)
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Judge a test that passed, and add the evidence of one that failed. Its pages are still open."""
        report = yield
        run = self._run
        # If the daemon was killed before the test began, its report says so.
        if run is None or not (run.begun or self.watcher.daemon.lost):
            return report
        if call.when == "call" and report.passed:
            self._judge(item, run, report)
        if report.failed and not self._reported:
            self._reported = True
            self.watcher.safely(lambda: self._add_evidence(item, run, report))
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self) -> None:
        """The last try of a test is over."""
        self.watcher.finish()
        self._run = None

    def pytest_unconfigure(self) -> None:
        """Leave the libraries as they were."""
        for library in self._libraries.values():
            library.undo()
        self.watcher.daemon.close()

    def _watch_libraries(self) -> None:
        """Tests and plugins have imported by now what they use."""
        for name, watch in _LIBRARIES.items():
            if name in sys.modules and name not in self._libraries:
                self._libraries[name] = watch(self.watcher, sys.modules[name])

    def _judge(self, item: pytest.Item, run: TestRun, report: pytest.TestReport) -> None:
        fail_on, allow = _gates(item)
        if "GASOLINE_AUDIT_PAGES" in os.environ and not any(gate.startswith("a11y") for gate in fail_on):
            # The run has a gate for accessibility, and the audit needs the pages, which are open only now.
            self.watcher.quietly(lambda: self.watcher.daemon.verdict({**run.selection, "fail_on": ["a11y:minor"]}))
        if not fail_on:
            return
        try:
            answer = self.watcher.daemon.verdict({**run.selection, "fail_on": fail_on, "allow": allow})
        except DaemonError as error:
            # A mistake in the marker is the project's to correct. That nobody could judge is no failure of the test.
            if error.status != 400:
                self.watcher.warn(f"no verdict on {item.nodeid}: {error}")
                return
            answer = {"verdict": "failed", "summary": str(error), "failures": []}
        for gap in answer.get("not_checked", []):
            self.watcher.warn(f"not checked: {gap}")
        if answer["verdict"] == "failed":
            report.outcome = "failed"
            report.longrepr = "\n".join([f"gasoline-cdp: {answer['summary']}", *map(_failure_line, answer["failures"])])

    def _add_evidence(self, item: pytest.Item, run: TestRun, report: pytest.TestReport) -> None:
        daemon = self.watcher.daemon
        directory = self._directory_of(item, run)
        directory.mkdir(parents=True, exist_ok=True)
        wanted: list[tuple[str, str, Callable[[dict[str, Any]], str]]] = [
            ("gasoline_summary", _SUMMARY_FILE, daemon.summary),
            ("gasoline_snapshot", "gasoline-snapshot.json", daemon.snapshot),
            ("gasoline_har", "gasoline.har", daemon.har),
        ]
        texts: dict[str, str] = {}
        missing = ""
        for _, file, ask in wanted:
            try:
                texts[file] = ask(run.selection)
            except DaemonError as error:
                missing = missing or f"Not all evidence is here: {error}\n"
        # Whoever opens the files later has only these.
        texts[_SUMMARY_FILE] = "\n".join(filter(None, (texts.get(_SUMMARY_FILE), missing)))
        report.sections.append(("gasoline-cdp", texts[_SUMMARY_FILE]))
        for name, file, _ in wanted:
            if file not in texts:
                continue
            (directory / file).write_text(texts[file], encoding="utf-8")
            # JUnit and others read those of the last report of a test, which come from the item.
            for properties in (item.user_properties, report.user_properties):
                properties.append((name, str(directory / file)))

    def _directory_of(self, item: pytest.Item, run: TestRun) -> Path:
        """Where pytest-playwright puts its pictures and traces of this try, or a directory like it."""
        theirs = getattr(item, "funcargs", {}).get("output_path")
        if isinstance(theirs, str | Path) and self._config.pluginmanager.hasplugin("playwright"):
            return Path(theirs)
        name = re.sub(r"[^\w.-]+", "-", item.nodeid).strip("-")
        if len(name) > _NAME_CHARS:
            name = f"{name[: _NAME_CHARS // 2]}-{name[-_NAME_CHARS // 2 :]}"
        retry = f"-retry{run.retry}" if run.retry else ""
        return Path(self._config.getoption("--gasoline-output")).absolute() / f"{name}{retry}"


def _gates(item: pytest.Item) -> tuple[list[str], list[dict[str, Any]]]:
    """What fails this test, and what is allowed: of its marks, the nearest one's gates and the allowances of all."""
    fail_on = list(item.config.getini("gasoline_fail_on"))
    allow: list[Any] = list(item.config.getini("gasoline_allow"))
    for mark in reversed(list(item.iter_markers("gasoline"))):
        allow += mark.kwargs.get("allow", [])
        # A test that may log some errors may not log others.
        fail_on = list(mark.kwargs.get("fail_on", fail_on or ["console-errors"]))
    return fail_on, [_allowance(one) for one in allow]


def _allowance(allowed: Any) -> dict[str, Any]:
    """A text, a compiled pattern, or an allowance as in gasoline.toml."""
    if isinstance(allowed, str):
        return {"gate": "console-errors", "message": allowed}
    if isinstance(allowed, re.Pattern):
        flags = "i" if allowed.flags & re.IGNORECASE else ""
        return {"gate": "console-errors", "pattern": f"(?{flags}){allowed.pattern}" if flags else allowed.pattern}
    return dict(allowed)


def _failure_line(failure: dict[str, Any]) -> str:
    location = f" at {failure['location']}" if failure.get("location") else ""
    times = f" ({failure['count']} times)" if failure.get("count", 1) > 1 else ""
    return f"  {failure['gate']}: {failure['text']}{location}{times}"
