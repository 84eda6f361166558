"""Writes files that an assistant asked for: only below the directory that a person named, never through a link.

The person gives the directory with --artifacts. Names are relative to it. Each part of the path is opened without
following links, so a directory that is replaced meanwhile cannot lead outside. Existing files are replaced atomically.
"""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from gasoline_cdp.errors import Code, GasolineError

_NAME_BYTES = 200
_PATH_CHARS = 1000
_PARTS = 16
# Systems without these functions (Windows) check the resolved path instead.
_BY_DIRECTORY = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")


def _refuse(output: str, why: str) -> GasolineError:
    return GasolineError(
        Code.OUTPUT_REFUSED,
        f"Cannot write to {output[:80]!r}: {why}. Name a file below the artifacts directory, such as openapi.json.",
    )


def write_output(root: Path | None, output: str, data: bytes, suffix: str) -> str:
    """Write a file below `root` completely or not at all, and return its path."""
    with open_output(root, output, suffix) as (file, path):
        file.write(data)
    return path


@contextmanager
def open_output(root: Path | None, output: str, suffix: str) -> Iterator[tuple[BinaryIO, str]]:
    """A file below `root` to write into, and its path. It appears under its name when the block ends without error."""
    if root is None:
        raise GasolineError(
            Code.OUTPUT_REFUSED,
            "No directory for files was given. A person starts gasoline-cdp with --artifacts DIR; "
            "without output the document is in the answer.",
        )
    parts = _parts(output, suffix)
    try:
        root.mkdir(parents=True, exist_ok=True)
        with _open_by_directory(root, parts, output) if _BY_DIRECTORY else _open_by_path(root, parts, output) as file:
            yield file, str(root.joinpath(*parts))
    except OSError as error:
        raise _refuse(output, error.strerror or type(error).__name__) from error


def _parts(output: str, suffix: str) -> list[str]:
    if not output or len(output) > _PATH_CHARS:
        raise _refuse(output, "the name is empty or too long")
    if not output.isprintable() or "\\" in output:
        # Characters that change the direction of text can disguise a name and its ending.
        raise _refuse(output, "invisible characters and backslashes are not allowed")
    path = PurePosixPath(output)
    parts = list(path.parts)
    if path.is_absolute() or ".." in parts or any(":" in part for part in parts[:1]):
        raise _refuse(output, "it must stay inside the artifacts directory")
    if len(parts) > _PARTS or any(len(os.fsencode(part)) > _NAME_BYTES for part in parts):
        raise _refuse(output, "the name is too long")
    if any(part.startswith(".") for part in parts):
        raise _refuse(output, "hidden files are not written")
    if not parts or not parts[-1].endswith(suffix):
        raise _refuse(output, f"the name must end in {suffix}")
    return parts


@contextmanager
def _open_by_directory(root: Path, parts: list[str], output: str) -> Iterator[BinaryIO]:
    directory = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            with suppress(FileExistsError):
                os.mkdir(part, 0o755, dir_fd=directory)
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=directory)
            os.close(directory)
            directory = below
        name = parts[-1]
        with suppress(FileNotFoundError):
            if not stat.S_ISREG(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode):
                raise _refuse(output, "there is something that is no file")
        temporary = f".{secrets.token_hex(8)}.part"
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=directory)
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
            os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=directory)
            raise
    finally:
        os.close(directory)


@contextmanager
def _open_by_path(root: Path, parts: list[str], output: str) -> Iterator[BinaryIO]:
    target = root.joinpath(*parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.parent.resolve().is_relative_to(root.resolve()) or (target.exists() and not target.is_file()):
        raise _refuse(output, "it must be a file inside the artifacts directory")
    with open_whole(target) as file:
        yield file


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file atomically, so that nobody reads half of it."""
    with open_whole(path) as file:
        file.write(data)


@contextmanager
def open_whole(path: Path) -> Iterator[BinaryIO]:
    """A file to write into, which replaces the one at `path` when the block ends without error."""
    unfinished = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with unfinished.open("xb") as file:
            yield file
        unfinished.replace(path)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise
