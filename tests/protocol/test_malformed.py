"""A malformed message is answered over every way in: an editor's bridge, `mcp --standalone`, and HTTP."""

from pathlib import Path
from typing import Any

import pytest
import trio

from gasoline_cdp.frontends.mcp.malformed import INVALID_REQUEST, PARSE_ERROR
from tests.connected import open_socket
from tests.editor import Editor, open_editor
from tests.fakes import make_context
from tests.http_client import open_http
from tests.protocol.test_request_limits import Work, work

__all__ = ["work"]

pytestmark = pytest.mark.requirement("F3-MCP")

HALF_PAIR = rb'{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"observe","arguments":{"url":"\ud83d"}}}'
# Each line, the ids of its errors, their code, and what they say.
MALFORMED: list[tuple[bytes, list[Any], int, str]] = [
    (HALF_PAIR, [11], INVALID_REQUEST, "half of a surrogate pair"),
    (b'{"jsonrpc":"2.0","id":12,"method":"ping","params":[1]}', [12], INVALID_REQUEST, "params must be an object"),
    (b'{"jsonrpc":"2.0","id":13,"method":"ping","params":"x"}', [13], INVALID_REQUEST, "params must be an object"),
    (b'{"id":14,"method":"ping"}', [14], INVALID_REQUEST, 'jsonrpc must be "2.0"'),
    (b'{"jsonrpc":"2.0","id":15,"method":7}', [15], INVALID_REQUEST, "method must be a string"),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', [1.5], INVALID_REQUEST, "id must be"),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', [None], INVALID_REQUEST, "id must be"),
    (
        b'[{"jsonrpc":"2.0","id":16,"method":"ping"},{"jsonrpc":"2.0","id":"b","method":"ping"}]',
        [16, "b"],
        INVALID_REQUEST,
        "each message by itself",
    ),
    (b"[]", [None], INVALID_REQUEST, "each message by itself"),
    (b"7", [None], INVALID_REQUEST, "must be a JSON object"),
    (b'{"jsonrpc":"2.0","id":17', [None], PARSE_ERROR, "not JSON"),
    (b'"\xff"', [None], PARSE_ERROR, "invalid UTF-8"),
    (b'{"jsonrpc":"2.0","id":18,"result":3}', [None], INVALID_REQUEST, "A response has"),
    (b"[" * 100_000, [None], PARSE_ERROR, "nested too deeply"),
    (b"x" * (5 * 1024 * 1024), [None], INVALID_REQUEST, "bytes at most"),
]


async def _check(editor: Editor) -> None:
    await editor.greet()
    for line, ids, code, words in MALFORMED:
        await editor.write(line + b"\n")
        for request_id in ids:
            error = (await editor.answer(request_id))["error"]
            assert (error["code"], words in error["message"]) == (code, True), (line[:80], error)
            # The next error may have the same id: null.
            editor.forget(request_id)
    assert "result" in await editor.ask("ping")


async def test_an_editor_s_bridge_hears_what_was_wrong_with_a_message(tmp_path: Path) -> None:
    environment = {"GASOLINE_RUNTIME_DIR": str(tmp_path / "run")}
    async with open_socket(make_context(), tmp_path / "run"), open_editor(environment=environment) as editor:
        await _check(editor)


async def test_a_client_of_its_own_process_hears_it_too(tmp_path: Path) -> None:
    # The browser is not needed for this, and there is none of this name.
    async with open_editor("--standalone", "--browser", str(tmp_path / "none")) as editor:
        await _check(editor)


HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "e", "version": "1"}}


@pytest.mark.parametrize("era", ["2025-06-18", "2026-07-28"])
async def test_over_http_it_is_answered_at_once(era: str) -> None:
    async with open_http(make_context()) as http:
        headers = {**HEADERS, "MCP-Protocol-Version": era}
        if era == "2025-06-18":
            opened = await http.ask("POST", "/mcp", _request(1, "initialize", HELLO), headers=HEADERS)
            headers["Mcp-Session-Id"] = opened.header("mcp-session-id") or ""
        for line, ids, _code, _words in MALFORMED:
            reply = await http.ask("POST", "/mcp", line, headers=headers)
            assert reply.status in {400, 413}, (line[:80], reply)
            # What is not even JSON is refused by the gate, as on every path.
            if "jsonrpc" in reply.json:
                assert reply.json["id"] == (ids[0] if len(ids) == 1 else None)
                assert reply.json["error"]["code"] == INVALID_REQUEST
            else:
                assert reply.error in {"invalid_params", "payload_too_large"}


async def test_over_http_no_id_is_under_way_twice(work: Work) -> None:
    async with open_http(make_context()) as http, trio.open_nursery() as nursery:
        opened = await http.ask("POST", "/mcp", _request(1, "initialize", HELLO), headers=HEADERS)
        headers = {**HEADERS, "Mcp-Session-Id": opened.header("mcp-session-id") or ""}
        call = _request(7, "tools/call", {"name": "hold", "arguments": {"name": "first"}})
        replies = []

        async def ask() -> None:
            replies.append(await http.ask("POST", "/mcp", call, headers=headers))

        nursery.start_soon(ask)
        await work.until(lambda: work.begun == ["first"])
        again = await http.ask("POST", "/mcp", {**call, "id": "7"}, headers=headers)
        assert (again.status, again.json["id"], "another id" in again.json["error"]["message"]) == (409, "7", True)
        work.finish("first")
    assert b'"id":7' in replies[0].body


def _request(request_id: Any, method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
