"""How this installation is called: what a person can type, and what an editor's configuration must say.

Messages name commands as `gasoline-cdp launch`. Whoever runs from a checkout, or from an environment that is not
on PATH, cannot type that; so the command line rewrites it when it prints. Standard library only.
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
    "watch",
    "status",
    "stop",
    "call",
    "observe",
    "generate",
    "snapshot",
    "diff",
    "doctor",
    "install",
    "uninstall",
    "completions",
    "demo",
)

_COMMAND = re.compile(rf"(?<![\w/.-]){NAME} (?=(?:(?:{'|'.join(COMMANDS)})\b|--))")


class UsageError(Exception):
    """The command line cannot be understood: what is wrong with it, and where to read more."""


def person_command() -> list[str]:
    """What works in this person's shell."""
    if on_path():
        return [NAME]
    command = _own_command()
    launcher = Path(command[0])
    if len(command) == 1 and launcher.parent.name == "launcher" and launcher.parent.parent == Path.cwd():
        return ["./launcher/run"]
    return command


def editor_command() -> list[str]:
    """What works for an editor, which has neither this shell's directory nor its activated environment."""
    found = on_path()
    if found and Path(found).parent != Path(sys.prefix) / ("Scripts" if sys.platform == "win32" else "bin"):
        return [NAME]
    return _own_command()


def as_typed(text: str) -> str:
    """A message with its commands as this person can type them."""
    if not _COMMAND.search(text):
        return text
    import shlex  # noqa: PLC0415 - see `on_path`

    command = shlex.join(person_command())
    return _COMMAND.sub(lambda _: f"{command} ", text)


def say(text: str) -> None:
    """Tell the editor's log, or the person who started us."""
    print(f"{NAME}: {as_typed(text)}", file=sys.stderr, flush=True)


def on_path() -> str | None:
    """Where a shell would find the command."""
    import shutil  # noqa: PLC0415 - it takes a megabyte, and an editor's bridge has nothing to say mostly

    return shutil.which(NAME)


def _own_command() -> list[str]:
    """The program that runs now, by its full path: the checkout's launcher, our script, or the module."""
    root = Path(__file__).parents[2]
    launcher = root / "launcher" / "run"
    if sys.platform != "win32" and os.access(launcher, os.X_OK) and Path(sys.prefix) == root / ".venv":
        return [str(launcher)]
    script = Path(sys.argv[0])
    if script.stem == NAME and script.is_file():
        return [str(script.absolute())]
    return [sys.executable, "-m", "gasoline_cdp"]
