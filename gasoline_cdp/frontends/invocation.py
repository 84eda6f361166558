"""How this installation is called: what a person can type, and which command an editor's configuration needs.

Messages name commands as `gasoline-cdp launch`. That does not work from a checkout, or from an environment that is not
on PATH. So the command line rewrites commands when it prints them. Standard library only.
"""

import os
import re
import sys
from pathlib import Path

NAME = "gasoline-cdp"
COMMANDS = (
    "launch",
    "attach",
    "mcp",
    "ci",
    "watch",
    "status",
    "stop",
    "call",
    "observe",
    "act",
    "goto",
    "click",
    "fill",
    "record",
    "generate",
    "snapshot",
    "diff",
    "merge",
    "heap",
    "doctor",
    "install",
    "uninstall",
    "completions",
    "demo",
)

_COMMAND = re.compile(rf"(?<![\w/.-]){NAME} (?=(?:(?:{'|'.join(COMMANDS)})\b|--))")


class UsageError(Exception):
    """The command line is wrong. The message says why, and where to read more."""


def person_command() -> list[str]:
    """The command that works in this person's shell."""
    if on_path():
        return [NAME]
    command = _own_command()
    launcher = Path(command[0])
    if len(command) == 1 and launcher.parent.name == "launcher" and launcher.parent.parent == Path.cwd():
        return ["./launcher/run"]
    return command


def editor_command() -> list[str]:
    """The command that works for an editor, which has neither this shell's directory nor its activated environment."""
    script = on_path()
    if script and Path(script).parent != Path(sys.prefix) / ("Scripts" if sys.platform == "win32" else "bin"):
        return [NAME]
    return _own_command()


def as_typed(text: str) -> str:
    """The message with its commands rewritten so that this person can type them."""
    if not _COMMAND.search(text):
        return text
    import shlex  # noqa: PLC0415 - see `on_path`

    command = shlex.join(person_command())
    return _COMMAND.sub(lambda _: f"{command} ", text)


def say(text: str) -> None:
    """Print a message to stderr: for the person who started us, or for the editor's log."""
    print(f"{NAME}: {as_typed(text)}", file=sys.stderr, flush=True)


def on_path() -> str | None:
    """The path of the command as a shell finds it, or None."""
    import shutil  # noqa: PLC0415 - it takes a megabyte, and an editor's bridge has nothing to say mostly

    return shutil.which(NAME)


def _own_command() -> list[str]:
    """The full path of the running program: the checkout's launcher, our script, or the module."""
    root = Path(__file__).parents[2]
    launcher = root / "launcher" / "run"
    if sys.platform != "win32" and os.access(launcher, os.X_OK) and Path(sys.prefix) == root / ".venv":
        return [str(launcher)]
    script = Path(sys.argv[0])
    if script.stem == NAME and script.is_file():
        return [str(script.absolute())]
    return [sys.executable, "-m", "gasoline_cdp"]
