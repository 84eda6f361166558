"""`gasoline-cdp mcp`: carries MCP between an editor's pipes and the daemon, whatever happens to the daemon.

Editors start a server once and do not start it again. So when the daemon goes, the requests under way are answered
with an error, and the next line from the editor reaches a new daemon: the handshake is repeated there, and its second
answer dropped. Standard library only.
"""

import json
import os
import select
import selectors
import socket
import sys
from collections.abc import Callable
from typing import Any

from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends.invocation import UsageError
from gasoline_cdp.frontends.lines import Lines
from gasoline_cdp.frontends.local.bridge import Daemon

_CHUNK = 65536
# Beyond this the editor is not read until the daemon has taken some: it is the one who is to wait.
_HELD_BYTES = 256 * 1024
_LOST = -32000
_INVALID_REQUEST = -32600
_GONE = "gasoline-cdp ended while this call was under way. Call again: it is started anew, with nothing captured yet."


class StreamError(Exception):
    """The editor's end of standard input or output cannot be used: why."""


class BridgeLoop:
    """One editor's conversation. `reach` gives a daemon that has let us in, or raises GasolineError."""

    def __init__(self, reach: Callable[[], Daemon], say: Callable[[str], None]) -> None:
        self._reach = reach
        self._say = say
        self._daemon: socket.socket | None = None
        self._selector = _selector()
        # Until the editor has said all.
        self._listening = True
        self._from_editor = Lines()
        self._from_daemon = Lines()
        self._to_daemon = bytearray()
        # The requests under way, by their id.
        self._waiting: dict[str, Any] = {}
        self._initialize: tuple[str, bytes] | None = None
        self._initialized: bytes | None = None
        # The id of an answer that the editor has already had.
        self._dropped: str | None = None

    def run(self) -> None:
        """Carry until the editor has said all and has had every answer."""
        self._connect()
        editor = _editor_input()
        self._selector.register(editor, selectors.EVENT_READ, "editor")
        reading = True
        while True:
            if self._daemon is not None:
                wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._to_daemon else 0)
                self._selector.modify(self._daemon, wanted, "daemon")
            elif not self._listening:
                return
            if self._listening and reading != (len(self._to_daemon) < _HELD_BYTES):
                reading = not reading
                if reading:
                    self._selector.register(editor, selectors.EVENT_READ, "editor")
                else:
                    self._selector.unregister(editor)
            for key, events in self._selector.select():
                if key.data == "editor":
                    data = _read(editor)
                    if data:
                        self._hear_editor(data)
                        continue
                    self._listening = False
                    self._selector.unregister(editor)
                    self._end_of_editor()
                elif self._daemon is not None:
                    self._serve_daemon(self._daemon, events)

    def _serve_daemon(self, daemon: socket.socket, events: int) -> None:
        try:
            if events & selectors.EVENT_WRITE:
                del self._to_daemon[: daemon.send(self._to_daemon[:_CHUNK])]
            if events & selectors.EVENT_READ:
                data = daemon.recv(_CHUNK)
                if not data:
                    self._lose()
                    return
                for line in self._from_daemon.cut(data):
                    self._answer(line)
        except BlockingIOError:
            return
        except ConnectionError:
            self._lose()

    def _end_of_editor(self) -> None:
        """Let the daemon's last answers through."""
        if self._daemon is None:
            return
        self._daemon.setblocking(True)
        try:
            self._daemon.sendall(self._to_daemon)
            self._to_daemon.clear()
            self._daemon.shutdown(socket.SHUT_WR)
        except OSError:
            self._lose()
            return
        self._daemon.setblocking(False)

    def _hear_editor(self, data: bytes) -> None:
        for line in self._from_editor.cut(data):
            self._pass_on(line)
        if self._from_editor.skipped:
            self._from_editor.skipped = False
            _tell_editor(None, _INVALID_REQUEST, Lines.TOO_LONG)

    def _pass_on(self, line: bytes) -> None:
        message = _parsed(line)
        method, request = message.get("method"), message.get("id")
        wants_answer = _wants_answer(message)
        if self._daemon is None and not self._connected_again(request if wants_answer else None):
            if line.strip() and not message:
                _refuse_malformed(line)
            return
        if method == "initialize" and request is not None:
            self._initialize = (json.dumps(request), line)
        elif method == "notifications/initialized":
            self._initialized = line
        if wants_answer:
            self._waiting[json.dumps(request)] = request
        elif method == "notifications/cancelled":
            # It will have no answer.
            params = message.get("params")
            self._waiting.pop(json.dumps(params.get("requestId") if isinstance(params, dict) else None), None)
        self._to_daemon += line

    def _answer(self, line: bytes) -> None:
        if self._waiting or self._dropped is not None:
            message = _parsed(line)
            if "id" in message and "method" not in message:
                key = json.dumps(message["id"])
                if key == self._dropped:
                    self._dropped = None
                    return
                self._waiting.pop(key, None)
        _write_all(line)

    def _connect(self) -> None:
        self._daemon = self._reach().connection
        self._daemon.setblocking(False)
        self._selector.register(self._daemon, selectors.EVENT_READ, "daemon")

    def _connected_again(self, request: Any) -> bool:
        """Reach a daemon and repeat the handshake; otherwise tell the editor why not."""
        try:
            self._connect()
        except (GasolineError, UsageError) as error:
            self._say(str(error))
            if request is not None:
                _tell_editor(request, _LOST, str(error))
            return False
        self._repeat_handshake()
        return True

    def _repeat_handshake(self) -> None:
        if self._initialize is None:
            return
        key, line = self._initialize
        self._to_daemon += line
        if key not in self._waiting:
            self._dropped = key
        if self._initialized is not None:
            self._to_daemon += self._initialized

    def _lose(self) -> None:
        """The daemon has gone. Whoever waits for it is told, except for the greeting, which the next one answers."""
        if self._daemon is None:
            return
        self._selector.unregister(self._daemon)
        self._daemon.close()
        self._daemon = None
        self._from_daemon = Lines()
        self._to_daemon.clear()
        self._dropped = None
        greeting = self._initialize[0] if self._initialize else None
        unanswered = greeting in self._waiting
        for key, request in list(self._waiting.items()):
            if key != greeting:
                del self._waiting[key]
                _tell_editor(request, _LOST, _GONE)
        if unanswered and self._listening and self._initialize is not None:
            self._connected_again(json.loads(self._initialize[0]))


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def _wants_answer(message: dict[str, Any]) -> bool:
    """Whether an answer with this id will come; malformed requests have an error. A reply to the daemon has none."""
    request = message.get("id")
    if isinstance(request, bool) or not isinstance(request, int | float | str):
        return False
    return "method" in message or not {"result", "error"} & message.keys()


def _tell_editor(request: Any, code: int, message: str) -> None:
    answer = {"jsonrpc": "2.0", "id": request, "error": {"code": code, "message": message}}
    _write_all(json.dumps(answer).encode() + b"\n")


def _refuse_malformed(line: bytes) -> None:
    """Answer what is no message in the daemon's place."""
    from gasoline_cdp.frontends.mcp.malformed import errors_for  # noqa: PLC0415 - rarely needed

    for error in errors_for(line):
        _write_all(error + b"\n")


def _selector() -> selectors.BaseSelector:
    # Unlike epoll, poll also takes a plain file as standard input.
    return selectors.PollSelector() if hasattr(selectors, "PollSelector") else selectors.SelectSelector()


def _editor_input() -> int | socket.socket:
    """Standard input as something that can be waited for."""
    return 0 if sys.platform != "win32" else _copied_input()


def _copied_input() -> socket.socket:
    """On Windows a pipe cannot be waited for: a thread reads it, and a socket can."""
    import _thread  # noqa: PLC0415 - see above

    ours, theirs = socket.socketpair()

    def copy() -> None:
        while data := os.read(0, _CHUNK):
            theirs.sendall(data)
        theirs.close()

    _thread.start_new_thread(copy, ())
    return ours


def _read(editor: int | socket.socket) -> bytes:
    while True:
        try:
            return os.read(editor, _CHUNK) if isinstance(editor, int) else editor.recv(_CHUNK)
        except BlockingIOError:
            # Somebody else who reads the same pipe was quicker.
            select.select([editor], [], [])
        except OSError as error:
            raise StreamError(f"Cannot read standard input: {error.strerror}.") from error


def _write_all(data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(1, rest) :]
        except BlockingIOError:
            # Somebody who shares the pipe has made it so; whoever is to read takes their time.
            select.select([], [1], [])
        except BrokenPipeError:
            raise
        except OSError as error:
            raise StreamError(f"Cannot write to standard output: {error.strerror}.") from error
