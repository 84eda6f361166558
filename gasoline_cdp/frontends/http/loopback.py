"""Serves an ASGI application on this machine only, with limits on its clients."""

import math
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import trio

from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.http.client_stream import ClientStream
from gasoline_cdp.frontends.http.http1 import App, Http1Connection, Refusals
from gasoline_cdp.frontends.http.listening import HOST, listen
from gasoline_cdp.nurseries import open_hidden_nursery

_GOODBYE_SECONDS = 0.5


@asynccontextmanager
async def serve_app(app: object, port: int = 0) -> AsyncIterator[str]:
    """Serve, and yield the application's address once it accepts. Leaving the block closes every connection.

    Port 0 takes a free port. Raises GasolineError if the port is not available.
    """
    with listen(port) as listener:
        # A web site: its browser may leave an answer unread for any time.
        async with serve_listener(app, listener, stalled_seconds=math.inf):
            yield f"http://{HOST}:{listener.getsockname()[1]}/"


@asynccontextmanager
async def serve_listener(
    app: object,
    listener: socket.socket,
    refusals: Refusals | None = None,
    stalled_seconds: float = frontend_limits.HTTP_STALLED_SECONDS,
) -> AsyncIterator[None]:
    """Serve on a socket that already listens. The caller closes it."""
    streams: set[ClientStream] = set()
    one_gone = trio.Event()

    async def serve_client(accepted: trio.SocketStream) -> None:
        if len(streams) >= frontend_limits.HTTP_CONNECTIONS:
            await accepted.aclose()
            return
        try:
            stream = ClientStream(accepted, stalled_seconds)
        except OSError:
            # The client disconnected before it was served.
            await trio.aclose_forcefully(accepted)
            return
        streams.add(stream)
        try:
            await Http1Connection(cast("App", app), stream, refusals or {}).run()
        finally:
            nonlocal one_gone
            try:
                await stream.close()
            finally:
                streams.discard(stream)
                one_gone.set()
                one_gone = trio.Event()

    # A copy, because trio closes its listeners.
    listeners = [trio.SocketListener(trio.socket.from_stdlib_socket(listener.dup()))]
    async with open_hidden_nursery() as nursery:
        nursery.start_soon(trio.serve_listeners, serve_client, listeners)
        try:
            yield
        finally:
            nursery.cancel_scope.cancel()
            # A WebSocket still sends its close frame. Writes cannot be cancelled: cut off clients that do not read.
            with trio.move_on_after(_GOODBYE_SECONDS, shield=True):
                while streams:
                    await one_gone.wait()
            for stream in list(streams):
                stream.cut()
