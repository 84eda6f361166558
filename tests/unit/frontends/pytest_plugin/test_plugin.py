import subprocess
import sys

import pytest

from gasoline_cdp.frontends.pytest_plugin import plugin

# Everybody who has gasoline-cdp installed pays for this at each start of pytest.
_HEAVY = {"attrs", "http.client", "orjson", "trio", "gasoline_cdp.errors", "gasoline_cdp.frontends.http"}


def test_pytest_loads_nothing_heavy_while_nobody_wants_evidence() -> None:
    code = (
        "import sys, pytest; before = set(sys.modules)\n"
        "import gasoline_cdp.frontends.pytest_plugin.plugin\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert set(loaded) & _HEAVY == set()
    assert [name for name in loaded if not name.startswith("gasoline_cdp")] == []


def test_it_is_off_unless_asked_for(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GASOLINE_URL", raising=False)
    plugin.pytest_configure(pytestconfig)
    assert not pytestconfig.pluginmanager.has_plugin("gasoline-cdp session")


def test_a_daemon_that_is_not_there_is_told_once(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GASOLINE_URL", "http://127.0.0.1:1")
    plugin.pytest_configure(pytestconfig)
    assert not pytestconfig.pluginmanager.has_plugin("gasoline-cdp session")
    told = capsys.readouterr().err
    assert told == "gasoline-cdp: gasoline-cdp at http://127.0.0.1:1 is not there; the tests run without evidence.\n"
