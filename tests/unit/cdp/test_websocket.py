"""Our end of a browser's debugging port, against a server that is made with another library."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest
import trio
import trio.lowlevel
from trio_websocket import ConnectionClosed, WebSocketConnection, WebSocketRequest, wrap_server_stream
from websockets.utils import accept_key

from gasoline_cdp.cdp.websocket import WebSocketTransport, open_websocket
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.limits import MB
from tests.support import PATIENCE


class Port:
    """A debugging port. It keeps what it was asked and told, and what it says is written by the test."""

    def __init__(self) -> None:
        self.headers: list[tuple[bytes, bytes]] = []
        self.told: list[str | bytes] = []
        self.connected = trio.Event()
        self.socket: WebSocketConnection | None = None
        self.reject = 0

    async def serve(self, stream: trio.SocketStream) -> None:
        async with trio.open_nursery() as nursery:
            await self._serve(await wrap_server_stream(nursery, stream, max_message_size=16 * MB))

    async def _serve(self, request: WebSocketRequest) -> None:
        self.headers = list(request.headers)
        if self.reject:
            await request.reject(self.reject, body=b"no")
            return
        self.socket = await request.accept()
        self.connected.set()
        try:
            while True:
                self.told.append(await self.socket.get_message())
        except ConnectionClosed:
            pass

    async def say(self, text: str) -> None:
        assert self.socket is not None
        await self.socket.send_message(text)


@asynccontextmanager
async def open_port(port: Port) -> AsyncIterator[str]:
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            (listener,) = await nursery.start(partial(trio.serve_tcp, port.serve, 0, host="127.0.0.1"))
            yield f"ws://127.0.0.1:{listener.socket.getsockname()[1]}/devtools/browser/x"
            nursery.cancel_scope.cancel()


@asynccontextmanager
async def connected(port: Port) -> AsyncIterator[WebSocketTransport]:
    async with open_port(port) as address, open_websocket(address) as transport:
        await port.connected.wait()
        yield transport


async def test_messages_of_any_size_go_both_ways() -> None:
    port = Port()
    async with connected(port) as transport:
        # Chrome refuses any Origin; compression would double its CPU.
        names = {name.lower() for name, _ in port.headers}
        assert not names & {b"origin", b"sec-websocket-extensions"}
        texts = ['{"id":1}', '{"text":"ü€😀"}', '"' + "x" * 3_000_000 + '"']
        await transport.send([text.encode() for text in texts])
        received: list[bytes] = []

        async def receive() -> None:
            while len(received) < len(texts):
                received.extend(await transport.receive())

        async with trio.open_nursery() as nursery:
            nursery.start_soon(receive)
            for text in texts:
                await port.say(text)
        assert received == [text.encode() for text in texts]
        while len(port.told) < len(texts):
            await trio.lowlevel.checkpoint()
        assert port.told == texts


async def test_a_ping_is_answered_while_we_listen() -> None:
    port = Port()
    async with connected(port) as transport, trio.open_nursery() as nursery:
        nursery.start_soon(transport.receive)
        assert port.socket is not None
        await port.socket.ping(b"there?")
        nursery.cancel_scope.cancel()


async def test_the_end_of_the_other_side_is_told_as_nothing_and_as_closed() -> None:
    port = Port()
    async with connected(port) as transport, trio.open_nursery() as nursery:
        assert port.socket is not None
        nursery.start_soon(port.socket.aclose)
        assert await transport.receive() == []
        with pytest.raises((trio.ClosedResourceError, trio.BrokenResourceError)):
            await transport.send([b"{}"])


async def test_a_refusal_is_told_with_its_status() -> None:
    port = Port()
    port.reject = 403
    async with open_port(port) as address:
        with pytest.raises(GasolineError, match="it answered HTTP 403") as refused:
            async with open_websocket(address):
                pytest.fail("it was let in")
    assert refused.value.code is Code.NO_BROWSER


@pytest.mark.parametrize("cut", [0, 1, 3, 20])
async def test_messages_in_the_same_piece_as_the_handshake_arrive(cut: int) -> None:
    """A server may speak first, and a piece may end anywhere."""
    frames = b"\x81\x05early" + b"\x81\x05later"

    async def serve(stream: trio.SocketStream) -> None:
        asked = b""
        while not asked.endswith(b"\r\n\r\n"):
            asked += await stream.receive_some(65_536)
        (key,) = (
            line.split(b": ")[1] for line in asked.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key")
        )
        answer = b"HTTP/1.1 101 \r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n"
        together = answer % accept_key(key.decode()).encode() + frames
        at = len(together) - cut
        await stream.send_all(together[:at])
        await stream.send_all(together[at:])
        await trio.sleep_forever()

    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            (listener,) = await nursery.start(partial(trio.serve_tcp, serve, 0, host="127.0.0.1"))
            address = f"ws://127.0.0.1:{listener.socket.getsockname()[1]}/devtools/browser/x"
            received: list[bytes] = []
            async with open_websocket(address) as transport:
                while len(received) < 2:
                    received += await transport.receive()
            assert received == [b"early", b"later"]
            nursery.cancel_scope.cancel()
