"""Event streams over real connections: many clients, some of which do not read."""

import socket
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import trio

from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.http.listening import HOST
from gasoline_cdp.views.status import memory_mb
from tests.fakes import log_record, make_context
from tests.http_client import Http, open_http
from tests.processes import until
from tests.support import PATIENCE


class Fan:
    """Tells all subscribers. What one has not taken yet is bounded: the oldest goes."""

    def __init__(self) -> None:
        self.subscribers: list[Subscription] = []
        self.asked: list[dict[str, str]] = []

    @contextmanager
    def subscribe(self, query: Mapping[str, str]) -> Iterator[AsyncIterator[Mapping[str, Any]]]:
        self.asked.append(dict(query))
        subscription = Subscription()
        self.subscribers.append(subscription)
        try:
            yield subscription
        finally:
            self.subscribers.remove(subscription)

    def tell(self, notification: dict[str, Any]) -> None:
        for subscriber in self.subscribers:
            subscriber.waiting.append(notification)
            subscriber.came.set()


class Subscription:
    def __init__(self) -> None:
        self.waiting: deque[dict[str, Any]] = deque(maxlen=100)
        self.came = trio.Event()

    def __aiter__(self) -> "Subscription":
        return self

    async def __anext__(self) -> dict[str, Any]:
        while not self.waiting:
            self.came = trio.Event()
            await self.came.wait()
        return self.waiting.popleft()


async def _open_stream(http: Http, *, query: str = "", small: bool = False) -> trio.SocketStream:
    raw = trio.socket.socket()
    if small:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    await raw.connect((HOST, http.access.port))
    stream = trio.SocketStream(raw)
    request = f"GET /events/stream{query} HTTP/1.1\r\nHost: {http.authority}\r\n"
    await stream.send_all(f"{request}Authorization: Bearer {http.access.token}\r\n\r\n".encode())
    return stream


async def _read_until(stream: trio.SocketStream, text: bytes) -> bytes:
    received = b""
    while text not in received:
        chunk = await stream.receive_some(65536)
        assert chunk, received[-200:]
        received += bytes(chunk)
    return received


async def test_a_client_hears_what_it_asked_for() -> None:
    fan = Fan()
    async with open_http(make_context(), subscribe=fan.subscribe) as http:
        with trio.fail_after(PATIENCE):
            async with await _open_stream(http, query="?events=errors&throttle_seconds=1") as stream:
                head = await _read_until(stream, b": gasoline-cdp\n\n")
                assert b"200" in head.split(b"\r\n", 1)[0]
                assert b"content-type: text/event-stream" in head
                assert b"access-control" not in head.lower()
                assert fan.asked == [{"events": "errors", "throttle_seconds": "1"}]
                fan.tell({"category": "errors", "message": "first"})
                assert b'data: {"category":"errors","message":"first"}' in await _read_until(stream, b"first")
            # The client has gone, and with it the subscription.
            while fan.subscribers:  # noqa: ASYNC110 - a close crosses the kernel
                await trio.sleep(0.01)
    assert (await _refused(fan)) == 401


async def _refused(fan: Fan) -> int:
    async with open_http(make_context(), subscribe=fan.subscribe) as http:
        return (await http.ask("GET", "/events/stream", token=False)).status


@pytest.mark.requirement("S11", "F3-STREAM")
async def test_200_clients_one_of_them_stalled() -> None:
    fan = Fan()
    context = make_context()
    clients, rounds = 200, 30
    async with open_http(context, subscribe=fan.subscribe, stalled_seconds=5.0) as http:
        with trio.fail_after(4 * PATIENCE):
            stalled = await _open_stream(http, small=True)
            streams = [await _open_stream(http) for _ in range(clients - 1)]
            for stream in streams:
                await _read_until(stream, b": gasoline-cdp\n\n")
            assert len(fan.subscribers) == clients
            before = memory_mb() or 0
            ended: list[int] = []

            async def read(number: int, stream: trio.SocketStream) -> None:
                received = 0
                rest = b""
                while received < rounds:
                    chunk = bytes(await stream.receive_some(65536))
                    assert chunk
                    received += (rest + chunk).count(b"event number") - rest.count(b"event number")
                    rest = chunk[-11:]
                ended.append(number)

            async with trio.open_nursery() as nursery:
                for number, stream in enumerate(streams):
                    nursery.start_soon(read, number, stream)
                for number in range(rounds):
                    fan.tell({"message": f"event number {number} " + "x" * 30_000})
                    context.telemetry.add(log_record(number + 1))
                    # As records come from Chrome: with the loop's other tasks in between.
                    while any(len(one.waiting) > 20 for one in fan.subscribers[1:]):  # noqa: ASYNC110 - of 199 queues
                        await trio.sleep(0.001)
                    await trio.lowlevel.checkpoint()
            assert len(ended) == clients - 1
            # The one that reads nothing is dropped, and nobody else.

            async def dropped() -> bool:
                fan.tell({"message": "event number more " + "x" * 30_000})
                return len(fan.subscribers) == clients - 1

            await until(dropped)
            assert context.telemetry.logs.received == rounds
            assert (memory_mb() or 0) - before < 60
            assert (await http.ask("GET", "/health")).status == 200
            for stream in (*streams, stalled):
                await stream.aclose()


@pytest.mark.requirement("S11")
async def test_the_server_ends_although_a_client_does_not_read() -> None:
    fan = Fan()
    with trio.fail_after(PATIENCE):
        async with open_http(make_context(), subscribe=fan.subscribe) as http:
            stalled = await _open_stream(http, small=True)
            await until(_connected(fan))
            for _ in range(200):
                fan.tell({"message": "x" * 100_000})
                await trio.lowlevel.checkpoint()
        await stalled.aclose()


def _connected(fan: Fan) -> Any:
    async def connected() -> bool:
        return bool(fan.subscribers)

    return connected


@pytest.mark.requirement("S11")
async def test_streams_beyond_the_limit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontend_limits, "EVENT_STREAMS", 2)
    fan = Fan()
    async with open_http(make_context(), subscribe=fan.subscribe) as http:
        streams = [await _open_stream(http) for _ in range(2)]
        with trio.fail_after(PATIENCE):
            for stream in streams:
                await _read_until(stream, b": gasoline-cdp")
        reply = await http.ask("GET", "/events/stream")
        assert (reply.status, reply.error) == (429, "rate_limited")
        for stream in streams:
            await stream.aclose()


@pytest.mark.requirement("S11")
async def test_a_snapshot_that_nobody_reads_holds_up_nobody() -> None:
    context = make_context()
    for seq in range(1000):
        context.telemetry.add(log_record(seq, "x" * 3000))
    async with open_http(context, stalled_seconds=0.5) as http:
        raw = trio.socket.socket()
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        await raw.connect((HOST, http.access.port))
        request = (
            f"GET /snapshot HTTP/1.1\r\nHost: {http.authority}\r\nAuthorization: Bearer {http.access.token}\r\n\r\n"
        )
        await raw.send(request.encode())
        assert len((await http.ask("GET", "/snapshot")).json["logs"]) == 1000

        async def cut_off() -> bool:
            try:
                return not await raw.recv(65536)
            except ConnectionError:
                return True

        with trio.fail_after(PATIENCE):
            # Not before the server has given up on us: reading sooner would only go on.
            while _open_connections(http.access.port):  # noqa: ASYNC110 - the kernel tells nobody
                await trio.sleep(0.05)
            await until(cut_off)
        raw.close()


def _open_connections(port: int) -> int:
    """Connections that the server still has, by the kernel's table."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]]
    return sum(row[1].endswith(f":{port:04X}") and row[3] == "01" for row in rows)
