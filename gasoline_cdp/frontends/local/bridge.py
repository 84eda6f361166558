"""The client side of the daemon's socket. Standard library only, so that an editor's bridge starts fast."""

import json
import os
import select
import socket
import sys
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from gasoline_cdp import __version__
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends.local.runtime import (
    SOCKET,
    daemon_process,
    read_address,
    trusted_directory,
    wait_until_ended,
)

# The version of the first messages between client and daemon. It changes only when they become incompatible;
# the program versions may differ.
PROTOCOL = 1
_CHUNK = 65536
_LONGEST_WELCOME = 1024 * 1024
# A snapshot of a long day, for a file, has a few megabytes.
_LONGEST_ANSWER = 64 * 1024 * 1024
# A tool answers or fails within ten seconds. After this time the daemon is stopped or hung.
_ANSWER_SECONDS = 30
# The daemon ends after its browser, which is asked to close, terminated and killed within a few seconds.
_END_SECONDS = 20


class Daemon:
    """A connection to the daemon. On loopback the first message carries a token."""

    def __init__(self, connection: socket.socket, token: str | None = None) -> None:
        self.connection = connection
        self._token = token

    def say(self, hello: dict[str, Any]) -> None:
        """Send the first message: what the client wants."""
        hello = {**hello, "version": __version__, "protocol": PROTOCOL}
        if self._token is not None:
            hello["token"] = self._token
        self.connection.sendall(json.dumps(hello).encode() + b"\n")

    def answer(self, longest: int = _LONGEST_WELCOME) -> dict[str, Any] | None:
        """The daemon's one-line answer; None if it closed the connection instead."""
        received = b""
        while b"\n" not in received and len(received) < longest:
            chunk = self.connection.recv(_CHUNK)
            if not chunk:
                return None
            received += chunk
        answer: dict[str, Any] = json.loads(received)
        return answer

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()


def connect() -> Daemon | None:
    """A connection to this user's daemon, or None if there is none."""
    directory = trusted_directory()
    if directory is None:
        return None
    if hasattr(socket, "AF_UNIX") and (directory / SOCKET).is_socket():
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        endpoint: Any = str(directory / SOCKET)
        token = None
    elif (address := read_address()) is not None:
        client = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        endpoint, token = ("127.0.0.1", address[0]), address[1]
    else:
        return None
    try:
        client.connect(endpoint)
    except OSError:
        client.close()
        return None
    return Daemon(client, token)


def _connected() -> Daemon:
    daemon = connect()
    if daemon is None:
        raise GasolineError(Code.NO_DAEMON, "No gasoline-cdp is running. Start one with: gasoline-cdp launch")
    return daemon


def ask(hello: dict[str, Any], seconds: float = _ANSWER_SECONDS) -> dict[str, Any]:
    """Ask the running daemon one thing. Raises GasolineError if there is no daemon, or if it does not answer."""
    with closing(_connected()) as daemon:
        daemon.connection.settimeout(seconds)
        try:
            daemon.say({"client": _shell(), **hello})
            answer = daemon.answer(_LONGEST_ANSWER)
        except TimeoutError as error:
            raise GasolineError(
                Code.NO_DAEMON,
                f"The daemon (process {daemon_process() or 'unknown'}) did not answer within {seconds:.0f} s. "
                "End that process, and start again: gasoline-cdp launch",
            ) from error
        except (OSError, ValueError):
            # The daemon closed the connection while we sent. Treat it as no answer.
            answer = None
    if answer is None:
        raise GasolineError(
            Code.NO_DAEMON, "The daemon went away before it answered. Start it again: gasoline-cdp launch"
        )
    return answer


def _shell() -> str:
    """Identifies the calling terminal or script. The daemon remembers what it was shown from one call to the next."""
    return f"shell {os.getsid(0) if hasattr(os, 'getsid') else os.getppid()}"


def ask_tool(tool: str, arguments: dict[str, Any], *, lines: bool = False, pictures: bool = False) -> dict[str, Any]:
    """Call a tool of the running daemon. Returns `data` and `is_error`.

    With `lines`, these replace `data`, and `success` says whether what was asked for has succeeded.
    Errors always come as `data`, and so does every answer of a daemon that is too old to know lines.
    """
    question = {"want": "call", "tool": tool, "arguments": arguments}
    return ask({**question, **({"answers": "lines"} if lines else {}), **({"pictures": True} if pictures else {})})


def call(tool: str, arguments: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """Call a tool of the running daemon. Returns the answer, and whether it is an error."""
    answer = ask_tool(tool, arguments)
    return answer["data"], answer["is_error"]


def stop(*, only_editors: bool = False) -> dict[str, Any] | None:
    """End the running daemon, and wait until it and its browser are gone. None if the daemon stays.

    It stays with `only_editors` if a person started it.
    """
    answer = ask({"want": "stop", "only_editors": only_editors})["data"]
    if not answer["ending"]:
        return None
    if not wait_until_ended(_END_SECONDS):
        raise GasolineError(
            Code.DAEMON_RUNNING,
            f"The daemon (process {answer['pid']}) was asked to end, and still runs after {_END_SECONDS} s. "
            "End that process yourself.",
        )
    ended: dict[str, Any] = answer
    return ended


def watch(*, lines: bool = False) -> Iterator[dict[str, Any]]:
    """Yield every record of the running daemon until it ends. BrokenPipeError when the reader of stdout is gone.

    Without that check, `watch | head -1` would run until the next record. `lines`: each with the line for people.
    """
    yield from _messages({"want": "watch", **({"answers": "lines"} if lines else {})})


def record(tab_id: int | None, seconds: float) -> Iterator[dict[str, Any]]:
    """Yield what a tab shows, picture by picture, until it or the time ends."""
    yield from _messages({"want": "record", "tab_id": tab_id, "seconds": seconds})


def _messages(hello: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield all that the daemon sends."""
    with closing(_connected()) as daemon:
        daemon.say(hello)
        client = daemon.connection
        rest = b""
        while _wait_readable(client):
            try:
                chunk = client.recv(_CHUNK)
            except ConnectionError:
                return
            if not chunk:
                return
            *whole, rest = (rest + chunk).split(b"\n")
            yield from map(json.loads, whole)


def _wait_readable(client: socket.socket) -> bool:
    """Wait for the daemon. Raises BrokenPipeError when nobody reads our standard output any more."""
    if sys.platform == "win32":
        return True
    poll = select.poll()
    poll.register(client, select.POLLIN)
    # No events are requested for stdout: poll always reports an error or a hang-up. A closed stdout is neither.
    poll.register(1, 0)
    while True:
        for descriptor, happened in poll.poll():
            if descriptor != 1:
                return True
            if happened & select.POLLNVAL:
                poll.unregister(1)
            else:
                raise BrokenPipeError
