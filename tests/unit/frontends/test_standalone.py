"""The greeting of `mcp --standalone`, given before there is anything else to give."""

import json

import pytest
import trio
from trio.testing import memory_stream_pair, wait_all_tasks_blocked

from gasoline_cdp.frontends.mcp.greeting import early_answer
from gasoline_cdp.frontends.standalone import Opening

pytestmark = pytest.mark.requirement("F3-MCP")

PARAMS = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
HELLO = json.dumps({"jsonrpc": "2.0", "id": 5, "method": "initialize", "params": PARAMS}).encode()
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


@pytest.mark.parametrize(
    "said", [b"\xff garbage\n", b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n', b"x" * 70_000]
)
async def test_what_is_no_greeting_waits(said: bytes) -> None:
    client, server = memory_stream_pair()
    opening = Opening(server)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(opening.greet, server)
        await client.send_all(said)
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
