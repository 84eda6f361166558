"""MCP over streamable HTTP with the library's own client, in both eras."""

import gc
import json
from base64 import urlsafe_b64decode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
import trio
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.mcp.tool_list import tool_list
from gasoline_cdp.operations.client import Client as OurClient
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Tool
from gasoline_cdp.operations.running import run_operation
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.tools.streaming import LISTEN_KEY
from tests.fakes import log_record, make_context
from tests.http_client import Http, open_http
from tests.processes import until
from tests.protocol.test_streaming import Ear, listen
from tests.support import PATIENCE

# The client's own HTTP library leaves generators of event streams to the garbage collector.
pytestmark = pytest.mark.filterwarnings(r"ignore:Async generator '(httpx2|httpcore2|mcp)\..*:ResourceWarning")

ERAS = ["legacy", "2026-07-28"]
JSON_OR_EVENTS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


@asynccontextmanager
async def _client(http: Http, era: str, more: dict[str, str] | None = None, **options: Any) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {http.access.token}", **(more or {})}
    async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as web:
        transport = streamable_http_client(f"{http.access.url}/mcp", http_client=web)
        async with Client(transport, mode=era, **options) as client:
            yield client
    # While the warnings of what it left behind are still this test's.
    gc.collect()


def said(result: Any) -> str:
    """The lines of an answer."""
    text: str = result.content[0].text
    return text


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[OurClient]:
    """The client of each call, as the tools get it."""
    clients: list[OurClient] = []

    async def noting(tool: Tool, context: Context, arguments: object) -> Any:
        clients.append(context.client)
        return await run_operation(tool, context, arguments)

    monkeypatch.setattr("gasoline_cdp.frontends.mcp.library_server.run_operation", noting)
    return clients


@pytest.mark.requirement("F3-MCP-HTTP")
@pytest.mark.parametrize("era", ERAS)
async def test_a_real_client_is_served(era: str) -> None:
    context = make_context()
    context.telemetry.add(log_record(1, "out of range: 11"))
    async with open_http(context) as http:
        with trio.fail_after(PATIENCE):
            async with _client(http, era) as client:
                assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
                result = await client.call_tool("observe", {"what": "errors"})
                assert not result.is_error
                assert result.structured_content is None
                assert 'error "out of range: 11"' in said(result)
                wrong = await client.call_tool("observe", {"what": "erors"})
                assert wrong.is_error
                assert said(wrong).startswith("invalid_params: ")


def _hears(http: Http) -> bool:
    """Whether a session's own stream is open: what is told before that, nobody hears."""
    sessions = http.frontend._mcp._sessions
    assert sessions is not None
    return any("_GET_stream" in session._request_streams for session in sessions._server_instances.values())


@pytest.mark.requirement("F3-STREAM-CLIENTS")
@pytest.mark.parametrize("era", ERAS)
async def test_an_error_is_heard_over_http(era: str) -> None:
    context, ear = make_context(), Ear()
    async with open_http(context) as http, trio.open_nursery() as nursery:
        nursery.start_soon(context.streaming.run)
        with trio.fail_after(PATIENCE):
            options = {"extensions": [ear], "message_handler": ear.other}
            async with _client(http, era, {"X-Gasoline-Client": "me"}, **options) as client:
                on = await client.call_tool("configure_streaming", {"enabled": True, "throttle_seconds": 1})
                assert not on.is_error
                if era == "legacy":

                    async def hears() -> bool:
                        return _hears(http)

                    await until(hears)
                else:
                    nursery.start_soon(listen, client, {LISTEN_KEY: True})
                    await ear.acknowledged.wait()
                context.telemetry.add(log_record(context.telemetry.next_seq(), "trouble"))
                assert (await ear.next())["message"] == "New error: trouble"
                answer = await client.call_tool("observe", {"what": "tabs"})
                assert "Since your last call: 1 significant event." in said(answer)
                nursery.cancel_scope.cancel()


@pytest.mark.requirement("F3-MCP-HTTP")
async def test_each_session_is_a_client_of_its_own(seen: list[OurClient]) -> None:
    async with open_http(make_context()) as http:
        with trio.fail_after(PATIENCE):
            async with _client(http, "legacy") as one, _client(http, "legacy") as two:
                for client in (one, two, one):
                    await client.call_tool("observe", {"what": "status"})
        first, second, again = seen
        assert first is again
        assert first is not second
        assert first.kind == second.kind == "mcp"
        # Both have ended their session, and are forgotten.
        assert http.frontend._mcp._lasting == {}


@pytest.mark.requirement("F3-MCP-HTTP")
async def test_without_sessions_a_client_is_known_by_its_name(seen: list[OurClient]) -> None:
    async with open_http(make_context()) as http:
        for name in ("one", "two", "one", ""):
            reply = await http.ask(
                "POST", "/mcp", _modern_call(), headers={**_MODERN, "X-Gasoline-Client": name} if name else _MODERN
            )
            assert reply.status == 200, reply
        first, second, again, nobody = seen
        assert first is again
        assert len({id(first), id(second), id(nobody)}) == 3


_MODERN = {
    **JSON_OR_EVENTS,
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "observe",
}


def _modern_call() -> dict[str, Any]:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "observe", "arguments": {"what": "status"}, "_meta": meta}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def _initialize() -> dict[str, Any]:
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}


@pytest.mark.requirement("S30")
@pytest.mark.parametrize("pilot", [False, True])
async def test_tools_list_over_http_is_that_of_everywhere_else(pilot: bool) -> None:
    """Each time a server of its own; standard input is compared with the same list elsewhere."""
    async with open_http(make_context(pilot=pilot)) as http:
        opened = await http.ask("POST", "/mcp", _initialize(), headers=JSON_OR_EVENTS)
        session = {**JSON_OR_EVENTS, "Mcp-Session-Id": opened.header("mcp-session-id") or ""}
        request = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
        listed = await http.ask("POST", "/mcp", request, headers=session)
        tools = json.loads(listed.body.split(b"data: ", 1)[1])["result"]["tools"]
        assert json.dumps(tools) == json.dumps(tool_list())


@pytest.mark.requirement("F3-MCP-HTTP")
async def test_sessions_are_bounded_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontend_limits, "MCP_SESSIONS", 3)
    async with open_http(make_context()) as http:

        async def opened() -> tuple[int, str]:
            reply = await http.ask("POST", "/mcp", _initialize(), headers=JSON_OR_EVENTS)
            return reply.status, reply.header("mcp-session-id") or ""

        sessions = [await opened() for _ in range(3)]
        assert {status for status, _ in sessions} == {200}
        assert len({session for _, session in sessions}) == 3
        assert (await opened())[0] == 503
        gone = sessions[0][1]
        assert (await http.ask("DELETE", "/mcp", headers={**JSON_OR_EVENTS, "Mcp-Session-Id": gone})).status == 200
        ping = {"jsonrpc": "2.0", "id": 3, "method": "ping"}
        assert (await http.ask("POST", "/mcp", ping, headers={**JSON_OR_EVENTS, "Mcp-Session-Id": gone})).status == 404
        assert (await opened())[0] == 200
        assert len(http.frontend._mcp._lasting) == 3


@pytest.mark.requirement("F3-MCP-HTTP")
async def test_a_session_that_nobody_asks_ends_on_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontend_limits, "MCP_SESSIONS", 1)
    monkeypatch.setattr(frontend_limits, "MCP_SESSION_SECONDS", 0.3)
    async with open_http(make_context()) as http:
        sessions = http.frontend._mcp._lasting

        async def opened() -> bool:
            return (await http.ask("POST", "/mcp", _initialize(), headers=JSON_OR_EVENTS)).status == 200

        async def forgotten() -> bool:
            return not sessions

        assert await opened()
        (first,) = sessions
        # The library has room for another one only when it has let go of the first.
        await until(opened)
        assert first not in sessions
        await until(forgotten)


@pytest.mark.requirement("S26", "F3-MCP-HTTP")
async def test_a_session_is_known_by_a_name_of_ours_only() -> None:
    async with open_http(make_context()) as http:
        opened = await http.ask("POST", "/mcp", _initialize(), headers=JSON_OR_EVENTS)
        name = opened.header("mcp-session-id") or ""
        assert len(urlsafe_b64decode(name)) == frontend_limits.SESSION_BYTES >= 16
        (session,) = http.frontend._mcp._lasting.values()
        library_name = session.library_name.decode()
        ping = {"jsonrpc": "2.0", "id": 3, "method": "ping"}

        async def status(session: str) -> int:
            reply = await http.ask("POST", "/mcp", ping, headers={**JSON_OR_EVENTS, "Mcp-Session-Id": session})
            assert reply.header("mcp-session-id") == (session if reply.status == 200 else None)
            assert library_name.encode() not in reply.body
            return reply.status

        assert await status(name) == 200
        # The library's own name opens nothing, nor does what it is told in place of a wrong one.
        assert await status(library_name) == 404
        assert await status("none") == 404
        # A request that opens none is not told the name of one that was never there.
        refused = await http.ask("POST", "/mcp", ping, headers=JSON_OR_EVENTS)
        assert refused.status == 400
        assert refused.header("mcp-session-id") is None


@pytest.mark.requirement("F3-MCP-HTTP")
async def test_the_library_comes_with_the_first_request_only() -> None:
    async with open_http(make_context()) as http:
        await http.ask("GET", "/snapshot")
        await http.ask("POST", "/mcp", _initialize(), token=False, headers=JSON_OR_EVENTS)
        assert http.frontend._mcp._sessions is None
        for body in (b"", b"[]", b"5", b'{"jsonrpc":"2.0"}', b'{"jsonrpc":"2.0","id":1,"method":"no/such"}'):
            assert 400 <= (await http.ask("POST", "/mcp", body, headers=JSON_OR_EVENTS)).status < 500
        assert http.frontend._mcp._sessions is not None


@pytest.mark.requirement("F9-CHANGE")
@pytest.mark.parametrize("era", ERAS)
async def test_a_name_is_shown_what_is_new_from_one_session_to_the_next(era: str) -> None:
    context = make_context()
    context.telemetry.add(log_record(context.telemetry.next_seq(), "trouble"))
    told = []
    async with open_http(context) as http:
        with trio.fail_after(PATIENCE):
            for name in ("me", "me", "you"):
                async with _client(http, era, {"X-Gasoline-Client": name}) as client:
                    answer = await client.call_tool("observe", {"what": "errors", "since": "last"})
                    told.append(said(answer).partition(",")[0])
    assert told == ["1 error", "No errors.", "1 error"]


@pytest.mark.requirement("F9-CHANGE")
async def test_sessions_without_a_name_have_been_shown_nothing_yet() -> None:
    context = make_context()
    context.telemetry.add(log_record(context.telemetry.next_seq(), "trouble"))
    async with open_http(context) as http:
        with trio.fail_after(PATIENCE):
            async with _client(http, "legacy") as one, _client(http, "legacy") as two:
                for client, total in ((one, "1 error"), (two, "1 error"), (one, "No errors.")):
                    answer = await client.call_tool("observe", {"what": "errors", "since": "last"})
                    assert said(answer).partition(",")[0] == total
