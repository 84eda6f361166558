"""The greeting of `mcp --standalone`, given before there is anything else to give."""

import json
from argparse import Namespace
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from trio.testing import memory_stream_pair, wait_all_tasks_blocked

from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends import standalone
from gasoline_cdp.frontends.client_options import ClientOptions
from gasoline_cdp.frontends.http.listening import listen
from gasoline_cdp.frontends.mcp.greeting import early_answer
from gasoline_cdp.frontends.standalone import Opening
from tests.support import PATIENCE

pytestmark = pytest.mark.requirement("F3-MCP")

PARAMS = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
HELLO = json.dumps({"jsonrpc": "2.0", "id": 5, "method": "initialize", "params": PARAMS}).encode()
LIST = b'{"jsonrpc":"2.0","id":6,"method":"tools/list"}\n'
INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'


async def _rest(opening: Opening, wanted: int) -> bytes:
    received = b""
    while len(received) < wanted:
        received += await opening.receive_some()
    return received


async def test_a_client_is_greeted_once_its_line_is_whole_and_nothing_of_it_is_lost() -> None:
    client, server = memory_stream_pair()
    opening = Opening(server)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(opening.greet, server)
        await client.send_all(HELLO[:20])
        await wait_all_tasks_blocked()
        before = opening.greeted
        await client.send_all(HELLO[20:] + b"\n" + INITIALIZED[:7])
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert (before, opening.greeted) == (False, True)
    early = early_answer(HELLO)
    assert early is not None
    assert await client.receive_some() == early[1] + b"\n"
    await client.send_all(INITIALIZED[7:])
    said = HELLO + b"\n" + INITIALIZED
    assert await _rest(opening, len(said)) == said


async def test_whoever_is_slow_is_greeted_by_the_one_who_serves() -> None:
    client, server = memory_stream_pair()
    opening = Opening(server)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(opening.greet, server)
        await client.send_all(HELLO[:20])
        await wait_all_tasks_blocked()
        # The import is done.
        nursery.cancel_scope.cancel()
    await client.send_all(HELLO[20:])
    assert not opening.greeted
    assert await _rest(opening, len(HELLO)) == HELLO


async def test_the_list_of_tools_is_answered_at_once_and_once() -> None:
    client, server = memory_stream_pair()
    opening = Opening(server, ClientOptions(tools=("observe",)))
    ping = b'{"jsonrpc":"2.0","id":7,"method":"ping"}\n'
    async with trio.open_nursery() as nursery:
        nursery.start_soon(opening.greet, server)
        await client.send_all(HELLO + b"\n" + INITIALIZED + LIST + ping)
        await wait_all_tasks_blocked()
        answers = (await client.receive_some()).splitlines()
        nursery.cancel_scope.cancel()
    assert [json.loads(answer)["id"] for answer in answers] == [5, 6]
    assert [tool["name"] for tool in json.loads(answers[1])["result"]["tools"]] == ["observe"]
    # The server answers the rest, and completes the handshake.
    said = HELLO + b"\n" + INITIALIZED + ping
    assert await _rest(opening, len(said)) == said


@pytest.mark.parametrize(
    "said", [b"\xff garbage\n", b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}\n', b"x" * 70_000]
)
async def test_what_is_no_greeting_waits(said: bytes) -> None:
    client, server = memory_stream_pair()
    opening = Opening(server)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(opening.greet, server)
        await client.send_all(said)
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert not opening.greeted
    assert await _rest(opening, len(said)) == said


async def test_a_client_that_goes_at_once_is_no_error() -> None:
    client, server = memory_stream_pair()
    opening = Opening(server)
    await client.send_all(HELLO + b"\n")
    await client.aclose()
    await opening.greet(server)
    assert await _rest(opening, len(HELLO) + 1) == HELLO + b"\n"
    assert await opening.receive_some() == b""

    client, server = memory_stream_pair()
    await client.aclose()
    await Opening(server).greet(server)


@pytest.mark.parametrize("port", [None, 0])
async def test_the_greeting_waits_for_no_import_with_a_port_or_without(
    port: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, server = memory_stream_pair()
    answered = trio.Event()

    @asynccontextmanager
    async def streams() -> AsyncIterator[tuple[Any, Any]]:
        yield server, server

    def import_late(_name: str) -> None:
        trio.from_thread.run(answered.wait)
        raise ImportError("the rest")

    monkeypatch.setattr(standalone, "open_stdio", streams)
    monkeypatch.setattr(standalone, "importlib", SimpleNamespace(import_module=import_late))

    async def ask() -> None:
        await client.send_all(HELLO + b"\n")
        assert json.loads(await client.receive_some())["id"] == 5
        answered.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)
        with trio.fail_after(PATIENCE), pytest.raises(ImportError, match="the rest"):
            await standalone.serve_stdio(Namespace(port=port, tools=None, answers="lines"), lambda _: None)


async def test_a_port_that_is_taken_is_told_before_anything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standalone, "open_stdio", lambda: pytest.fail("the streams were taken"))
    with listen(0) as taken, pytest.raises(GasolineError, match="another program is using it"):
        await standalone.serve_stdio(Namespace(port=taken.getsockname()[1]), lambda _: None)
