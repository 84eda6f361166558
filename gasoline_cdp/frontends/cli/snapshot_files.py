"""Snapshots and baselines in files that a person names, so that two runs on two machines can be compared."""

import os
import stat
from pathlib import Path
from typing import Any

import cattrs
import orjson
from attrs import evolve, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.compare.snapshots import SessionSnapshot
from gasoline_cdp.answers.output_files import write_whole
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends import limits as frontend_limits

_FORMAT = "gasoline-cdp snapshot"
# A baseline is of one or several pages, each with its snapshot.
_BASELINE = "gasoline-cdp baseline"
_VERSION = 2
# Read as well: its findings of these checks have keys made of titles, which match none of ours.
_VERSION_BEFORE = 1
_REKEYED = {"contracts", "security"}
_FILE_BYTES = frontend_limits.SNAPSHOT_FILE_BYTES * limits.PERFORMANCE_PATHS


@frozen(kw_only=True)
class BaselinePage:
    """A page as it was, by the path of its address."""

    path: str
    snapshot: SessionSnapshot


def write_snapshot(path: Path, snapshot: dict[str, Any]) -> int:
    """Write what a daemon gave us, whole or not at all; return the number of bytes."""
    return _write(path, {"format": _FORMAT, "version": _VERSION, "snapshot": snapshot})


def write_baseline(path: Path, pages: list[dict[str, Any]]) -> int:
    """Write the pages of a baseline that a daemon gave us; return the number of bytes."""
    return _write(path, {"format": _BASELINE, "version": _VERSION, "pages": pages})


def _write(path: Path, document: dict[str, Any]) -> int:
    content = orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    write_named(path, content)
    return len(content)


def write_named(path: Path, content: bytes) -> None:
    """Write a file where a person said, whole or not at all."""
    try:
        write_whole(path, content)
    except OSError as error:
        raise GasolineError(Code.OUTPUT_REFUSED, f"Cannot write {path}: {error.strerror}.") from error


def read_snapshot(path: Path) -> SessionSnapshot:
    """Read the file of one snapshot; `bad_snapshot_file` says what is wrong with another."""
    found = read_kept(path)
    if isinstance(found, SessionSnapshot):
        return found
    if len(found) == 1:
        return found[0].snapshot
    raise _bad(path, f"it is a baseline of {len(found)} pages, for `gasoline-cdp snapshot {path} --load NAME`")


def read_kept(path: Path) -> SessionSnapshot | list[BaselinePage]:
    """Read a file of ours, whichever of the two it is."""
    try:
        found = orjson.loads(_read(path))
    except orjson.JSONDecodeError as error:
        raise _bad(path, "it is not JSON") from error
    if not isinstance(found, dict) or found.get("format") not in {_FORMAT, _BASELINE}:
        raise _bad(path, "it is not a snapshot of gasoline-cdp")
    version = found.get("version")
    if version not in {_VERSION, _VERSION_BEFORE}:
        raise _bad(path, "it was written by another version of gasoline-cdp")
    try:
        if found["format"] == _BASELINE:
            pages = [wire.structure(page, BaselinePage) for page in found["pages"]]
            return [evolve(page, snapshot=_comparable(page.snapshot, version)) for page in pages]
        return _comparable(wire.structure(found.get("snapshot"), SessionSnapshot), version)
    except (cattrs.BaseValidationError, LookupError, ValueError, TypeError) as error:
        raise _bad(path, "it has been changed or is incomplete") from error


def _comparable(snapshot: SessionSnapshot, version: int) -> SessionSnapshot:
    """A snapshot without findings that would all be told as new: comparisons leave out a check that one side lacks."""
    if version == _VERSION:
        return snapshot
    kept = {check: found for check, found in snapshot.findings.items() if check not in _REKEYED or not found}
    return evolve(snapshot, findings=kept)


def _read(path: Path) -> bytes:
    try:
        # A pipe that nobody writes to would be waited for, and a device may never end.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise _bad(path, "it is not a file")
            if found.st_size > _FILE_BYTES:
                raise _bad(path, "it is too large to be a snapshot")
            return file.read(_FILE_BYTES)
    except OSError as error:
        raise GasolineError(Code.BAD_SNAPSHOT_FILE, f"Cannot read {path}: {error.strerror}.") from error


def _bad(path: Path, why: str) -> GasolineError:
    return GasolineError(
        Code.BAD_SNAPSHOT_FILE, f"Cannot use {path}: {why}. Write one with: gasoline-cdp snapshot FILE"
    )
