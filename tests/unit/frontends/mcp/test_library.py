"""The MCP library, imported without what we do not use: the same library, and a third of its memory less."""

import json
import subprocess
import sys
from functools import cache
from typing import Any

import pytest

pytestmark = pytest.mark.requirement("F3-MEMORY", "F3-MCP")

_SERVE = """
import json, sys, trio
import trio.testing
from gasoline_cdp.config import Config
from gasoline_cdp.daemon import Daemon
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends.mcp.server import McpFrontend

def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096

async def main():
    daemon = Daemon(Config(), print)
    daemon.refuse(GasolineError(Code.NO_BROWSER, "There is none."))
    near, far = trio.testing.memory_stream_pair()
    frontend = McpFrontend(daemon.context)
    before = resident()
    await frontend.load()
    after = resident()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(frontend.serve, far, far)
        asked = json.load(sys.stdin)
        for message in asked:
            await near.send_all(json.dumps(message).encode() + b"\\n")
        wanted = sum("id" in message for message in asked)
        received = b""
        while received.count(b"\\n") < wanted:
            received += await near.receive_some()
        nursery.cancel_scope.cancel()
    answers = sorted((json.loads(line) for line in received.splitlines()), key=lambda answer: str(answer.get("id")))
    print(json.dumps({"answers": answers, "modules": sorted(sys.modules), "bytes": after - before}))

trio.run(main)
"""

_HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
_ASKED: tuple[tuple[str, Any], ...] = (
    ("ping", {}),
    ("tools/list", {}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "gasoline://nowhere"}),
    ("prompts/list", {}),
    ("prompts/get", {"name": "no such"}),
    ("completion/complete", {"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "x", "value": ""}}),
    ("tools/call", {"name": "observe", "arguments": {"what": "errors"}}),
    ("tools/call", {"name": "observe", "arguments": {"what": "nothing"}}),
    ("tools/call", {"name": 5}),
    ("no/such", {}),
)


def _conversation(*, modern: bool) -> list[dict[str, Any]]:
    meta = {"_meta": _META} if modern else {}
    requests = [
        {"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, **meta}}
        for number, (method, params) in enumerate(_ASKED, start=1)
    ]
    if modern:
        return [{"jsonrpc": "2.0", "id": 0, "method": "server/discover", "params": meta}, *requests]
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": _HELLO}
    return [hello, {"jsonrpc": "2.0", "method": "notifications/initialized"}, *requests]


@cache
def _serve(*, modern: bool, first: str = "") -> dict[str, Any]:
    """What a fresh process answers, and what it has imported then."""
    messages = _conversation(modern=modern)
    code = f"{first}\n{_SERVE}"
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, input=json.dumps(messages).encode(), capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.parametrize("modern", [False, True], ids=["handshake", "modern"])
def test_every_answer_is_that_of_the_whole_library(modern: bool) -> None:
    short, whole = _serve(modern=modern), _serve(modern=modern, first="import mcp, mcp.server")
    assert len(short["answers"]) == len(_ASKED) + 1
    assert short["answers"] == whole["answers"]


def test_what_a_server_does_not_use_is_not_imported() -> None:
    short = _serve(modern=False)
    # When this fails the library has moved: its own modules need what they did not, and memory has grown.
    heavy = {"mcp.client", "mcp.server.mcpserver", "httpx2", "jwt", "cryptography", "uvicorn", "click"}
    assert not heavy.intersection(short["modules"])
    whole = _serve(
        modern=False, first="import gasoline_cdp.frontends.mcp.library as short\nshort._PACKAGES = ('mcp.nowhere',)"
    )
    assert {"mcp.client", "mcp.server.mcpserver"} <= set(whole["modules"])
    assert short["answers"] == whole["answers"]
    assert short["bytes"] < 0.75 * whole["bytes"]


def test_whoever_wants_the_rest_later_finds_it() -> None:
    code = """
from gasoline_cdp.frontends.mcp.library import import_library
import_library()
import sys, mcp, mcp.server
assert "mcp.client" not in sys.modules and "mcp.server.mcpserver" not in sys.modules
from mcp.server import lowlevel
assert "mcp.server.mcpserver" not in sys.modules
server = lowlevel.Server
from mcp.server import MCPServer, Server
assert Server is server
from mcp import ClientSession, types
import mcp.client.session
assert mcp.client.session.ClientSession is ClientSession
assert mcp.server.lowlevel.Server is server
assert mcp.Tool is types.Tool
import uvicorn
try:
    mcp.nothing_of_the_kind
except AttributeError:
    pass
else:
    raise AssertionError
import_library()
assert mcp is sys.modules["mcp"]
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def test_when_the_short_way_fails_the_ordinary_one_is_taken() -> None:
    broken = """
import gasoline_cdp.frontends.mcp.library as short
put = short._install_lazily
def fail(spec):
    put(spec)
    if spec.name == "mcp.server":
        import mcp.shared.message
        raise RuntimeError("the library has changed")
short._install_lazily = fail
"""
    told = _serve(modern=False, first=broken)
    assert "mcp.server.mcpserver" in told["modules"]
    assert told["answers"] == _serve(modern=False)["answers"]
