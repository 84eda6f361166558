"""How this installation is called, in a shell and by an editor."""

import sys
from pathlib import Path

import pytest

from gasoline_cdp.frontends import invocation
from gasoline_cdp.frontends.invocation import as_typed, editor_command, person_command

ROOT = Path(invocation.__file__).parents[2]


def _program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing on PATH, no checkout's environment, and started as a module."""
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "environment"))
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "gasoline_cdp" / "__main__.py")])


def test_a_command_on_path_is_called_by_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(_program(tmp_path / "bin" / "gasoline-cdp").parent))
    assert person_command() == editor_command() == ["gasoline-cdp"]
    assert as_typed("Start it: gasoline-cdp launch") == "Start it: gasoline-cdp launch"


def test_an_editor_does_not_see_an_activated_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = _program(tmp_path / "environment" / "bin" / "gasoline-cdp")
    monkeypatch.setenv("PATH", str(script.parent))
    monkeypatch.setattr(sys, "argv", [str(script)])
    assert person_command() == ["gasoline-cdp"]
    assert editor_command() == [str(script)]


def test_a_script_that_is_not_on_path_is_called_by_its_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = _program(tmp_path / "my environment" / "bin" / "gasoline-cdp")
    monkeypatch.setattr(sys, "argv", [str(script)])
    assert person_command() == editor_command() == [str(script)]
    assert as_typed("gasoline-cdp watch") == f"'{script}' watch"


def test_without_a_script_there_is_the_module() -> None:
    assert person_command() == editor_command() == [sys.executable, "-m", "gasoline_cdp"]


def test_a_checkout_is_called_by_its_launcher(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "prefix", str(ROOT / ".venv"))
    monkeypatch.chdir(tmp_path)
    assert person_command() == editor_command() == [str(ROOT / "launcher" / "run")]
    monkeypatch.chdir(ROOT)
    assert person_command() == ["./launcher/run"]
    assert editor_command() == [str(ROOT / "launcher" / "run")]


def test_only_commands_are_rewritten() -> None:
    for text in (
        "gasoline-cdp has ended.",
        "gasoline-cdp 0.1.0",
        "/opt/x/gasoline-cdp launch",
        "gasoline-cdp launches",
        "my-gasoline-cdp launch",
    ):
        assert as_typed(text) == text
    both = as_typed("Run `gasoline-cdp doctor`, or gasoline-cdp launch.")
    assert both.count("-m gasoline_cdp ") == 2
