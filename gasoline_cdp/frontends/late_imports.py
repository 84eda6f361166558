"""Imports what most daemons never need, once somebody asks for it: a job in CI calls no tool.

In a thread, so that capture continues meanwhile.
"""

import importlib
from types import ModuleType
from typing import Any

import trio

_IMPORTED: dict[str, ModuleType] = {}


async def import_late(name: str) -> Any:
    """The module of this name. Any, since its names are only known when it is there."""
    if name not in _IMPORTED:
        # Not `sys.modules`: another thread may be in the middle of this import.
        _IMPORTED[name] = await trio.to_thread.run_sync(importlib.import_module, name)
    return _IMPORTED[name]
