from typing import Any

import pytest

from gasoline_cdp.frontends.pytest_plugin.daemon_client import DaemonClient, DaemonError
from gasoline_cdp.frontends.pytest_plugin.watcher import ContextAddress, TestRun, Watcher


class Recording(DaemonClient):
    """Notes what it would send."""

    def __init__(self, refusal: DaemonError | None = None) -> None:
        super().__init__("http://daemon", None)
        self.marked: list[dict[str, Any]] = []
        self._refusal = refusal

    def add_browser(self, ws_endpoint: str) -> str:
        if self._refusal is not None:
            raise self._refusal
        return f"watcher of {ws_endpoint}"

    def mark_boundary(self, boundary: dict[str, Any]) -> None:
        self.marked.append(boundary)

    def starts(self) -> list[tuple[str, str]]:
        return [(one["test_id"], one["browser_context_id"]) for one in self.marked if one["action"] == "start"]


def _run(daemon: Recording, test_id: str) -> TestRun:
    return TestRun(daemon, test_id, 0, "gw0")


def test_a_new_context_belongs_to_the_test_that_runs() -> None:
    daemon = Recording()
    watcher = Watcher(daemon)
    watcher.add_browser("ws://x", ["old"])
    watcher.begin(_run(daemon, "a"))
    watcher.add_contexts("one", "b2", ["old", "A"])
    watcher.forget("one")
    watcher.finish()
    watcher.begin(_run(daemon, "b"))
    watcher.add_contexts("two", "b2", ["old", "A", "B"])
    assert daemon.starts() == [("a", "A"), ("b", "B")]
    assert daemon.marked[0] == {
        "test_id": "a", "retry": 0, "worker": "gw0", "action": "start", "browser": "b2", "browser_context_id": "A",
    }  # fmt: skip


def test_a_context_that_stays_open_is_each_test_s_in_turn() -> None:
    daemon = Recording()
    watcher = Watcher(daemon)
    watcher.open("module", ContextAddress("b2", "M"))
    for test_id in ("a", "b"):
        watcher.begin(_run(daemon, test_id))
        watcher.finish()
    assert [(one["test_id"], one["action"]) for one in daemon.marked] == [
        ("a", "start"), ("a", "end"), ("b", "start"), ("b", "end"),
    ]  # fmt: skip


def test_a_test_without_a_browser_is_not_marked() -> None:
    daemon = Recording()
    watcher = Watcher(daemon)
    watcher.begin(_run(daemon, "a"))
    watcher.finish()
    assert daemon.marked == []


def test_an_old_daemon_is_given_up(capsys: pytest.CaptureFixture[str]) -> None:
    watcher = Watcher(Recording(DaemonError(404, "There is no such path.")))
    assert watcher.add_browser("ws://x", []) is None
    assert watcher.daemon.gone == "gasoline-cdp at http://daemon is too old for this plugin"
    assert watcher.add_browser("ws://x", []) is None
    assert capsys.readouterr().err.count("too old") == 1
