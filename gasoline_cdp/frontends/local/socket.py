"""The daemon's local socket. The first line says what the client wants; the rest of the stream depends on that."""

import logging
import os
import secrets
import socket
import struct
import sys
from base64 import b64encode
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import orjson
import trio
from attrs import evolve, frozen

from gasoline_cdp import __version__, wire
from gasoline_cdp.analysis.requests import is_browser_initiated
from gasoline_cdp.answers.lines import AnswerForm
from gasoline_cdp.answers.live_lines import live_line, shown_at
from gasoline_cdp.answers.record_entries import named_entry
from gasoline_cdp.cdp.connection import CdpClosed, CdpError
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.late_imports import import_late
from gasoline_cdp.frontends.local.client_registry import ClientRegistry
from gasoline_cdp.frontends.local.runtime import SOCKET, write_address
from gasoline_cdp.frontends.mcp.server import McpFrontend
from gasoline_cdp.nurseries import open_hidden_nursery
from gasoline_cdp.operations.answer import Answer, failure
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Operation
from gasoline_cdp.operations.running import call_tool, run_operation
from gasoline_cdp.probe.screencast import open_screencast
from gasoline_cdp.records import NetworkRecord, Record
from gasoline_cdp.store.record_kinds import KINDS

log = logging.getLogger(__name__)

_SO_PEERCRED = getattr(socket, "SO_PEERCRED", 17)
_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED_BYTES = 0, 1, 76
# The first line may carry a whole snapshot, and a few other fields.
_HELLO_BYTES = frontend_limits.SNAPSHOT_FILE_BYTES + 1024 * 1024
_HELLO_SECONDS = 10
# A watcher that reads too slowly misses records, and gets their number. It never slows the capture.
_WATCH_BACKLOG = 2000


@frozen
class Listener:
    """A listening socket. `token` is what clients must send where the system cannot identify their user."""

    socket: socket.socket
    token: str | None = None


def open_listener(directory: Path, *, unix: bool = hasattr(socket, "AF_UNIX")) -> Listener:
    """Listen in this user's private directory, or on loopback with a token stored there."""
    if not unix:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        token = secrets.token_urlsafe(32)
        write_address(directory, listener.getsockname()[1], token)
        return Listener(listener, token)
    path = directory / SOCKET
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    # The directory has mode 0700, so no other user can reach the socket even before its own mode is set.
    listener.bind(str(path))
    path.chmod(0o600)
    listener.listen(64)
    return Listener(listener)


async def serve_socket(
    listener: Listener,
    context: Context,
    clients: ClientRegistry,
    mcp: McpFrontend,
    task_status: trio.TaskStatus[list[trio.SocketListener]] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Listen until cancelled. Accepts only processes of the same user."""

    async def serve_client(stream: trio.SocketStream) -> None:
        async with stream:
            try:
                await _serve(stream, listener.token, context, mcp, clients)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                log.debug("a client went away")
            except Exception:
                # A failure in one client's connection ends that connection, and not the daemon.
                log.exception("a client's connection failed")
                if context.strict:
                    raise

    listeners = [trio.SocketListener(trio.socket.from_stdlib_socket(listener.socket))]
    await trio.serve_listeners(serve_client, listeners, task_status=task_status)


async def _serve(
    stream: trio.SocketStream, token: str | None, context: Context, mcp: McpFrontend, clients: ClientRegistry
) -> None:
    if token is None and not _same_user(stream):
        return
    rest = _Rest(stream)
    line = b""
    with trio.move_on_after(_HELLO_SECONDS):
        line = await rest.line()
    hello = _hello(line)
    if token is not None and not secrets.compare_digest(str(hello.get("token")).encode(), token.encode()):
        return
    calling = evolve(context, client=clients.client_of(hello, "cli"))
    match hello.get("want"):
        case "mcp":
            response, options = clients.admit(hello)
            with clients.present():
                await _send(stream, response)
                if "welcome" in response:
                    await mcp.serve(rest, stream, options, clients.client_of(hello, "mcp"))
        case "call":
            with clients.present():
                await _while_connected(rest, partial(_call, stream, calling, hello))
        case "watch" | "record" as want:
            serve = partial(_watch if want == "watch" else _record, stream, context, hello)
            with clients.present():
                await _while_connected(rest, serve)
        case "stop":
            ending = clients.for_editors or not hello.get("only_editors")
            state = {"ending": ending, "pid": clients.pid, "clients": clients.clients, "version": __version__}
            await _send(stream, {"data": {**state, "browser": context.browser.mode}})
            if ending:
                clients.leave.set()
        case str(want) if want in (files := (await import_late("gasoline_cdp.unlisted.files")).FILES):
            with clients.present():
                await _while_connected(rest, partial(_give_file, stream, calling, files[want], hello))
        case _:
            await _send(stream, {"data": {"message": "unknown request"}, "is_error": True, "version": __version__})


async def _while_connected(rest: "_Rest", serve: Callable[[], Awaitable[None]]) -> None:
    """Serve a shell while it is connected. When it disconnects, for example after Ctrl-C, its call is cancelled."""
    async with open_hidden_nursery() as nursery:

        async def end_with_client() -> None:
            while await rest.receive_some(65536):
                pass
            nursery.cancel_scope.cancel()

        nursery.start_soon(end_with_client)
        await serve()
        nursery.cancel_scope.cancel()


async def _call(stream: trio.SocketStream, calling: Context, hello: dict[str, Any]) -> None:
    calling = evolve(calling, form=_form(hello))
    tools = (await import_late("gasoline_cdp.tools.registry")).TOOLS
    answer = await call_tool(tools, calling, str(hello.get("tool")), hello.get("arguments"))
    pictures = [b64encode(image.data).decode() for image in answer.images]
    more = {"pictures": pictures} if hello.get("pictures") else {}
    if calling.form == "json" or answer.is_error:
        await _send_answer(stream, answer, **more)
    else:
        lines = list(map(wire.dump, answer.lines))
        # Lines are for people; a shell needs to know whether what was asked for has succeeded.
        success = bool(answer.data.get("success", True))
        response = {"lines": lines, "is_error": False, "success": success, "version": __version__}
        await _send(stream, {**response, **more})


def _form(hello: dict[str, Any]) -> AnswerForm:
    """The form of answer that a shell asks for: lines for people, JSON by default."""
    return "lines" if hello.get("answers") == "lines" else "json"


async def _give_file(stream: trio.SocketStream, calling: Context, operation: Operation, hello: dict[str, Any]) -> None:
    """Send or load the complete content of a file for a person. Assistants have no tool for this."""
    named = {field.name for field in attrs.fields(operation.args)}
    arguments = hello.get("arguments", {name: value for name, value in hello.items() if name in named})
    await _send_answer(stream, await run_operation(operation, calling, arguments))


async def _send_answer(stream: trio.SocketStream, answer: Answer, **more: Any) -> None:
    response = {"data": wire.verbatim(answer.json), "is_error": answer.is_error, "version": __version__}
    await _send(stream, {**response, **more})


def _same_user(stream: trio.SocketStream) -> bool:
    uid = peer_uid(stream.socket, sys.platform)
    # If the system does not tell the user, the directory's mode already protects the socket.
    return uid is None or uid == os.getuid()


def peer_uid(peer: Any, platform: str) -> int | None:
    """The user id of the peer of a Unix socket; None if the system does not tell."""
    if platform == "linux":
        _, uid, _ = struct.unpack("3i", peer.getsockopt(socket.SOL_SOCKET, _SO_PEERCRED, struct.calcsize("3i")))
        return int(uid)
    if platform == "darwin" or "bsd" in platform:
        # struct xucred: its version, the user id, and groups, which we do not need.
        _, uid = struct.unpack_from("=II", peer.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED_BYTES))
        return int(uid)
    return None


class _Rest(trio.abc.ReceiveStream):
    """A stream whose first line was read before."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._held = b""

    async def line(self) -> bytes:
        while b"\n" not in self._held and len(self._held) < _HELLO_BYTES:
            chunk = await self._stream.receive_some(65536)
            if not chunk:
                return b""
            self._held += bytes(chunk)
        line, _, self._held = self._held.partition(b"\n")
        return line

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        if self._held:
            held, self._held = self._held, b""
            return held
        return bytes(await self._stream.receive_some(max_bytes))

    async def aclose(self) -> None:
        await self._stream.aclose()


def _hello(line: bytes) -> dict[str, Any]:
    try:
        hello = orjson.loads(line)
    except orjson.JSONDecodeError:
        return {}
    return hello if isinstance(hello, dict) else {}


async def _send(stream: trio.SocketStream, message: object) -> None:
    await stream.send_all(wire.encode(message) + b"\n")


async def _watch(stream: trio.SocketStream, context: Context, hello: dict[str, Any]) -> None:
    """Send each record as it comes, until cancelled. In the form `lines`, add the line for people if there is one."""
    form = _form(hello)
    backlog: deque[Record] = deque()
    arrived = trio.Event()
    missed = 0

    def hear(record: Record) -> None:
        nonlocal missed
        if not KINDS[type(record)].watched:
            return
        if isinstance(record, NetworkRecord) and is_browser_initiated(record):
            return
        if len(backlog) >= _WATCH_BACKLOG:
            backlog.popleft()
            missed += 1
        backlog.append(record)
        arrived.set()

    with context.telemetry.listening(hear):
        browser = context.browser.state
        await _send(stream, {"record": "hello", "browser": browser, "version": __version__, "answers": form})
        while True:
            await arrived.wait()
            await context.capture.wait_known()
            arrived = trio.Event()
            known = map(context.telemetry.known, sorted(backlog, key=shown_at))
            batch = [_watched(record, context, form) for record in known]
            backlog.clear()
            if missed:
                batch.insert(0, {"record": "missed", "count": missed})
                missed = 0
            await stream.send_all(b"".join(wire.encode(line) + b"\n" for line in batch))


async def _record(stream: trio.SocketStream, context: Context, hello: dict[str, Any]) -> None:
    """Send what a tab shows, picture by picture, until the time is over or the tab is closed."""
    number, seconds = hello.get("tab_id"), hello.get("seconds")
    most = frontend_limits.RECORD_SECONDS
    try:
        tab = context.tabs.pick(number if isinstance(number, int) else None)
        with trio.move_on_after(min(float(seconds), most) if isinstance(seconds, int | float) else most) as in_time:
            async with open_screencast(tab) as frames:
                await _send(stream, {"record": "hello", "tab_id": tab.tab_id})
                async for frame in frames:
                    await _send(stream, {"record": "frame", "data": frame.data, "ts": frame.ts})
    except GasolineError as error:
        await _send_answer(stream, failure(error))
        return
    except (CdpError, CdpClosed):
        await _send(stream, {"record": "end", "why": "The tab was closed or has crashed"})
        return
    why = "The time is over" if in_time.cancelled_caught else "The tab was closed or has crashed"
    await _send(stream, {"record": "end", "why": why})


def _watched(record: Record, context: Context, form: AnswerForm) -> dict[str, Any]:
    entry = named_entry(record)
    line = live_line(record, context.tabs) if form == "lines" else None
    return entry if line is None else {**entry, "line": wire.dump(line)}
