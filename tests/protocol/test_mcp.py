"""Real MCP clients: the SDK's in both protocol eras, and bytes written by hand."""

import json
import sys
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from gasoline_cdp.frontends.client_options import CORE
from gasoline_cdp.frontends.mcp.greeting import HANDSHAKE_VERSIONS, early_answer, early_stateless
from gasoline_cdp.frontends.mcp.library_server import build_server
from gasoline_cdp.frontends.mcp.tool_list import tool_list
from gasoline_cdp.tools.registry import TOOLS
from tests.processes import AS_PROGRAM, COMMAND, HEADLESS, browsers_with, call, open_command, until
from tests.support import PATIENCE

ERAS = ["legacy", "2026-07-28"]
STANDALONE = ["mcp", *AS_PROGRAM, "--standalone", *HEADLESS, "--temporary-profile"]
# On the browser of the run, for tests of what is said and not of what a browser does: add its address.
ON = ["mcp", *AS_PROGRAM, "--standalone", "--ws-endpoint"]


def _parameters(*arguments: str, tmp_path: Path) -> StdioServerParameters:
    environment = {
        "GASOLINE_RUNTIME_DIR": str(tmp_path / "runtime"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "GASOLINE_STRICT": "1",
    }
    return StdioServerParameters(command=COMMAND[0], args=[*COMMAND[1:], *arguments], env=environment)


async def _call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    assert result.structured_content is not None
    assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
    answer: dict[str, Any] = result.structured_content
    return answer


@pytest.mark.requirement("F1-MCP")
@pytest.mark.parametrize("era", ERAS)
async def test_a_client_is_told_of_a_page_loaded_before_it_connected(era: str, site: str, tmp_path: Path) -> None:
    profile = str(tmp_path / "profile")
    async with open_command("launch", *HEADLESS, "--profile", profile, f"{site}page/console") as running:
        await running.said("Watching Chrome/")
        await until(_console_page_is_done)
        transport = stdio_client(_parameters("mcp", *AS_PROGRAM, tmp_path=tmp_path))
        with trio.fail_after(PATIENCE):
            async with Client(transport, mode=era) as client:
                assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
                errors = await _call(client, "observe", what="errors")
                assert any("out of range: 11" in entry.get("message", "") for entry in errors["entries"])
                network = await _call(client, "observe", what="network", include_static=True)
                assert {entry["url"] for entry in network["entries"]} == {
                    f"{site}page/console",
                    f"{site}script/console.js",
                }


async def _console_page_is_done() -> bool:
    logs = await call("observe", what="logs", limit=100)
    return any(entry["message"] == "console page done" for entry in logs["entries"])


@pytest.mark.requirement("F1-MCP")
@pytest.mark.parametrize("era", ERAS)
async def test_standalone_serves_a_client_with_a_browser_of_its_own(era: str, site: str, tmp_path: Path) -> None:
    transport = stdio_client(_parameters(*STANDALONE, f"{site}page/console", tmp_path=tmp_path))
    with trio.fail_after(PATIENCE):
        async with Client(transport, mode=era) as client:

            async def told() -> bool:
                answer = await _call(client, "observe", what="errors")
                return any("nobody caught me" in entry.get("message", "") for entry in answer["entries"])

            await until(told)
            info = await _call(client, "get_page_info")
            assert info["title"] == "Console"
            wrong = await client.call_tool("observe", {"what": "erors", "limt": 1})
            assert wrong.is_error
            assert wrong.structured_content is not None
            assert wrong.structured_content["error"] == "invalid_params"
            assert len(wrong.structured_content["details"]["problems"]) == 2
            unknown = await client.call_tool("observ", {})
            assert unknown.structured_content is not None
            assert unknown.structured_content["error"] == "unknown_tool"


@asynccontextmanager
async def _by_hand(*arguments: str) -> AsyncIterator[tuple[trio.Process, Any]]:
    """A server on pipes of ours, and a function that sends lines and returns the next line it says."""
    async with open_command(*arguments, stdin=True) as running:
        process = running.process
        assert process.stdin is not None
        assert process.stdout is not None
        received = bytearray()

        async def exchange(*lines: bytes) -> dict[str, Any]:
            assert process.stdin is not None
            assert process.stdout is not None
            await process.stdin.send_all(b"".join(line + b"\n" for line in lines))
            while b"\n" not in received:
                with trio.fail_after(PATIENCE):
                    chunk = await process.stdout.receive_some()
                assert chunk, running.stderr
                received.extend(chunk)
            line, _, rest = bytes(received).partition(b"\n")
            received[:] = rest
            message = json.loads(line)
            assert isinstance(message, dict)
            return message

        yield process, exchange


def _initialize(version: str = "2025-06-18", request_id: object = 1) -> bytes:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "method": "initialize", "params": params}).encode()


INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'


@pytest.mark.parametrize("version", [*HANDSHAKE_PROTOCOL_VERSIONS, "1999-01-01"])
async def test_the_early_answer_is_the_library_s_own(version: str) -> None:
    """The greeting answers before the library is there; both must say the same."""
    assert HANDSHAKE_VERSIONS == HANDSHAKE_PROTOCOL_VERSIONS
    early = early_answer(_initialize(version))
    assert early is not None
    said = json.loads(early[1])["result"]
    server = build_server(None)  # type: ignore[arg-type] # no tool is called
    async with Client(server, mode="legacy") as client:
        assert said["instructions"] == client.instructions
        assert client.server_info is not None
        assert said["serverInfo"] == client.server_info.model_dump(exclude_none=True, by_alias=True)
        assert said["capabilities"] == client.server_capabilities.model_dump(exclude_none=True, by_alias=True)
    expected = version if version in HANDSHAKE_PROTOCOL_VERSIONS else HANDSHAKE_PROTOCOL_VERSIONS[-1]
    assert said["protocolVersion"] == expected


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
        b'{"jsonrpc":"2.0","method":"initialize"}',
        b'{"jsonrpc":"2.0","id":1,"method":"initialize"}',
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":5}}',
        b'{"jsonrpc":"2.0","id":true,"method":"initialize","params":{}}',
        b'{"jsonrpc":"1.0","id":1,"method":"initialize","params":{}}',
    ],
)
def test_only_a_proper_initialize_is_answered_early(line: bytes) -> None:
    assert early_answer(line) is None


@pytest.mark.requirement("S28")
async def test_stdout_carries_json_rpc_and_nothing_else() -> None:
    """Initialize is answered once; garbage is answered with an error, and the conversation goes on."""
    async with _by_hand(*STANDALONE) as (process, exchange):
        first = await exchange(_initialize(request_id="first"), INITIALIZED)
        assert first["id"] == "first"
        assert first["result"]["serverInfo"]["name"] == "gasoline-cdp"
        listed = await exchange(b'{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}')
        assert listed["id"] == 2
        for garbage in (b"this is not json", b'{"jsonrpc":"2.0"}', b"\xff\xfe", b"[]", b"null"):
            refused = await exchange(b"", garbage)
            assert (refused["id"], refused["error"]["code"] in {-32700, -32600}) == (None, True)
        unknown = await exchange(b'{"jsonrpc":"2.0","id":3,"method":"no/such","params":{}}')
        assert unknown["error"]["code"] == -32601
        again = await exchange(b'{"jsonrpc":"2.0","id":4,"method":"ping"}')
        assert again == {"jsonrpc": "2.0", "id": 4, "result": {}}
        await process.stdin.aclose()  # type: ignore[union-attr]
        with trio.fail_after(PATIENCE):
            assert await process.wait() == 0


async def test_a_print_does_not_reach_the_wire(tmp_path: Path) -> None:
    script = tmp_path / "printing.py"
    script.write_text(
        "import os, sys, trio\n"
        "from gasoline_cdp.frontends.local.stdio import open_stdio\n"
        "async def main():\n"
        "    async with open_stdio() as (receive, send):\n"
        "        print('stray', flush=True)\n"
        "        os.write(1, b'stray too')\n"
        "        os.system('echo a child of ours')\n"
        "        await send.send_all(b'wire ' + await receive.receive_some())\n"
        "trio.run(main)\n"
    )
    with trio.fail_after(PATIENCE):
        done = await trio.run_process(
            [sys.executable, str(script)], stdin=b"hello", capture_stdout=True, capture_stderr=True
        )
    assert done.stdout == b"wire hello"
    assert b"stray" in done.stderr


@pytest.mark.requirement("S30")
async def test_tools_list_is_the_same_for_everyone_and_small(chromium: str) -> None:
    async with _by_hand(*ON, chromium) as (_, one), _by_hand(*ON, chromium, "--pilot") as (_, two):
        lists = []
        for exchange in (one, two):
            await exchange(_initialize(), INITIALIZED)
            lists.append(await exchange(b'{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}'))
            # The first was answered before the library was there; a ping is answered by the library, and so what
            # comes after it.
            await exchange(b'{"jsonrpc":"2.0","id":3,"method":"ping"}')
            lists.append(await exchange(b'{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}'))
        # The same bytes: keys too stand in the same order.
        assert len({json.dumps(listed) for listed in lists}) == 1
        assert json.dumps(lists[0]["result"]["tools"]) == json.dumps(tool_list())


@pytest.mark.requirement("S30", "F3-MCP", "F9-TOOLS")
@pytest.mark.parametrize("tools", ["all", "core"])
async def test_the_early_answers_of_the_new_era_are_the_library_s_own(tools: str, chromium: str) -> None:
    """They come before the library is there, and again from it."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }

    def request(method: str, **params: Any) -> bytes:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
        return json.dumps(message).encode()

    questions = [request("server/discover"), request("tools/list")]
    assert early_stateless(questions[0]) is not None
    async with _by_hand(*ON, chromium, "--tools", tools) as (_, exchange):
        early = [await exchange(question) for question in questions]
        # Only the library calls tools, so that from now on it answers.
        await exchange(request("tools/call", name="observe", arguments={"what": "status"}))
        own = [await exchange(question) for question in questions]
        assert json.dumps(early) == json.dumps(own)
        assert own[0]["result"]["supportedVersions"] == ["2026-07-28"]
        assert ("security_audit" in own[0]["result"]["instructions"]) is (tools == "all")
        assert len(own[1]["result"]["tools"]) == len(TOOLS if tools == "all" else CORE)


async def test_without_a_browser_the_client_is_told(tmp_path: Path) -> None:
    async with _by_hand("mcp", *AS_PROGRAM, "--standalone", "--browser", str(tmp_path / "none"), "--no-sandbox") as (
        _,
        exchange,
    ):
        await exchange(_initialize(), INITIALIZED)
        request = {"name": "get_page_info", "arguments": {}}
        line = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": request}).encode()
        answer = (await exchange(line))["result"]
        assert answer["isError"]
        request = {"name": "observe", "arguments": {"what": "status"}}
        line = json.dumps({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": request}).encode()
        status = (await exchange(line))["result"]["structuredContent"]
        assert status["browser"]["state"] == "gone"
        assert "--browser" in status["notice"]


async def test_the_client_going_away_ends_everything(tmp_path: Path) -> None:
    profile = str(tmp_path / "profile")
    async with _by_hand("mcp", *AS_PROGRAM, "--standalone", *HEADLESS, "--profile", profile) as (process, exchange):
        await exchange(_initialize(), INITIALIZED)
        await until(lambda: _present(profile))
        await process.stdin.aclose()  # type: ignore[union-attr]
        with trio.fail_after(PATIENCE):
            assert await process.wait() == 0
        assert browsers_with(profile) == []


async def _present(profile: str) -> bool:
    return bool(browsers_with(profile))


@pytest.mark.requirement("F4-SEEING", "F4-AUDIT")
@pytest.mark.parametrize("era", ERAS)
async def test_a_client_sees_the_page_and_audits_it(era: str, site: str, tmp_path: Path) -> None:
    transport = stdio_client(_parameters(*STANDALONE, f"{site}page/elements", tmp_path=tmp_path))
    with trio.fail_after(2 * PATIENCE):
        async with Client(transport, mode=era) as client:
            matches: list[dict[str, Any]] = []
            while not matches:
                # The page is still on its way, or changes under the question.
                answer = (await client.call_tool("query_dom", {"selector": "#list"})).structured_content or {}
                matches = answer.get("matches", [])
            assert matches[0]["role"] == "list"
            picture = await client.call_tool("observe", {"what": "screenshot"})
            assert [part.type for part in picture.content] == ["text", "image"]
            image = picture.content[1]
            assert image.type == "image"
            assert image.mime_type == "image/jpeg"
            assert b64decode(image.data)[:2] == b"\xff\xd8"
            audit = await _call(client, "run_accessibility_audit")
            assert audit["summary"]["violations"] > 0
            refused = await client.call_tool("analyze", {"action": "audit"})
            assert refused.is_error
            assert refused.structured_content is not None
            assert refused.structured_content["error"] == "ai_web_pilot_disabled"
