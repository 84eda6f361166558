"""MCP over any byte stream: the library's low-level server, behind our own line framing."""

import json
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson
import trio

from gasoline_cdp.frontends.client_options import DEFAULTS, ClientOptions
from gasoline_cdp.frontends.late_imports import import_late
from gasoline_cdp.frontends.mcp import subscriptions
from gasoline_cdp.frontends.mcp.callers import caller
from gasoline_cdp.frontends.mcp.greeting import early_answer, early_stateless
from gasoline_cdp.frontends.mcp.malformed import errors_for, mistaken_for_notification, too_long
from gasoline_cdp.frontends.mcp.request_limiter import RequestLimiter, read_lines
from gasoline_cdp.frontends.mcp.streamed import notification_lines
from gasoline_cdp.nurseries import open_hidden_nursery
from gasoline_cdp.operations.client import Client
from gasoline_cdp.operations.context import Context
from gasoline_cdp.streaming import StreamSettings, Subscription

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

log = logging.getLogger(__name__)

# How many bytes of a client are held while the library is imported. Then reading pauses until the import is done.
_WAITING_BYTES = 1024 * 1024
_BUSY = -32000


class McpFrontend:
    """Serves any number of clients. The library and our tools are imported once, for the first client."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._loaded = False
        self._loading = trio.Lock()

    async def load(self, options: ClientOptions = DEFAULTS) -> "Server[Any]":
        """A server for one client. The first call imports the library, in a thread, so that capture continues."""
        build_server = (await import_late("gasoline_cdp.frontends.mcp.library_server")).build_server
        async with self._loading:
            if not self._loaded:
                await trio.to_thread.run_sync(build_server, self._context)
                self._loaded = True
        server: Server[Any] = build_server(self._context, options)
        return server

    async def serve(
        self,
        receive: trio.abc.ReceiveStream,
        send: trio.abc.SendStream,
        options: ClientOptions = DEFAULTS,
        client: Client | None = None,
        *,
        greeted: bool = False,
    ) -> None:
        """Serve one client until it disconnects. The caller closes both streams.

        `greeted`: the stream begins with an `initialize` that was answered already.
        """
        client = client or Client("mcp")
        caller.set(client)
        subscribed = subscriptions.Subscriptions(self._context.telemetry)
        subscriptions.connection.set(subscribed)
        lines_in, lines = trio.open_memory_channel[bytes](0)
        streaming = self._context.streaming
        with streaming.subscribe(StreamSettings(), client, pushes=False) as subscription:
            conversation = _Conversation(send, subscription, options)
            async with open_hidden_nursery() as nursery:
                nursery.start_soon(read_lines, receive, lines_in, conversation.refuse_long)
                nursery.start_soon(subscribed.run)
                first = await _first_line(lines)
                if first is not None:
                    opening = [first]
                    if await conversation.greet(first, greeted=greeted):
                        opening += await self._answer_while_loading(conversation, lines)
                    elif await conversation.answer_early(first):
                        opening = await self._answer_while_loading(conversation, lines)
                    await conversation.run(await self.load(options), opening, lines)
                nursery.cancel_scope.cancel()

    async def _answer_while_loading(
        self, conversation: "_Conversation", lines: trio.MemoryReceiveChannel[bytes]
    ) -> list[bytes]:
        """Answer what needs no library while it is imported. Returns the other messages, in order."""
        held: list[bytes] = []
        held_bytes = 0
        async with open_hidden_nursery() as nursery:

            async def load() -> None:
                await self.load()
                nursery.cancel_scope.cancel()

            nursery.start_soon(load)
            async for line in lines:
                with trio.CancelScope(shield=True):
                    # The end of the import must not interrupt an answer.
                    answered = await conversation.answer_early(line)
                if not answered:
                    held.append(line)
                    held_bytes += len(line)
                if held_bytes > _WAITING_BYTES:
                    break
        return held


class _Conversation:
    """One client's messages, between byte lines and the library's streams."""

    def __init__(self, send: trio.abc.SendStream, subscription: Subscription, options: ClientOptions) -> None:
        self._send = send
        self._options = options
        # Two tasks write answers and notifications, and each line must be written whole.
        self._writing = trio.Lock()
        self._subscription = subscription
        self._answered: Any = None

    async def greet(self, line: bytes, *, greeted: bool) -> bool:
        """Answer `initialize` at once if it is the client's first message and was not answered yet."""
        early = early_answer(line, self._options)
        if early is None:
            return False
        self._answered = early[0]
        if not greeted:
            await self._write(early[1])
        return True

    async def answer_early(self, line: bytes) -> bool:
        """Answer stateless requests whose answer never changes: server/discover, and tools/list, which comes next."""
        early = early_stateless(line, self._options)
        if early is None:
            return False
        await self._write(early)
        return True

    async def refuse_long(self) -> None:
        """Answer a line that was too long to be read."""
        await self._write(too_long())

    async def run(self, server: "Server[Any]", opening: list[bytes], lines: trio.MemoryReceiveChannel[bytes]) -> None:
        """Pass the client's messages to the library, and its answers to the client."""
        import anyio  # noqa: PLC0415 - comes with the library

        to_server, from_client = anyio.create_memory_object_stream[Any](0)
        to_client, from_server = anyio.create_memory_object_stream[Any](0)
        limiter = RequestLimiter(_Messages(to_server, self._write))

        async def feed() -> None:
            async with to_server:
                try:
                    await limiter.run(opening, lines)
                except* anyio.BrokenResourceError:
                    log.debug("the server ended before its client")

        async with open_hidden_nursery() as nursery:
            nursery.start_soon(feed)
            nursery.start_soon(self._forward, from_server, limiter)
            nursery.start_soon(self._push, pushing := trio.CancelScope())
            # Returns when the client is gone and both streams are closed. The other tasks then end by themselves,
            # after the last answer was written.
            await server.run(from_client, to_client, server.create_initialization_options())
            # Cancel this task: it may be writing to a client that has stopped reading.
            pushing.cancel()

    async def _push(self, scope: trio.CancelScope) -> None:
        with scope:
            async for event in self._subscription:
                for line in notification_lines(self._subscription, event):
                    await self._write(line)

    async def _forward(self, from_server: Any, limiter: RequestLimiter) -> None:
        async with from_server:
            async for item in from_server:
                message = item.message.model_dump(by_alias=True, exclude_unset=True)
                if "method" not in message:
                    limiter.done(message.get("id"))
                if self._answered is not None and message.get("id") == self._answered:
                    # The library's own answer to `initialize`: the client already has ours.
                    self._answered = None
                    continue
                await self._write(_encoded(message))

    async def _write(self, line: bytes) -> None:
        try:
            async with self._writing:
                await self._send.send_all(line + b"\n")
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            # The client is gone; the reading side ends the conversation.
            log.debug("a client went away before its answer")


async def _first_line(lines: trio.MemoryReceiveChannel[bytes]) -> bytes | None:
    try:
        return await lines.receive()
    except trio.EndOfChannel:
        return None


def _encoded(message: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(message, default=str)
    except TypeError:
        # An id may be any integer, and is sent back unchanged. orjson has no integers above 64 bits.
        return json.dumps(message, default=str).encode()


class _Messages:
    """Connects the limiter to the library and to the client."""

    def __init__(self, to_server: Any, write: Callable[[bytes], Awaitable[None]]) -> None:
        from mcp.shared.message import SessionMessage  # noqa: PLC0415 - imported by now
        from mcp_types import JSONRPCRequest, jsonrpc_message_adapter  # noqa: PLC0415 - as above

        self.pass_on = to_server.send
        self._write = write
        self._envelope = SessionMessage
        self._request = JSONRPCRequest
        self._parse = partial(jsonrpc_message_adapter.validate_json, by_name=False)

    def read(self, line: bytes) -> Any:
        try:
            message = self._parse(line)
        except ValueError:
            return None
        if not isinstance(message, self._request) and mistaken_for_notification(line):
            return None
        return self._envelope(message)

    async def refuse_malformed(self, line: bytes) -> None:
        for error in errors_for(line):
            await self._write(error)

    async def refuse(self, request: Any, words: str) -> None:
        error = {"code": _BUSY, "message": words}
        await self._write(_encoded({"jsonrpc": "2.0", "id": request, "error": error}))
