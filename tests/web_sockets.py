"""A WebSocket client of another library than the servers'."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import trio
from trio_websocket import WebSocketConnection, wrap_client_stream

from gasoline_cdp.nurseries import open_hidden_nursery


@asynccontextmanager
async def open_socket(url: str, **options: Any) -> AsyncIterator[tuple[WebSocketConnection, trio.SocketStream]]:
    """A socket, and the stream below it. That library leaves it open where the other side ends first."""
    address = urlsplit(url)
    host, port = str(address.hostname), address.port or 80
    async with await trio.open_tcp_stream(host, port) as stream, open_hidden_nursery() as nursery:
        yield await wrap_client_stream(nursery, stream, f"{host}:{port}", address.path or "/", **options), stream
        nursery.cancel_scope.cancel()
