"""MCP over streamable HTTP, in both protocol eras: the library's own sessions, each with a client of ours."""

import math
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import trio

from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.http.gate import PARSED
from gasoline_cdp.frontends.http.http_errors import send_json
from gasoline_cdp.frontends.mcp.callers import speaking_for
from gasoline_cdp.frontends.mcp.greeting import HANDSHAKE_VERSIONS
from gasoline_cdp.frontends.mcp.malformed import error_for, error_of
from gasoline_cdp.frontends.mcp.server import McpFrontend
from gasoline_cdp.frontends.mcp.subscriptions import Subscriptions, subscribing_for
from gasoline_cdp.nurseries import open_hidden_nursery
from gasoline_cdp.operations.client import Client
from gasoline_cdp.operations.context import Context
from gasoline_cdp.store.shown_records import ShownRecords
from gasoline_cdp.streaming import StreamSettings

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

_SESSION = b"mcp-session-id"
# The header with the name that a caller chooses.
CALLER = b"x-gasoline-client"
# Passed to the library in place of an unknown session id. The library has no session of this name.
_NO_SESSION = b"none"


class _Lasting:
    """A session of the older era: its client, its subscriptions, and the tasks that send notifications."""

    def __init__(self, context: Context, shown: ShownRecords) -> None:
        self.client = Client("mcp", shown)
        # The session id for the client. The library's own id has 122 random bits, and we want at least 128.
        self.name = secrets.token_urlsafe(frontend_limits.SESSION_BYTES).encode()
        self.library_name = b""
        # The number of pending requests, and the ids of those that have one, as the library compares them.
        self.requests = 0
        self.under_way: set[str] = set()
        self._asked = trio.Event()
        self.subscribed = Subscriptions(context.telemetry)
        self._ending = trio.CancelScope()
        self._stack = ExitStack()
        stream = context.streaming.subscribe(StreamSettings(), self.client, pushes=False)
        self._stream = self._stack.enter_context(stream)

    async def run(self) -> None:
        """Send notifications until the session ends, or is idle for as long as the library allows."""
        with self._ending:
            async with open_hidden_nursery() as nursery:
                nursery.start_soon(self.subscribed.run)
                nursery.start_soon(self.subscribed.push, self._stream)
                await self._wait_idle()
                nursery.cancel_scope.cancel()

    async def _wait_idle(self) -> None:
        while True:
            asked = self._asked
            with trio.move_on_after(math.inf if self.requests else frontend_limits.MCP_SESSION_SECONDS) as waiting:
                await asked.wait()
            if waiting.cancelled_caught:
                return

    @contextmanager
    def answering(self, request_id: str | None) -> Iterator[None]:
        """Count a request as pending while the block lasts."""
        known = {request_id} if request_id is not None else set()
        self.under_way |= known
        self._count(1)
        try:
            yield
        finally:
            self.under_way -= known
            self._count(-1)

    def _count(self, difference: int) -> None:
        self.requests += difference
        self._asked.set()
        self._asked = trio.Event()

    def end(self) -> None:
        """End the session, even if it never began."""
        self._ending.cancel()
        self._stack.close()


class HttpMcp:
    """The endpoint /mcp. The library is imported with the first request; `nursery` then holds its sessions.

    In the older era a session has an id, and a client for its whole life. The newer era has no sessions: there the
    client is that of the caller.
    """

    def __init__(self, context: Context, mcp: McpFrontend, nursery: trio.Nursery) -> None:
        self._context = context
        self._mcp = mcp
        self._nursery = nursery
        self._starting = trio.Lock()
        self._sessions: StreamableHTTPSessionManager | None = None
        self._lasting: dict[bytes, _Lasting] = {}

    async def handle(self, scope: dict[str, Any], receive: Any, send: Any, caller: Client) -> None:
        """Handle one request that the gate has let pass."""
        message = scope.get(PARSED)
        if scope["method"] == "POST" and (malformed := error_of(message)) is not None:
            await send_json(send, 400, malformed)
        else:
            await self._handle(scope, receive, send, caller, message)

    async def _handle(
        self, scope: dict[str, Any], receive: Any, send: Any, caller: Client, message: dict[str, Any] | None
    ) -> None:
        sessions = await self._running()
        session_id = next((value for name, value in scope["headers"] if name == _SESSION), None)
        version = next((value for name, value in scope["headers"] if name == b"mcp-protocol-version"), None)
        # A request without a session is of the newer era, or opens a session.
        opening = session_id is None and (version is None or version.decode("latin-1") in HANDSHAKE_VERSIONS)
        # All sessions of a named caller share what it was shown.
        shown = caller.shown if _is_named(scope) else ShownRecords()
        lasting = _Lasting(self._context, shown) if opening else self._lasting.get(session_id or b"")
        if session_id is not None:
            known = lasting.library_name if lasting else _NO_SESSION
            scope = {**scope, "headers": _with_session(scope["headers"], known)}
        request_id = str(message["id"]) if message and "method" in message and "id" in message else None
        if message and lasting is not None and request_id in lasting.under_way:
            # The library would send both answers to one of the two requests, and the other would wait for ever.
            await send_json(send, 409, error_for(message, "A request with this id is under way: use another id."))
            return
        begun = False

        async def send_noting(message: Any) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                if lasting is not None and opening and not begun:
                    begun = self._begin(message, lasting)
                elif lasting is not None and _tells_the_end(scope["method"], message["status"]):
                    self._end(lasting)
                name = lasting.name if lasting is not None and (begun or not opening) else None
                message = {**message, "headers": _with_session(message["headers"], name)}
            await send(message)

        try:
            with (
                lasting.answering(request_id) if lasting else nullcontext(),
                speaking_for(lasting.client if lasting else caller),
                subscribing_for(lasting.subscribed if lasting else None),
            ):
                await sessions.handle_request(scope, receive, send_noting)
        finally:
            if lasting is not None and opening and not begun:
                lasting.end()

    def _begin(self, message: Any, lasting: _Lasting) -> bool:
        """Register the session that the answer to an opening request names, if it names one."""
        opened = next((value for name, value in message["headers"] if name.lower() == _SESSION), None)
        if opened is None or message["status"] >= 400:
            return False
        lasting.library_name = opened
        self._lasting[lasting.name] = lasting
        self._nursery.start_soon(self._attend, lasting)
        return True

    async def _attend(self, lasting: _Lasting) -> None:
        await lasting.run()
        self._end(lasting)

    def _end(self, lasting: _Lasting) -> None:
        self._lasting.pop(lasting.name, None)
        lasting.end()

    async def _running(self) -> "StreamableHTTPSessionManager":
        async with self._starting:
            if self._sessions is None:
                server = await self._mcp.load()
                from mcp.server.streamable_http_manager import (  # noqa: PLC0415 - loaded by now
                    StreamableHTTPSessionManager,
                )

                sessions = StreamableHTTPSessionManager(
                    server,
                    max_request_body_size=frontend_limits.HTTP_MCP_BYTES,
                    max_sessions=frontend_limits.MCP_SESSIONS,
                    session_idle_timeout=frontend_limits.MCP_SESSION_SECONDS,
                )
                await self._nursery.start(_run, sessions)
                self._sessions = sessions
            return self._sessions


def _is_named(scope: dict[str, Any]) -> bool:
    return any(name == CALLER and value for name, value in scope["headers"])


def _tells_the_end(method: str, status: int) -> bool:
    """Whether an answer shows that its session is over: deleted on request, or unknown to the library."""
    return status == 404 or (method == "DELETE" and status < 400)


def _with_session(headers: Any, name: bytes | None) -> list[tuple[bytes, bytes]]:
    """The headers with the session id replaced, if they have one. None: removed."""
    kept = [(key, value) for key, value in headers if key.lower() != _SESSION]
    return kept if name is None or len(kept) == len(headers) else [*kept, (_SESSION, name)]


async def _run(
    sessions: "StreamableHTTPSessionManager", task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    async with sessions.run():
        task_status.started()
        await trio.sleep_forever()
