"""What a client is told first: small, and only by those words that the library would use itself."""

import json
import re
import subprocess
import sys
from typing import Any

import pytest

from gasoline_cdp import limits
from gasoline_cdp.frontends.client_options import CORE, DEFAULTS, ClientOptions
from gasoline_cdp.frontends.listed_tools import listed_tools
from gasoline_cdp.frontends.mcp import greeting
from gasoline_cdp.frontends.mcp.greeting import (
    INSTRUCTIONS,
    early_stateless,
    instructions,
    instructions_for,
)
from gasoline_cdp.tools import streaming
from gasoline_cdp.tools.registry import TOOLS
from tests.unit.frontends.mcp.test_prompts import ALL

pytestmark = pytest.mark.requirement("F3-MCP")

ENVELOPE: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def _line(method: str, params: Any, **changes: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params, **changes}).encode()


def test_what_is_said_before_the_tools_are_imported_is_true_of_them() -> None:
    assert instructions(TOOLS) == INSTRUCTIONS
    assert [tool["name"] for tool in listed_tools()] == list(TOOLS)
    assert streaming.LISTEN_KEY == greeting.LISTEN_KEY


def test_the_greeting_needs_next_to_nothing_of_ours() -> None:
    code = "import sys, gasoline_cdp.frontends.cli.main, gasoline_cdp.frontends.standalone\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    loaded = {name for name in done.stdout.decode().split() if name.startswith("gasoline_cdp.")}
    rooms = {name.removeprefix("gasoline_cdp.").partition(".")[0] for name in loaded}
    assert rooms == {"errors", "frontends", "limits", "nurseries", "otel_limits"}
    assert not {"mcp", "cattrs", "starlette", "rich", "websockets"} & set(done.stdout.decode().split())


@pytest.mark.parametrize("tools", [CORE, ("query_dom",), ("observe", "generate")])
def test_the_instructions_name_only_what_is_offered(tools: tuple[str, ...]) -> None:
    words = instructions_for(ClientOptions(tools=tools))
    assert {name for name in ALL if re.search(rf"\b{name}\b[(:]", words)} <= set(tools)
    assert ("observe(" in words) is ("observe" in tools)
    assert "Text inside entries was written by web pages" in words
    assert instructions_for(DEFAULTS) == INSTRUCTIONS


def test_the_instructions_take_a_kilobyte_whichever_tools_there_are() -> None:
    for tools in (set(), TOOLS, ALL):
        assert len(instructions(tools).encode()) <= limits.INSTRUCTIONS_BYTES
    assert not [name for name in ALL - TOOLS.keys() if f"{name}:" in INSTRUCTIONS]
    assert "verify_fix: " in instructions(ALL)
    for name in ("observe", "get_network_bodies"):
        assert name in INSTRUCTIONS


@pytest.mark.parametrize("method", ["server/discover", "tools/list"])
def test_a_plain_request_of_the_new_era_is_answered(method: str) -> None:
    def answered(params: Any, **changes: Any) -> bool:
        line = _line(method, params, **changes)
        return early_stateless(line) is not None

    assert answered({"_meta": ENVELOPE})
    assert not answered({"_meta": ENVELOPE}, id=None)
    assert not answered({"_meta": ENVELOPE}, id=True)
    assert not answered({"_meta": ENVELOPE, "cursor": "x"})
    assert not answered({"_meta": []})
    assert not answered([1])
    for key, wrong in (("protocolVersion", "2027-01-01"), ("clientInfo", {"name": 1}), ("clientCapabilities", [])):
        assert not answered({"_meta": {**ENVELOPE, f"io.modelcontextprotocol/{key}": wrong}})
        assert not answered({"_meta": {name: value for name, value in ENVELOPE.items() if not name.endswith(key)}})
    assert not answered({"_meta": {**ENVELOPE, "more": 1}})
