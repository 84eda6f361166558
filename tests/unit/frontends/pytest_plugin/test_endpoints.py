import subprocess
import sys
from pathlib import Path

import pytest

from gasoline_cdp.frontends.pytest_plugin.endpoints import endpoint_of, read_endpoint, with_port


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (None, ["--remote-debugging-port=0"]),
        (["--no-sandbox"], ["--no-sandbox", "--remote-debugging-port=0"]),
        (["--remote-debugging-port=9222"], ["--remote-debugging-port=9222"]),
    ],
)
def test_a_browser_gets_a_port_unless_the_project_chose_one(args: list[str] | None, expected: list[str]) -> None:
    assert with_port(args) == expected


def test_the_profile_says_where_its_browser_listens(tmp_path: Path) -> None:
    (tmp_path / "DevToolsActivePort").write_text("4242\n/devtools/browser/ab-cd")
    assert read_endpoint(tmp_path) == "ws://127.0.0.1:4242/devtools/browser/ab-cd"


def test_the_profile_is_found_by_the_browser_s_process(tmp_path: Path) -> None:
    profile = tmp_path / "a profile"
    profile.mkdir()
    (profile / "DevToolsActivePort").write_text("4242\n/devtools/browser/ab-cd")
    waiting = [sys.executable, "-c", "print(flush=True); input()", "--type=none", f"--user-data-dir={profile}"]
    with subprocess.Popen(waiting, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        # A process that is just being made has no command line yet.
        process.stdout.readline()
        processes = [{"type": "GPU", "id": 1}, {"type": "browser", "id": process.pid}]
        assert endpoint_of({"processInfo": processes}) == "ws://127.0.0.1:4242/devtools/browser/ab-cd"
        process.kill()
