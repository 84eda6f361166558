"""Snapshots and baselines in files that a person names, so that runs on different machines can be compared."""

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
# A baseline holds one or several pages, each with its snapshot.
_BASELINE = "gasoline-cdp baseline"
_VERSION = 2
# Also accepted. In this version the findings of these checks have keys made of titles, which match none of ours.
_VERSION_BEFORE = 1
_REKEYED = {"contracts", "security"}
_FILE_BYTES = frontend_limits.SNAPSHOT_FILE_BYTES * limits.PERFORMANCE_PATHS


@frozen(kw_only=True)
class BaselinePage:
    """The baseline of a page, by the path of its URL."""

    path: str
    snapshot: SessionSnapshot


def write_snapshot(path: Path, snapshot: dict[str, Any]) -> int:
    """Write a snapshot that a daemon sent, atomically; return the number of bytes."""
    return _write(path, {"format": _FORMAT, "version": _VERSION, "snapshot": snapshot})


def write_baseline(path: Path, pages: list[dict[str, Any]]) -> int:
    """Write the pages of a baseline that a daemon sent, atomically; return the number of bytes."""
    return _write(path, {"format": _BASELINE, "version": _VERSION, "pages": pages})


def _write(path: Path, document: dict[str, Any]) -> int:
    content = orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    write_named(path, content)
    return len(content)


def write_named(path: Path, content: bytes) -> None:
    """Write a file to a path that a person gave, atomically."""
    try:
        write_whole(path, content)
    except OSError as error:
        raise GasolineError(Code.OUTPUT_REFUSED, f"Cannot write {path}: {error.strerror}.") from error


def read_snapshot(path: Path) -> SessionSnapshot:
    """Read the file of one snapshot. Raises `bad_snapshot_file` with the reason if it is none."""
    content = read_kept(path)
    if isinstance(content, SessionSnapshot):
        return content
    if len(content) == 1:
        return content[0].snapshot
    raise _bad(path, f"it is a baseline of {len(content)} pages, for `gasoline-cdp snapshot {path} --load NAME`")


def read_kept(path: Path) -> SessionSnapshot | list[BaselinePage]:
    """Read a snapshot or a baseline, whichever the file is."""
    try:
        document = orjson.loads(_read(path))
    except orjson.JSONDecodeError as error:
        raise _bad(path, "it is not JSON") from error
    if not isinstance(document, dict) or document.get("format") not in {_FORMAT, _BASELINE}:
        raise _bad(path, "it is not a snapshot of gasoline-cdp")
    version = document.get("version")
    if version not in {_VERSION, _VERSION_BEFORE}:
        raise _bad(path, "it was written by another version of gasoline-cdp")
    try:
        if document["format"] == _BASELINE:
            pages = [wire.structure(page, BaselinePage) for page in document["pages"]]
            return [evolve(page, snapshot=_comparable(page.snapshot, version)) for page in pages]
        return _comparable(wire.structure(document.get("snapshot"), SessionSnapshot), version)
    except (cattrs.BaseValidationError, LookupError, ValueError, TypeError) as error:
        raise _bad(path, "it has been changed or is incomplete") from error


def _comparable(snapshot: SessionSnapshot, version: int) -> SessionSnapshot:
    """Drop findings that would all be reported as new. Comparisons skip a check that one side lacks."""
    if version == _VERSION:
        return snapshot
    kept = {check: findings for check, findings in snapshot.findings.items() if check not in _REKEYED or not findings}
    return evolve(snapshot, findings=kept)


def _read(path: Path) -> bytes:
    try:
        # Do not wait for a pipe that nobody writes to, and do not read a device, which may never end.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise _bad(path, "it is not a file")
            if status.st_size > _FILE_BYTES:
                raise _bad(path, "it is too large to be a snapshot")
            return file.read(_FILE_BYTES)
    except OSError as error:
        raise GasolineError(Code.BAD_SNAPSHOT_FILE, f"Cannot read {path}: {error.strerror}.") from error


def _bad(path: Path, why: str) -> GasolineError:
    return GasolineError(
        Code.BAD_SNAPSHOT_FILE, f"Cannot use {path}: {why}. Write one with: gasoline-cdp snapshot FILE"
    )
