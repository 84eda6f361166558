"""Completion scripts, as the shells themselves read them."""

import shutil
import subprocess
from pathlib import Path

import pytest

from gasoline_cdp.frontends.cli.completions import run_completions
from gasoline_cdp.frontends.invocation import COMMANDS
from gasoline_cdp.tools.registry import TOOLS

pytestmark = pytest.mark.requirement("F1-CLI")

# Ask bash what it would offer for the last word.
_ASK_BASH = """
. "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
function=$(complete -p gasoline-cdp | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
"$function"
printf '%s\\n' "${COMPREPLY[@]}"
"""
_CHECKS = {"bash": ["bash", "-n"], "zsh": ["zsh", "-n"], "fish": ["fish", "--no-execute"]}


@pytest.fixture(params=list(_CHECKS))
def shell(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def _script(shell: str, directory: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert run_completions(shell) == 0
    file = directory / f"completions.{shell}"
    file.write_text(capsys.readouterr().out, encoding="utf-8")
    return file


def test_each_script_names_every_command_and_tool(
    shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = _script(shell, tmp_path, capsys).read_text(encoding="utf-8")
    assert [name for name in (*COMMANDS, *TOOLS) if name not in text] == []


def test_each_shell_can_read_its_script(shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    subprocess.run([*_CHECKS[shell], _script(shell, tmp_path, capsys)], check=True)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["ob"], {"observe"}),
        (["observe", "err"], {"errors"}),
        (["observe", "errors", "--since-"], set()),
        (["call", "get_page"], {"get_page_info"}),
        (["call", "security_audit", "--severity-min", ""], {"critical", "warning", "info"}),
        (["launch", "--temp"], {"--temporary-profile"}),
        # How an editor's bridge starts a daemon is nothing that a person types.
        (["mcp", "--daem"], set()),
        (["snapshot", "not"], {"notes.json"}),
        (["launch", "--artifacts", ""], {"reports"}),
    ],
)
def test_bash_offers_what_can_follow(
    typed: list[str], offered: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = _script("bash", tmp_path, capsys)
    here = tmp_path / "here"
    (here / "reports").mkdir(parents=True)
    (here / "notes.json").touch()
    command = ["bash", "-c", _ASK_BASH, "bash", str(script), "gasoline-cdp", *typed]
    told = subprocess.run(command, cwd=here, capture_output=True, text=True, check=True).stdout
    assert set(told.split()) == offered
