"""`gasoline-cdp mcp`: forwards MCP between an editor's pipes and the daemon, and survives the end of the daemon.

Editors start a server once and do not restart it. So when the daemon is gone, pending requests are answered with an
error, and the next line from the editor goes to a new daemon: the bridge repeats the handshake there, and drops the
second answer. Standard library only.
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
# Above this, do not read from the editor until the daemon has read some: the editor has to wait.
_HELD_BYTES = 256 * 1024
_LOST = -32000
_INVALID_REQUEST = -32600
_GONE = "gasoline-cdp ended while this call was under way. Call again: it is started anew, with nothing captured yet."


class StreamError(Exception):
    """Standard input or output cannot be used. The message says why."""


class BridgeLoop:
    """Forwards one editor's messages. `reach` returns a daemon that has accepted us, or raises GasolineError."""

    def __init__(self, reach: Callable[[], Daemon], say: Callable[[str], None]) -> None:
        self._reach = reach
        self._say = say
        self._daemon: socket.socket | None = None
        self._selector = _selector()
        # Whether the editor may still send.
        self._listening = True
        self._from_editor = Lines()
        self._from_daemon = Lines()
        self._to_daemon = bytearray()
        # The pending requests, by their id.
        self._waiting: dict[str, Any] = {}
        self._initialize: tuple[str, bytes] | None = None
        self._initialized: bytes | None = None
        # The id of an answer that the editor already has.
        self._dropped: str | None = None

    def run(self) -> None:
        """Forward until the editor closes its end and every pending request is answered."""
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
        """Send the rest to the daemon, and let its last answers through."""
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
            # A cancelled request gets no answer.
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
        """Connect to a daemon and repeat the handshake. If that fails, tell the editor why."""
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
        """The daemon is gone: fail the pending requests, except `initialize`, which the next daemon answers."""
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
    """Whether this message will be answered. Malformed requests get an error; a reply to the daemon gets nothing."""
    request = message.get("id")
    if isinstance(request, bool) or not isinstance(request, int | float | str):
        return False
    return "method" in message or not {"result", "error"} & message.keys()


def _tell_editor(request: Any, code: int, message: str) -> None:
    answer = {"jsonrpc": "2.0", "id": request, "error": {"code": code, "message": message}}
    _write_all(json.dumps(answer).encode() + b"\n")


def _refuse_malformed(line: bytes) -> None:
    """Answer a malformed message ourselves, since there is no daemon."""
    from gasoline_cdp.frontends.mcp.malformed import errors_for  # noqa: PLC0415 - rarely needed

    for error in errors_for(line):
        _write_all(error + b"\n")


def _selector() -> selectors.BaseSelector:
    # Unlike epoll, poll also accepts a regular file as standard input.
    return selectors.PollSelector() if hasattr(selectors, "PollSelector") else selectors.SelectSelector()


def _editor_input() -> int | socket.socket:
    """Standard input as something that a selector can wait for."""
    return 0 if sys.platform != "win32" else _copied_input()


def _copied_input() -> socket.socket:
    """On Windows a selector cannot wait for a pipe: a thread copies it to a socket."""
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
            # Another reader of the same pipe was faster.
            select.select([editor], [], [])
        except OSError as error:
            raise StreamError(f"Cannot read standard input: {error.strerror}.") from error


def _write_all(data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(1, rest) :]
        except BlockingIOError:
            # Another process that shares the pipe made it non-blocking. Wait until there is room.
            select.select([], [1], [])
        except BrokenPipeError:
            raise
        except OSError as error:
            raise StreamError(f"Cannot write to standard output: {error.strerror}.") from error
