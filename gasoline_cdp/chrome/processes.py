"""Asks the operating system which processes are alive; one that only waits to be reaped is not."""

import os
from pathlib import Path

_PROC = Path("/proc")


def is_running(pid: int) -> bool:
    """Whether a process lives, whoever owns it. Not for Windows, where asking would end it."""
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
    """Whether any process of a process group lives."""
    # Signal 0 reaches the dead who wait for a parent to reap them; where /proc exists it tells them apart.
    if (_PROC / "self" / "stat").exists():
        pids = (int(entry.name) for entry in _PROC.iterdir() if entry.name.isdigit())
        return any(
            state is not None and state[1] == group and state[0] not in "ZX" for state in map(_state_and_group, pids)
        )
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        # macOS answers "not permitted" for a group of none but the dead.
        return False
    return True


def _state_and_group(pid: int) -> tuple[str, int] | None:
    try:
        text = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The second field is the program's name in parentheses, which may hold spaces and parentheses itself.
    state, _parent, group, *_ = text.rpartition(")")[2].split()
    return state, int(group)
