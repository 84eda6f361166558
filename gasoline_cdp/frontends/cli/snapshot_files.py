"""Snapshots in files that a person names, so that two runs on two machines can be compared."""

from pathlib import Path
from typing import Any

import cattrs
import orjson

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.snapshots import Snapshot
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.tools.outputs import write_whole

_FORMAT = "gasoline-cdp snapshot"
_VERSION = 1


def write_snapshot(path: Path, snapshot: dict[str, Any]) -> int:
    """Write what a daemon gave us, whole or not at all; return the number of bytes."""
    content = orjson.dumps(
        {"format": _FORMAT, "version": _VERSION, "snapshot": snapshot},
        option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE,
    )
    write_named(path, content)
    return len(content)


def write_named(path: Path, content: bytes) -> None:
    """Write a file where a person said, whole or not at all."""
    try:
        write_whole(path, content)
    except OSError as error:
        raise GasolineError(Code.BAD_SNAPSHOT_FILE, f"Cannot write {path}: {error.strerror}.") from error


def read_snapshot(path: Path) -> Snapshot:
    """Read a file of ours; `bad_snapshot_file` says what is wrong with another."""
    try:
        if path.stat().st_size > limits.SNAPSHOT_FILE_BYTES:
            raise _bad(path, "it is too large to be a snapshot")
        content = path.read_bytes()
    except OSError as error:
        raise GasolineError(Code.BAD_SNAPSHOT_FILE, f"Cannot read {path}: {error.strerror}.") from error
    try:
        found = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise _bad(path, "it is not JSON") from error
    if not isinstance(found, dict) or found.get("format") != _FORMAT:
        raise _bad(path, "it is not a snapshot of gasoline-cdp")
    if found.get("version") != _VERSION:
        raise _bad(path, "it was written by another version of gasoline-cdp")
    try:
        return wire.structure(found.get("snapshot"), Snapshot)
    except (cattrs.BaseValidationError, ValueError, TypeError) as error:
        raise _bad(path, "it has been changed or is incomplete") from error


def _bad(path: Path, why: str) -> GasolineError:
    return GasolineError(
        Code.BAD_SNAPSHOT_FILE, f"Cannot use {path}: {why}. Write one with: gasoline-cdp snapshot FILE"
    )
