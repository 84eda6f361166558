"""Credentials of the command line are not for other users of the machine."""

import subprocess
import sys
from pathlib import Path

import pytest

from gasoline_cdp.frontends.hidden_arguments import pass_hidden, secret_arguments, take_hidden

pytestmark = pytest.mark.requirement("F2-REMOTE")


def test_values_that_may_be_credentials_are_known_and_names_of_files_are_none() -> None:
    typed = ["attach", "--ws-endpoint", "wss://grid.test/?t=1", "--header", "@file", "--header=X: 2", "--port", "0"]
    assert secret_arguments(typed) == ["wss://grid.test/?t=1", "--header=X: 2"]
    assert secret_arguments(["attach", "--header"]) == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere other users do not see arguments")
@pytest.mark.parametrize("typed", [["--header", "X-Key: quite-hidden"], ["--header=X-Key: quite-hidden"]])
def test_the_list_of_processes_has_stars_in_their_place(typed: list[str]) -> None:
    code = (
        "import sys\n"
        "from gasoline_cdp.frontends.hidden_arguments import hide_arguments\n"
        "hide_arguments(sys.argv[1:])\n"
        "print(sys.argv[-1], flush=True)\n"
        "sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, "attach", *typed]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        # The program itself still has it.
        assert b"quite-hidden" in process.stdout.readline()
        shown = Path(f"/proc/{process.pid}/cmdline").read_bytes()
        process.stdin.close()
    assert b"quite-hidden" not in shown
    assert b"attach" in shown
    assert b"*" * len(typed[-1]) in shown


def test_a_started_program_gets_them_in_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = ["--header", "X-Key: quite-hidden", "--port", "0"]
    shown, environment = pass_hidden(typed)
    assert shown == []
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert take_hidden() == typed
    # Programs that it starts do not get them.
    assert take_hidden() == []
    assert pass_hidden(["--port", "0"]) == (["--port", "0"], {})
