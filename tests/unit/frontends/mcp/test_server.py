"""How often the text of an error is encoded on its way out: once, and once more for each form that is sent."""

from typing import Any

import orjson
import pytest
import trio
import trio.testing

from gasoline_cdp import wire
from gasoline_cdp.frontends.client_options import ClientOptions
from gasoline_cdp.frontends.mcp.server import McpFrontend
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.running import call_tool, run_operation
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.unlisted.captured import CAPTURED
from tests.fakes import log_record, make_context

pytestmark = pytest.mark.requirement("F1-MCP")

MARK = "cannot read total of undefined"


def _holds(value: object, *, inside: bool = False) -> int:
    """How many texts with the mark an encoder goes through. What is encoded already it only copies."""
    if isinstance(value, wire.Encoded) and inside:
        return 0
    if isinstance(value, dict):
        return sum(_holds(part, inside=True) for part in value.values())
    if isinstance(value, list | tuple):
        return sum(_holds(part, inside=True) for part in value)
    return int(isinstance(value, str) and MARK in value)


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many marked texts each call of the encoder went through, of those that had any."""
    seen: list[int] = []
    dumps = orjson.dumps

    def counted(value: Any, *rest: Any, **named: Any) -> bytes:
        if number := _holds(value):
            seen.append(number)
        return dumps(value, *rest, **named)

    monkeypatch.setattr(orjson, "dumps", counted)
    return seen


@pytest.mark.parametrize("folded", [1, 3])
async def test_an_answer_encodes_an_error_once(encoded: list[int], folded: int) -> None:
    context = make_context()
    for seq in range(folded):
        context.telemetry.add(log_record(seq + 1, MARK))
    answer = await call_tool(TOOLS, context, "observe", {"what": "errors"})
    assert MARK.encode() in answer.json
    assert encoded == [1]
    assert orjson.loads(answer.json) == answer.data
    assert answer.data["entries"][0].get("count", 1) == folded


async def test_a_snapshot_encodes_an_error_once(encoded: list[int]) -> None:
    context = make_context()
    context.telemetry.add(log_record(1, MARK))
    answer = await run_operation(CAPTURED, context, {})
    assert MARK.encode() in answer.json
    assert encoded == [1]


async def _asked_over_mcp(context: Context, options: ClientOptions) -> dict[str, Any]:
    """The result of observe(what='errors') over MCP."""
    here, there = trio.testing.memory_stream_pair()
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    call = {"name": "observe", "arguments": {"what": "errors"}}
    async with trio.open_nursery() as nursery:
        nursery.start_soon(McpFrontend(context).serve, there, there, options)
        await here.send_all(wire.encode({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}) + b"\n")
        await _line(here)
        await here.send_all(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        await here.send_all(wire.encode({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}) + b"\n")
        answer = orjson.loads(await _line(here))
        nursery.cancel_scope.cancel()
    result: dict[str, Any] = answer["result"]
    return result


async def test_for_a_program_an_error_is_encoded_once_for_each_form(encoded: list[int]) -> None:
    """The line holds it twice: as text, of which the JSON is at hand, and structured."""
    context = make_context()
    context.telemetry.add(log_record(1, MARK))
    result = await _asked_over_mcp(context, ClientOptions(answers="json"))
    assert result["structuredContent"] == orjson.loads(result["content"][0]["text"])
    assert encoded == [1, 2]


async def test_an_assistant_reads_lines_alone(encoded: list[int]) -> None:
    """Only in the last line that is written is it encoded, as text."""
    context = make_context()
    context.telemetry.add(log_record(1, MARK))
    result = await _asked_over_mcp(context, ClientOptions())
    heading, entry = result["content"][0]["text"].split("\n")
    assert heading.startswith("1 error, last ")
    assert f'error "{MARK}"' in entry
    assert "structuredContent" not in result
    assert encoded == [1]


async def _line(stream: trio.abc.ReceiveStream) -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        line += await stream.receive_some()
    return line
