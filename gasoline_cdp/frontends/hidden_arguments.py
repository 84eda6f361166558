"""Keeps credentials of the command line from other users of the machine. Standard library only.

On Linux every user can read the command line of every process. So options that may hold credentials are overwritten
once they were read, and a daemon in the background gets its arguments in the environment, which is its user's alone.
"""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

_MAY_HOLD_CREDENTIALS = ("--header", "--ws-endpoint", "--browser-url")
_ARGUMENTS = "GASOLINE_ARGUMENTS"
# Fields of /proc/self/stat, counted from the one behind the program's name.
_ARG_START, _ARG_END = 45, 46


def secret_arguments(arguments: Sequence[str]) -> list[str]:
    """The arguments that may hold credentials, as they were typed. A file's name is none."""
    secrets: list[str] = []
    for option, value in zip(arguments, [*arguments[1:], ""], strict=False):
        name, equals, joined = option.partition("=")
        if name in _MAY_HOLD_CREDENTIALS and not (joined if equals else value).startswith("@"):
            secrets.append(option if equals else value)
    return [text for text in secrets if text]


def hide_arguments(arguments: Sequence[str]) -> None:
    """Overwrite them in the list of processes. Elsewhere than on Linux, nothing happens."""
    secrets = secret_arguments(arguments)
    if not secrets or not sys.platform.startswith("linux"):
        return
    import ctypes  # noqa: PLC0415 - a megabyte, for this alone

    try:
        fields = Path("/proc/self/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        start, end = int(fields[_ARG_START]), int(fields[_ARG_END])
    except (OSError, ValueError, IndexError):
        return
    shown = ctypes.string_at(start, end - start)
    for secret in map(os.fsencode, secrets):
        index = shown.find(b"\0" + secret + b"\0")
        while index >= 0:
            ctypes.memset(start + index + 1, ord("*"), len(secret))
            index = shown.find(b"\0" + secret + b"\0", index + 1)


def pass_hidden(arguments: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """What of these arguments a started program gets on its command line, and what in its environment."""
    if not secret_arguments(arguments):
        return list(arguments), {}
    return [], {_ARGUMENTS: json.dumps(list(arguments))}


def take_hidden() -> list[str]:
    """The arguments that came in the environment, which programs started by us do not get."""
    passed = os.environ.pop(_ARGUMENTS, "")
    return [str(argument) for argument in json.loads(passed)] if passed else []
