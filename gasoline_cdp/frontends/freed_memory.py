"""Gives memory back that a daemon does not use any more. Python and the C library keep it otherwise."""

import ctypes
import gc
from collections.abc import Callable
from typing import Any

_ALL = 2


def settle_memory() -> None:
    """What was imported stays for good; the collector looks at the rest only, and so more often.

    Whenever it has looked at all of that, pages that are free go back to the system. After a thousand tests these are
    more than two megabytes.
    """
    gc.collect()
    gc.freeze()
    _trim()
    if _after_collection not in gc.callbacks:
        gc.callbacks.append(_after_collection)


def _after_collection(phase: str, info: dict[str, Any]) -> None:
    if phase == "stop" and info["generation"] == _ALL:
        _trim()


def _find_trim() -> Callable[[], object]:
    """Elsewhere than in glibc there is no such function: musl, macOS and Windows give pages back by themselves."""
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return lambda: None
    return lambda: trim(0)


_trim = _find_trim()
