"""The daemon's local socket: one line says what a client wants, the rest of the stream is that."""

import logging
import os
import secrets
import socket
import struct
import sys
import time
from base64 import b64encode
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import cattrs
import orjson
import trio
from attrs import evolve, frozen

from gasoline_cdp import __version__, limits, wire
from gasoline_cdp.analysis.requests import is_browser_initiated
from gasoline_cdp.analysis.snapshots import Snapshot
from gasoline_cdp.capture.page import Capture
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.local.reception import Reception
from gasoline_cdp.frontends.local.runtime import SOCKET, write_address
from gasoline_cdp.frontends.mcp.server import McpFrontend
from gasoline_cdp.nurseries import open_hidden_nursery
from gasoline_cdp.records import (
    ActionRecord,
    BodyRecord,
    DomSnapshotRecord,
    LogRecord,
    NetworkRecord,
    Record,
    SocketRecord,
    VitalsRecord,
)
from gasoline_cdp.tools.client import Client
from gasoline_cdp.tools.entries import (
    show_action,
    show_body,
    show_dom_snapshot,
    show_log,
    show_network,
    show_socket,
)
from gasoline_cdp.tools.finders import FINDERS, needs_of
from gasoline_cdp.tools.generate import GenerateArgs, make_document
from gasoline_cdp.tools.moment import Span, take_moment
from gasoline_cdp.tools.performance import page_vitals, snapshot
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.tools.regression import baselines_named, keep_baseline
from gasoline_cdp.tools.sessions import new_name
from gasoline_cdp.tools.spec import Context, call_tool, failure, require_pilot
from gasoline_cdp.tools.wording import number_of

log = logging.getLogger(__name__)

_SO_PEERCRED = getattr(socket, "SO_PEERCRED", 17)
_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED_BYTES = 0, 1, 76
# A snapshot comes whole with the first line, and a little beside it.
_HELLO_BYTES = frontend_limits.SNAPSHOT_FILE_BYTES + 1024 * 1024
_HELLO_SECONDS = 10
# A watcher that reads too slowly misses records, and is told how many; it never slows the capture.
_WATCH_BACKLOG = 2000


@frozen
class Listener:
    """A listening socket, and the token that its clients must know where the system does not tell who they are."""

    socket: socket.socket
    token: str | None = None


def open_listener(directory: Path, *, unix: bool = hasattr(socket, "AF_UNIX")) -> Listener:
    """Listen in this user's private directory, or on loopback with a token that stands there."""
    if not unix:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        token = secrets.token_urlsafe(32)
        write_address(directory, listener.getsockname()[1], token)
        return Listener(listener, token)
    path = directory / SOCKET
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    # The directory is 0700, and so the socket is nobody else's even before its own mode is set.
    listener.bind(str(path))
    path.chmod(0o600)
    listener.listen(64)
    return Listener(listener)


# Takes what a person's command asks for, and gives what it is told.
_Exchange = Callable[[Context, dict[str, Any]], Awaitable[dict[str, Any]]]


async def serve_socket(
    listener: Listener,
    context: Context,
    reception: Reception,
    mcp: McpFrontend,
    task_status: trio.TaskStatus[list[trio.SocketListener]] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Listen until cancelled. Only processes of the same user get in."""

    async def serve_client(stream: trio.SocketStream) -> None:
        async with stream:
            try:
                await _serve(stream, listener.token, context, mcp, reception)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                log.debug("a client went away")
            except Exception:
                # Whatever one client can bring about ends its own connection, and not everybody's daemon.
                log.exception("a client's connection failed")
                if context.strict:
                    raise

    listeners = [trio.SocketListener(trio.socket.from_stdlib_socket(listener.socket))]
    await trio.serve_listeners(serve_client, listeners, task_status=task_status)


async def _serve(
    stream: trio.SocketStream, token: str | None, context: Context, mcp: McpFrontend, reception: Reception
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
    match hello.get("want"):
        case "mcp":
            told = reception.admit(hello)
            with reception.present():
                await _send(stream, told)
                if "welcome" in told:
                    await mcp.serve(rest, stream)
        case "call":
            with reception.present():
                await _while_here(rest, partial(_call, stream, evolve(context, client=Client("cli")), hello))
        case "snapshot" | "load_snapshot" | "baseline" | "generate" as want:
            with reception.present():
                await _exchange(stream, context, _EXCHANGES[want], hello)
        case "watch":
            with reception.present():
                await _while_here(rest, partial(_watch, stream, context))
        case "stop":
            ending = reception.for_editors or not hello.get("only_editors")
            told = {"ending": ending, "pid": reception.pid, "clients": reception.clients, "version": __version__}
            await _send(stream, {"data": {**told, "browser": context.browser.mode}})
            if ending:
                reception.leave.set()
        case _:
            await _send(stream, {"data": {"message": "unknown request"}, "is_error": True, "version": __version__})


async def _exchange(stream: trio.SocketStream, context: Context, give: _Exchange, hello: dict[str, Any]) -> None:
    """What a person's files are made of, or made from: whole, and no tool of an assistant."""
    try:
        told, failed = await give(context, hello), False
    except GasolineError as error:
        told, failed = failure(error).data, True
    await _send(stream, {"data": told, "is_error": failed, "version": __version__})


async def _snapshot(context: Context, hello: dict[str, Any]) -> dict[str, Any]:
    """The state now, whole: for a person's file, not for an answer."""
    wanted = hello.get("include")
    include = tuple(check for check in FINDERS if isinstance(wanted, list) and check in wanted)
    if needs_of(include, None).pilot:
        require_pilot("snapshot", evolve(context, client=Client("cli")))
    span = Span(url_filter=str(hello.get("url_filter") or ""))
    snapshot = await take_moment(context, span, FINDERS, include)
    errors, requests = snapshot.error_count, sum(endpoint.calls for endpoint in snapshot.network)
    failed = sum(endpoint.failed for endpoint in snapshot.network)
    summary = (
        f"{number_of(errors, 'error')}, {number_of(requests, 'request')}{f' ({failed} failed)' if failed else ''}."
    )
    return {"snapshot": wire.dump(snapshot), "summary": summary}


async def _load_snapshot(context: Context, hello: dict[str, Any]) -> dict[str, Any]:
    """Keep a person's snapshot by name, so that assistants can compare with it; with a path, as a page's baseline."""
    name = new_name(str(hello.get("name") or ""))
    try:
        snapshot = wire.structure(hello.get("snapshot"), Snapshot)
    except (cattrs.BaseValidationError, ValueError, TypeError) as error:
        raise GasolineError(Code.BAD_SNAPSHOT_FILE, "This is not a snapshot.") from error
    await trio.lowlevel.checkpoint()
    if path := hello.get("path"):
        keep_baseline(name, str(path), snapshot, context)
    else:
        context.notes.snapshots.put(name, snapshot, time.monotonic())
    return {"name": name}


async def _baseline(context: Context, hello: dict[str, Any]) -> dict[str, Any]:
    """One page of a baseline, whole, and of how many: a baseline can be of several pages."""
    pages = baselines_named(str(hello.get("name") or ""), context)
    place = hello.get("place")
    path, snapshot = pages[place if isinstance(place, int) and 0 <= place < len(pages) else 0]
    await trio.lowlevel.checkpoint()
    return {"path": path, "snapshot": wire.dump(snapshot), "of": len(pages)}


async def _generate(context: Context, hello: dict[str, Any]) -> dict[str, Any]:
    """A document for a person's file."""
    made = await make_document(wire.parse(GenerateArgs, hello.get("arguments")), context)
    return {"text": made.text.decode(), "summary": made.summary}


_EXCHANGES: dict[str, _Exchange] = {
    "snapshot": _snapshot,
    "load_snapshot": _load_snapshot,
    "baseline": _baseline,
    "generate": _generate,
}


async def _while_here(rest: "_Rest", serve: Callable[[], Awaitable[None]]) -> None:
    """Serve a shell for as long as it is there. One that goes away, as Ctrl-C does, ends its call or its watching."""
    async with open_hidden_nursery() as nursery:

        async def end_with_client() -> None:
            while await rest.receive_some(65536):
                pass
            nursery.cancel_scope.cancel()

        nursery.start_soon(end_with_client)
        await serve()
        nursery.cancel_scope.cancel()


async def _call(stream: trio.SocketStream, calling: Context, hello: dict[str, Any]) -> None:
    answer = await call_tool(TOOLS, calling, str(hello.get("tool")), hello.get("arguments"))
    told = {"data": answer.data, "is_error": answer.is_error, "version": __version__}
    if hello.get("pictures"):
        told["pictures"] = [b64encode(image.data).decode() for image in answer.images]
    await _send(stream, told)


def _same_user(stream: trio.SocketStream) -> bool:
    uid = peer_uid(stream.socket, sys.platform)
    # Where the system does not tell, the directory's mode has already decided.
    return uid is None or uid == os.getuid()


def peer_uid(peer: Any, platform: str) -> int | None:
    """Who is on the other side of a Unix socket, where the system tells."""
    if platform == "linux":
        _, uid, _ = struct.unpack("3i", peer.getsockopt(socket.SOL_SOCKET, _SO_PEERCRED, struct.calcsize("3i")))
        return int(uid)
    if platform == "darwin" or "bsd" in platform:
        # struct xucred: its version, the user, and groups that do not matter here.
        _, uid = struct.unpack_from("=II", peer.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED_BYTES))
        return int(uid)
    return None


class _Rest(trio.abc.ReceiveStream):
    """A stream of which the first line has been read."""

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


def shown(record: Record, capture: Capture | None = None) -> dict[str, Any]:
    """A record as a line of `watch`, with what `capture` has found out about it."""
    if isinstance(record, LogRecord):
        return {"record": "log", **wire.dump(show_log(record, capture))}
    if isinstance(record, BodyRecord):
        return {"record": "body", **wire.dump(show_body(record))}
    if isinstance(record, NetworkRecord):
        return {"record": "network", **wire.dump(show_network(record, capture=capture))}
    if isinstance(record, SocketRecord):
        return {"record": "websocket", **wire.dump(show_socket(record))}
    if isinstance(record, ActionRecord):
        return {"record": "action", **wire.dump(show_action(record))}
    if isinstance(record, DomSnapshotRecord):
        return {"record": "dom_snapshot", **wire.dump(show_dom_snapshot(record))}
    if isinstance(record, VitalsRecord):
        return {"record": "vitals", **wire.dump(page_vitals(record))}
    return {"record": "performance", **wire.dump(snapshot(record))}


def _shown_at(record: Record) -> float:
    """The time that a line of `watch` shows: a request's is that of its end."""
    return record.ts + (record.duration_ms or 0) / 1000 if isinstance(record, NetworkRecord) else record.ts


async def _watch(stream: trio.SocketStream, context: Context) -> None:
    """Send each record as it comes, until cancelled."""
    backlog: deque[Record] = deque()
    arrived = trio.Event()
    missed = 0

    def hear(record: Record) -> None:
        nonlocal missed
        if isinstance(record, BodyRecord | VitalsRecord):
            return
        if isinstance(record, NetworkRecord) and is_browser_initiated(record):
            return
        if len(backlog) >= _WATCH_BACKLOG:
            backlog.popleft()
            missed += 1
        backlog.append(record)
        arrived.set()

    with context.telemetry.listening(hear):
        await _send(stream, {"record": "hello", "browser": context.browser.state, "version": __version__})
        while True:
            await arrived.wait()
            # An action is a record only when the browser has said what its element is: what it led to waits for it.
            with trio.move_on_after(limits.KNOWN_SECONDS):
                await context.capture.actions.wait_idle()
                await context.capture.wait_known()
            arrived = trio.Event()
            batch = [shown(record, context.capture) for record in sorted(backlog, key=_shown_at)]
            backlog.clear()
            if missed:
                batch.insert(0, {"record": "missed", "count": missed})
                missed = 0
            await stream.send_all(b"".join(wire.encode(line) + b"\n" for line in batch))
