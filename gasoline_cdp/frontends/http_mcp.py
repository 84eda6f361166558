"""MCP over streamable HTTP, in both protocol eras: the library's own sessions, each with a client of ours."""

from typing import TYPE_CHECKING, Any

import trio

from gasoline_cdp import limits
from gasoline_cdp.frontends.greeting import HANDSHAKE_VERSIONS
from gasoline_cdp.frontends.mcp import McpFrontend, speaking_for
from gasoline_cdp.tools.client import Client

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

_SESSION = b"mcp-session-id"


class HttpMcp:
    """The endpoint /mcp. The library is imported when the first request comes; `nursery` then holds its sessions.

    In the older era a session has an id, and a client as long as it lives. The newer one has no sessions: there the
    client is that of the caller.
    """

    def __init__(self, mcp: McpFrontend, nursery: trio.Nursery) -> None:
        self._mcp = mcp
        self._nursery = nursery
        self._starting = trio.Lock()
        self._sessions: StreamableHTTPSessionManager | None = None
        self._clients: dict[bytes, Client] = {}

    async def handle(self, scope: dict[str, Any], receive: Any, send: Any, caller: Client) -> None:
        """One request, already judged by the gate."""
        sessions = await self._running()
        session_id = next((value for name, value in scope["headers"] if name == _SESSION), None)
        # A request without a session is either of the newer era, or opens one: then this is its client from now on.
        client = self._clients.get(session_id, caller) if session_id is not None else caller
        version = next((value for name, value in scope["headers"] if name == b"mcp-protocol-version"), None)
        opening = session_id is None and (version is None or version.decode("latin-1") in HANDSHAKE_VERSIONS)
        if opening:
            client = Client("mcp")

        async def send_noting(message: Any) -> None:
            if opening and message["type"] == "http.response.start" and message["status"] < 400:
                self._forget_ended(sessions)
                for name, value in message["headers"]:
                    if name.lower() == _SESSION:
                        self._clients[value] = client
            await send(message)

        with speaking_for(client):
            await sessions.handle_request(scope, receive, send_noting)
        if scope["method"] == "DELETE":
            self._forget_ended(sessions)

    def _forget_ended(self, sessions: "StreamableHTTPSessionManager") -> None:
        """The library does not say when a session ends; it is no longer among its own then."""
        living = {name.encode() for name in sessions._server_instances}  # noqa: SLF001 - nothing public tells
        self._clients = {name: client for name, client in self._clients.items() if name in living}

    async def _running(self) -> "StreamableHTTPSessionManager":
        async with self._starting:
            if self._sessions is None:
                server = await self._mcp.load()
                from mcp.server.streamable_http_manager import (  # noqa: PLC0415 - loaded by now
                    StreamableHTTPSessionManager,
                )

                sessions = StreamableHTTPSessionManager(
                    server,
                    max_request_body_size=limits.HTTP_MCP_BYTES,
                    max_sessions=limits.MCP_SESSIONS,
                    session_idle_timeout=limits.MCP_SESSION_SECONDS,
                )
                await self._nursery.start(_run, sessions)
                self._sessions = sessions
            return self._sessions


async def _run(
    sessions: "StreamableHTTPSessionManager", task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    async with sessions.run():
        task_status.started()
        await trio.sleep_forever()
