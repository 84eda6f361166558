"""`install` and `uninstall` as a person sees them."""

import json
from pathlib import Path

import pytest

from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends.editors import install
from gasoline_cdp.frontends.editors.install import run_install, run_uninstall
from gasoline_cdp.frontends.invocation import UsageError

pytestmark = pytest.mark.requirement("F3-EDITORS")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setattr(install, "editor_command", lambda: ["/opt/gasoline-cdp"])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _run(editor: str, *extra: str, dry_run: bool = False, project: bool = False) -> None:
    assert run_install(editor, extra, project=project, dry_run=dry_run) == 0


def _undo(editor: str, *, dry_run: bool = False, project: bool = False) -> None:
    assert run_uninstall(editor, project=project, dry_run=dry_run) == 0


def test_a_file_is_made_and_taken_away_again(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = home / ".cursor" / "mcp.json"
    _run("cursor")
    assert '"command": "/opt/gasoline-cdp"' in file.read_text()
    _run("cursor")
    assert "Cursor has it already" in capsys.readouterr().out
    _undo("cursor")
    assert list(file.parent.iterdir()) == []
    _undo("cursor")
    assert "Cursor does not have it" in capsys.readouterr().out


def test_a_dry_run_shows_the_change_and_makes_none(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = home / ".claude.json"
    file.write_text('{\n  "numStartups": 3\n}\n')
    _run("claude", dry_run=True)
    shown = capsys.readouterr().out
    assert f"--- {file}" in shown
    assert '+    "gasoline-cdp": {' in shown
    assert file.read_text() == '{\n  "numStartups": 3\n}\n'
    assert [entry.name for entry in home.iterdir() if "claude" in entry.name] == [".claude.json"]


def test_mode_link_and_the_original_are_kept(home: Path) -> None:
    real = home / "dotfiles" / "settings.json"
    real.parent.mkdir()
    real.write_text('{"theme": "dark"}')
    real.chmod(0o600)
    link = home / ".gemini" / "settings.json"
    link.parent.mkdir()
    link.symlink_to(real)
    _run("gemini")
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o600
    backup = home / ".gemini" / "settings.json.before-gasoline-cdp"
    assert backup.read_text() == '{"theme": "dark"}'
    assert backup.stat().st_mode & 0o777 == 0o600
    _undo("gemini")
    assert real.read_text() == '{"theme": "dark"}'
    assert link.is_symlink()
    assert not backup.exists()


def test_what_others_wrote_meanwhile_stays(home: Path) -> None:
    file = home / ".claude.json"
    file.write_text('{\n  "numStartups": 3\n}\n')
    _run("claude-code")
    file.write_text(file.read_text().replace("3", "4"))
    _undo("claude-code")
    assert file.read_text() == '{\n  "mcpServers": {},\n  "numStartups": 4\n}\n'


def test_options_that_somebody_added_stay_unless_others_are_given(home: Path) -> None:
    file = home / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text(
        '[mcp_servers.gasoline-cdp]\ncommand = "/old"\nargs = ["mcp", "--headed"]\nstartup_timeout_sec = 5\n'
    )
    _run("codex")
    assert 'command = "/opt/gasoline-cdp"\nargs = ["mcp", "--headed"]\nstartup_timeout_sec = 5' in file.read_text()
    _run("codex", "--headless")
    assert 'args = ["mcp", "--headless"]' in file.read_text()


def test_in_the_project(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    _run("vscode", project=True)
    written = (home / ".vscode" / "mcp.json").read_text()
    # The file is shared with people whose machines have it elsewhere.
    assert json.loads(written)["servers"]["gasoline-cdp"]["command"] == "gasoline-cdp"
    assert "/" not in written
    _undo("vscode", project=True)
    assert not (home / ".vscode" / "mcp.json").exists()
    capsys.readouterr()
    monkeypatch.setenv("PATH", str(home))
    _run("vscode", project=True)
    assert "must be on the PATH of everybody who uses this project" in capsys.readouterr().out
    with pytest.raises(UsageError, match="Windsurf has no configuration for a project"):
        run_install("windsurf", [], project=True, dry_run=False)


@pytest.mark.parametrize(
    ("name", "told"),
    [(None, "which editor"), ("vscod", "did you mean 'vscode'"), ("emacs", '"mcpServers"'), ("CLAUDE", "")],
)
def test_editors_are_named_or_guessed(name: str | None, told: str) -> None:
    if not told:
        _run(str(name))
        return
    with pytest.raises(UsageError, match=told):
        run_install(name, [], project=False, dry_run=False)


@pytest.mark.parametrize(
    ("editor", "file", "content", "told"),
    [
        ("cursor", ".cursor/mcp.json", b'{"mcpServers": {', "line 1, column 17: a name"),
        ("cursor", ".cursor/mcp.json", b'{"mcpServers": []}', "mcpServers must be an object"),
        ("cursor", ".cursor/mcp.json", b"\xff\xfe", "it is not UTF-8"),
        ("codex", ".codex/config.toml", b"[mcp_servers\n", "line 1"),
        ("codex", ".codex/config.toml", b"mcp_servers = {}\n", "by hand"),
    ],
)
def test_what_cannot_be_read_is_left_alone(home: Path, editor: str, file: str, content: bytes, told: str) -> None:
    path = home / file
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(GasolineError, match=told) as refusal:
        run_install(editor, [], project=False, dry_run=False)
    assert str(path) in refusal.value.message
    assert path.read_bytes() == content
    assert len(list(path.parent.iterdir())) == 1
