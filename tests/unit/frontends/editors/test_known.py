"""Where each editor's file is, on each system."""

from pathlib import Path, PurePosixPath

import pytest

from gasoline_cdp.frontends.editors.known import ALIASES, EDITORS, Machine

HOME = Path("/home/me")
MAC = HOME / "Library" / "Application Support"
ROAMING = HOME / "AppData" / "Roaming"


@pytest.mark.parametrize(
    ("editor", "linux", "mac", "windows"),
    [
        (
            "vscode",
            HOME / ".config/Code/User/mcp.json",
            MAC / "Code/User/mcp.json",
            ROAMING / "Code/User/mcp.json",
        ),
        ("claude-code", HOME / ".claude.json", HOME / ".claude.json", HOME / ".claude.json"),
        ("cursor", *(HOME / ".cursor/mcp.json",) * 3),
        ("windsurf", *(HOME / ".codeium/windsurf/mcp_config.json",) * 3),
        ("zed", HOME / ".config/zed/settings.json", HOME / ".config/zed/settings.json", ROAMING / "Zed/settings.json"),
        ("codex", *(HOME / ".codex/config.toml",) * 3),
        ("gemini", *(HOME / ".gemini/settings.json",) * 3),
    ],
)
def test_each_system_has_its_places(editor: str, linux: Path, mac: Path, windows: Path) -> None:
    for platform, place in (("linux", linux), ("darwin", mac), ("win32", windows)):
        assert EDITORS[editor].file(Machine(HOME, platform, {})) == place


def test_the_environment_may_name_other_places() -> None:
    environ = {"XDG_CONFIG_HOME": "/c", "CODEX_HOME": "/x", "CLAUDE_CONFIG_DIR": "/cl", "APPDATA": "/ad"}
    linux, windows = Machine(HOME, "linux", environ), Machine(HOME, "win32", environ)
    assert EDITORS["vscode"].file(linux) == Path("/c/Code/User/mcp.json")
    assert EDITORS["zed"].file(linux) == Path("/c/zed/settings.json")
    assert EDITORS["codex"].file(linux) == Path("/x/config.toml")
    assert EDITORS["claude-code"].file(linux) == Path("/cl/.claude.json")
    assert EDITORS["vscode"].file(windows) == Path("/ad/Code/User/mcp.json")


def test_entries_are_as_each_editor_has_them() -> None:
    command = ["python", "-m", "gasoline_cdp"]
    plain = {"command": "python", "args": ["-m", "gasoline_cdp", "mcp", "--headless"]}
    for name, editor in EDITORS.items():
        typed = {"type": "stdio"} if name in {"vscode", "claude-code"} else {}
        assert editor.entry(command, ["--headless"]) == {**typed, **plain}
        assert editor.project is None or not PurePosixPath(editor.project).is_absolute()
    assert set(ALIASES.values()) <= set(EDITORS)
