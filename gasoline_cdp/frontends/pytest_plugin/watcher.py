"""Which browser contexts are open in this process, and which test they belong to. Standard library only."""

import sys
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from gasoline_cdp.frontends.pytest_plugin.daemon_client import DaemonClient, DaemonError


class ContextAddress(NamedTuple):
    """A browser context, as the daemon knows it."""

    browser: str
    browser_context_id: str


class TestRun:
    """One run of a test: another try is another run."""

    # Pytest would take the name for a class of tests.
    __test__ = False

    def __init__(self, daemon: DaemonClient, test_id: str, retry: int, worker: str) -> None:
        self._daemon = daemon
        self.retry = retry
        self._worker = worker
        # What selects its records.
        self.selection: dict[str, Any] = {"test_id": test_id, "retry": retry}
        # Whether a browser context was watched for it.
        self.begun = False

    def add_context(self, address: ContextAddress) -> None:
        """From now on, what happens in this context belongs to the test."""
        self._daemon.mark_boundary({**self._boundary("start"), **address._asdict()})
        self.begun = True

    def end(self) -> None:
        """The test is over."""
        if self.begun:
            self._daemon.mark_boundary(self._boundary("end"))

    def _boundary(self, action: str) -> dict[str, Any]:
        return {**self.selection, "worker": self._worker, "action": action}


class Watcher:
    """Assigns each open context to the test that runs. Nothing here may fail a test."""

    def __init__(self, daemon: DaemonClient) -> None:
        self.daemon = daemon
        self._open: dict[object, ContextAddress] = {}
        self._known: set[str] = set()
        self._run: TestRun | None = None
        self._warned: set[str] = set()

    def begin(self, run: TestRun) -> None:
        """A test begins. Contexts that are open already, such as those of a module, are its own now."""
        self._run = run
        for address in list(self._open.values()):
            self.quietly(partial(run.add_context, address))

    def finish(self) -> None:
        """The test has ended."""
        if (run := self._run) is not None:
            self._run = None
            self.quietly(run.end)

    def add_browser(self, ws_endpoint: str, context_ids: list[str]) -> str | None:
        """Let the daemon watch a browser, whose contexts so far are nobody's. Its name, or None."""
        name: str | None = self.quietly(partial(self.daemon.add_browser, ws_endpoint))
        self._known.update(context_ids)
        return name

    def add_contexts(self, owner: object, browser: str, context_ids: list[str]) -> None:
        """Contexts of a browser, as it lists them now. The new one is `owner`: a process runs one test at a time."""
        fresh = [one for one in context_ids if one not in self._known]
        self._known.update(fresh)
        for context_id in fresh:
            self.open(owner, ContextAddress(browser, context_id))

    def open(self, owner: object, address: ContextAddress) -> None:
        """A context is there, until its owner is forgotten."""
        self._open[owner] = address
        if (run := self._run) is not None:
            self.quietly(partial(run.add_context, address))

    def forget(self, owner: object) -> None:
        """Its context is closed."""
        self._open.pop(owner, None)

    def quietly(self, work: Callable[[], Any]) -> Any:
        """Do it if the daemon is there, or warn once and go on without."""
        return None if self.daemon.gone is not None else self.safely(work)

    def safely(self, work: Callable[[], Any]) -> Any:
        """Do it, or warn once and go on without."""
        try:
            return work()
        except DaemonError as error:
            if error.status in {404, 405}:
                self.daemon.gone = f"gasoline-cdp at {self.daemon.url} is too old for this plugin"
            self.warn(self.daemon.gone or str(error))
        except Exception as error:  # noqa: BLE001 - the tests are not ours to fail
            self.warn(f"{type(error).__name__}: {error}")
        return None

    def warn(self, reason: str) -> None:
        """Tell people once."""
        if reason not in self._warned:
            self._warned.add(reason)
            sys.stderr.write(f"gasoline-cdp: {reason}\n")
