"""The client's side of the daemon's socket. Standard library only, so that an editor's bridge starts in a blink."""

import json
import os
import select
import selectors
import socket
import sys
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends.runtime import SOCKET, runtime_directory

_CHUNK = 65536
# A tool answers within ten seconds, or says why not; beyond this the daemon is stopped or hung.
_ANSWER_SECONDS = 30


def connect() -> socket.socket | None:
    """A connection to this user's daemon, or None if there is none."""
    if sys.platform == "win32":
        return None
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        client.connect(str(runtime_directory() / SOCKET))
    except OSError:
        client.close()
        return None
    return client


def _connected() -> socket.socket:
    client = connect()
    if client is None:
        raise GasolineError(Code.NO_DAEMON, "No gasoline-cdp is running. Start one with: gasoline-cdp launch")
    return client


def _say(client: socket.socket, hello: dict[str, Any]) -> None:
    client.sendall(json.dumps(hello).encode() + b"\n")


def _lines(client: socket.socket) -> Iterator[dict[str, Any]]:
    with client.makefile("rb") as stream:
        for line in stream:
            yield json.loads(line)


def call(tool: str, arguments: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """Call a tool of the running daemon; the answer, and whether it is an error."""
    with closing(_connected()) as client:
        client.settimeout(_ANSWER_SECONDS)
        try:
            _say(client, {"want": "call", "tool": tool, "arguments": arguments})
            for reply in _lines(client):
                return reply["data"], reply["is_error"]
        except TimeoutError as error:
            raise GasolineError(
                Code.NO_DAEMON,
                f"The daemon did not answer within {_ANSWER_SECONDS} s. End it, and start it again: "
                "gasoline-cdp launch",
            ) from error
        except OSError:
            # It went while we spoke to it; the same as without an answer.
            pass
    raise GasolineError(Code.NO_DAEMON, "The daemon went away before it answered. Start it again: gasoline-cdp launch")


def watch() -> Iterator[dict[str, Any]]:
    """Every record of the running daemon as it comes, until the daemon ends; BrokenPipeError if stdout's reader does.

    Without that last, `watch | head -1` would stay until the next record.
    """
    with closing(_connected()) as client:
        _say(client, {"want": "watch"})
        rest = b""
        while _wait_readable(client):
            try:
                chunk = client.recv(_CHUNK)
            except ConnectionError:
                return
            if not chunk:
                return
            *lines, rest = (rest + chunk).split(b"\n")
            yield from map(json.loads, lines)


def _wait_readable(client: socket.socket) -> bool:
    """Wait for the daemon; raise BrokenPipeError when nobody reads our standard output any more."""
    if not hasattr(select, "poll"):
        return True
    poll = select.poll()
    poll.register(client, select.POLLIN)
    # Nothing is asked of stdout: an error or a hang-up is told in any case. One that is closed is none of these.
    poll.register(1, 0)
    while True:
        for descriptor, happened in poll.poll():
            if descriptor != 1:
                return True
            if happened & select.POLLNVAL:
                poll.unregister(1)
            else:
                raise BrokenPipeError


def pump(client: socket.socket) -> None:
    """Carry MCP between our standard streams and the daemon until either side ends."""
    _say(client, {"want": "mcp"})
    with closing(client), _selector() as selector:
        selector.register(0, selectors.EVENT_READ, "editor")
        selector.register(client, selectors.EVENT_READ, "daemon")
        while True:
            for key, _ in selector.select():
                if key.data == "editor":
                    data = os.read(0, _CHUNK)
                    if not data:
                        # The editor has said all: let the daemon's last answers through.
                        client.shutdown(socket.SHUT_WR)
                        selector.unregister(0)
                        continue
                    client.sendall(data)
                else:
                    data = client.recv(_CHUNK)
                    if not data:
                        return
                    _write_all(data)


def _selector() -> selectors.BaseSelector:
    # Unlike epoll, poll also takes a plain file as standard input.
    return selectors.PollSelector() if hasattr(selectors, "PollSelector") else selectors.SelectSelector()


def _write_all(data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(1, rest) :]
