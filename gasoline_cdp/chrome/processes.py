"""Asks the operating system which processes are alive. Zombies do not count."""

import os
from pathlib import Path

_PROC = Path("/proc")


def is_running(pid: int) -> bool:
    """Whether a process is alive, whoever owns it. Not for Windows, where this call would end it."""
    if state := _state_and_group(pid):
        return state[0] not in "ZX"
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def is_group_running(group: int) -> bool:
    """Whether any process of a process group is alive."""
    # Signal 0 reaches zombies, too. /proc, if it exists, tells them apart.
    if (_PROC / "self" / "stat").exists():
        pids = (int(entry.name) for entry in _PROC.iterdir() if entry.name.isdigit())
        return any(
            state is not None and state[1] == group and state[0] not in "ZX" for state in map(_state_and_group, pids)
        )
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        # macOS answers "not permitted" for a group of zombies only.
        return False
    return True


def _state_and_group(pid: int) -> tuple[str, int] | None:
    try:
        text = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The second field is the program's name in parentheses, which may itself contain spaces and parentheses.
    state, _parent, group, *_ = text.rpartition(")")[2].split()
    return state, int(group)
