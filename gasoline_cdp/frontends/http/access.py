"""The address and secrets of the daemon's HTTP server, in a private file for its clients. Standard library only."""

import json
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from gasoline_cdp.frontends.http.listening import HOST
from gasoline_cdp.frontends.local.runtime import make_own, private_directory, read_own, runtime_directory

FILE = "http.json"


class Access(NamedTuple):
    """Generated at each start. Without a token, everybody on this machine may read and control."""

    port: int
    token: str | None
    ingest_key: str

    @property
    def url(self) -> str:
        """The address, without a trailing slash."""
        return f"http://{HOST}:{self.port}"


def make_access(port: int, *, no_token: bool) -> Access:
    """Generate a token of 256 bits and an ingest key of 192 bits."""
    return Access(port, None if no_token else secrets.token_urlsafe(32), secrets.token_urlsafe(24))


@contextmanager
def published(access: Access, name: str = FILE) -> Iterator[Path]:
    """Keep the file while the block runs: written atomically, readable by this user only, removed at the end."""
    path = private_directory() / name
    unfinished = path.with_name(f"{name}.{os.getpid()}")
    with os.fdopen(make_own(unfinished, os.O_WRONLY | os.O_EXCL), "w", encoding="ascii") as file:
        json.dump({"url": access.url, **access._asdict(), "pid": os.getpid()}, file)
    unfinished.replace(path)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def read_access() -> Access | None:
    """What the running daemon has published; None if no daemon serves HTTP."""
    try:
        content: Any = json.loads(read_own(FILE))
        if sys.platform != "win32":
            # A daemon that was killed leaves its file behind.
            os.kill(int(content["pid"]), 0)
        return Access(int(content["port"]), content["token"], str(content["ingest_key"]))
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return None


def whereabouts() -> str:
    """Describe, for people, where HTTP is served and where its token is; empty if HTTP is not served."""
    access = read_access()
    if access is None:
        return ""
    return f"{access.url}, {f'token in {runtime_directory() / FILE}' if access.token else 'without a token'}"
