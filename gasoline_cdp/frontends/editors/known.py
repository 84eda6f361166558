"""The editors that take MCP servers: the path of their configuration on each system, and the form of an entry."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from gasoline_cdp.frontends.invocation import editor_command

SERVER = "gasoline-cdp"

_FileOf = Callable[["Machine"], Path]


@frozen
class Machine:
    """What decides where configuration files are."""

    home: Path
    platform: str
    environ: Mapping[str, str]

    def settings(self) -> Path:
        """The settings directory of desktop programs."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        return self._roaming() if self.platform == "win32" else self.config()

    def config(self) -> Path:
        """The settings directory of terminal programs, and on macOS of some desktop programs."""
        if self.platform == "win32":
            return self._roaming()
        return Path(self.environ.get("XDG_CONFIG_HOME") or self.home / ".config")

    def _roaming(self) -> Path:
        return Path(self.environ.get("APPDATA") or self.home / "AppData" / "Roaming")

    def named(self, variable: str, otherwise: Path) -> Path:
        """A directory that an environment variable may name."""
        return Path(self.environ.get(variable) or otherwise)


@frozen(kw_only=True)
class Editor:
    """An editor: its display name, its configuration file, and the key of the servers in it."""

    title: str
    file: _FileOf
    # Relative to the project's directory; None if the editor has no such file.
    project: str | None = None
    servers: str = "mcpServers"
    # Further fields of the entry, besides command and arguments.
    fixed: Mapping[str, str] = {}
    then: str = "Restart it, or reload its MCP servers."

    def path(self) -> tuple[str, str]:
        """The path of keys to our entry."""
        return self.servers, SERVER

    def entry(self, command: list[str], arguments: list[str]) -> dict[str, Any]:
        """Our entry."""
        return {**self.fixed, "command": command[0], "args": [*command[1:], "mcp", *arguments]}


_STDIO = {"type": "stdio"}

EDITORS: dict[str, Editor] = {
    "vscode": Editor(
        title="VS Code",
        file=lambda machine: machine.settings() / "Code" / "User" / "mcp.json",
        project=".vscode/mcp.json",
        servers="servers",
        fixed=_STDIO,
        then="VS Code asks whether to trust it when it is first used.",
    ),
    "claude-code": Editor(
        title="Claude Code",
        file=lambda machine: machine.named("CLAUDE_CONFIG_DIR", machine.home) / ".claude.json",
        project=".mcp.json",
        fixed=_STDIO,
        then="Start Claude Code anew; /mcp shows it.",
    ),
    "cursor": Editor(
        title="Cursor",
        file=lambda machine: machine.home / ".cursor" / "mcp.json",
        project=".cursor/mcp.json",
    ),
    "windsurf": Editor(
        title="Windsurf",
        file=lambda machine: machine.home / ".codeium" / "windsurf" / "mcp_config.json",
    ),
    "zed": Editor(
        title="Zed",
        file=lambda machine: (
            (machine.settings() / "Zed" if machine.platform == "win32" else machine.config() / "zed") / "settings.json"
        ),
        servers="context_servers",
        then="Zed reads it at once.",
    ),
    "codex": Editor(
        title="Codex",
        file=lambda machine: machine.named("CODEX_HOME", machine.home / ".codex") / "config.toml",
        project=".codex/config.toml",
        servers="mcp_servers",
        then="Start Codex anew; /mcp shows it.",
    ),
    "gemini": Editor(
        title="Gemini CLI",
        file=lambda machine: machine.home / ".gemini" / "settings.json",
        project=".gemini/settings.json",
        then="Start Gemini CLI anew; /mcp shows it.",
    ),
}

# Other names that people use.
ALIASES = {
    "code": "vscode",
    "vs-code": "vscode",
    "visual-studio-code": "vscode",
    "claude": "claude-code",
    "claudecode": "claude-code",
    "gemini-cli": "gemini",
}


def this_machine() -> Machine:
    """The machine we run on."""
    return Machine(home=Path.home(), platform=sys.platform, environ=os.environ)


def editor_configuration() -> str:
    """The entry that most editors take for an MCP server, with a command that works for this installation."""
    program, *arguments = editor_command()
    return f"""{{
  "mcpServers": {{
    "gasoline-cdp": {{
      "command": {json.dumps(program, ensure_ascii=False)},
      "args": {json.dumps([*arguments, "mcp"], ensure_ascii=False)}
    }}
  }}
}}"""
