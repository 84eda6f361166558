"""What development servers send to their pages when a build fails, in their own words."""

import json
from typing import Any

import pytest

from gasoline_cdp.analysis.events.hot_updates import VITE_PROTOCOL
from gasoline_cdp.capture.dev_server import build_errors
from gasoline_cdp.records import LogRecord
from tests.unit.capture.test_websocket import Browser

pytestmark = pytest.mark.requirement("F2-SOCKETS")

# As Vite 8 (oxc), Vite 5 (esbuild, babel), webpack-dev-server 5 and 3, webpack-hot-middleware and Parcel send them.
OXC = "Transform failed with 1 error:\n\n[PARSE_ERROR] Unexpected token\n   ╭─[ app/src/App.jsx:2:19 ]\n   │\n"
MESSAGES: list[tuple[str, str, Any, str]] = [
    (
        "vite, place in the text",
        VITE_PROTOCOL,
        {"type": "error", "err": {"message": OXC, "stack": "", "id": "/app/src/App.jsx", "frame": ""}},
        "/app/src/App.jsx:2:19",
    ),
    (
        "vite, place of its own",
        VITE_PROTOCOL,
        {"type": "error", "err": {"message": "Unexpected token", "loc": {"file": "/app/a.ts", "line": 3, "column": 7}}},
        "/app/a.ts:3:7",
    ),
    (
        "webpack-dev-server",
        "",
        {"type": "errors", "data": [{"moduleName": "./src/a.js", "loc": "1:26", "message": "Module parse failed"}]},
        "./src/a.js:1:26",
    ),
    (
        "webpack-dev-server, as text",
        "",
        {"type": "errors", "data": ["./src/a.js 1:26\nModule parse failed: \x1b[31m./src/a.js:1:26\x1b[0m"]},
        "./src/a.js:1:26",
    ),
    (
        "webpack-hot-middleware",
        "",
        {"action": "built", "hash": "x", "errors": [{"moduleName": "./b.js", "loc": "4:2-9", "message": "no export"}]},
        "./b.js:4:2",
    ),
    (
        "webpack-hot-middleware, with the name of the build",
        "",
        {
            "name": "",
            "action": "sync",
            "time": 9,
            "hash": "x",
            "errors": ["./src/a.js 1:26\nParse failed ./src/a.js:1:26"],
        },
        "./src/a.js:1:26",
    ),
    (
        "parcel",
        "",
        {
            "type": "error",
            "diagnostics": {"ansi": [{"message": "Expected ';'", "codeframe": "/app/src/i.js:5:9\n> 5"}]},
        },
        "/app/src/i.js:5:9",
    ),
]


@pytest.mark.parametrize(("name", "protocol", "message", "place"), MESSAGES, ids=[row[0] for row in MESSAGES])
def test_a_failed_build_names_file_and_line(name: str, protocol: str, message: Any, place: str) -> None:
    (error,) = build_errors(json.dumps(message), protocol)
    assert error.frame is not None, name
    assert f"{error.frame.url}:{error.frame.line}:{error.frame.column}" == place
    assert error.message.startswith("Build failed (")
    assert "\x1b" not in error.message


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"error","err":{"message":"an app of its own"}}',
        '{"type":"error","message":"wrong password"}',
        '{"type":"built","errors":[]}',
        '{"type":"errors","data":{"message":"x"}}',
        '{"type":"ok"}',
        '{"type":"errors","data":[',
        "hello",
        "",
    ],
)
def test_other_messages_are_none(text: str) -> None:
    assert build_errors(text, "") == []


def test_it_becomes_an_error_beside_the_message() -> None:
    browser = Browser()
    browser.creates(url="ws://app.test/?token=abc")
    browser.answers(headers={"Sec-WebSocket-Protocol": "vite-hmr"})
    browser.frame("received", json.dumps(MESSAGES[0][2]), 1.0)
    browser.frame("sent", json.dumps(MESSAGES[0][2]), 2.0)
    (record,) = browser.telemetry.logs.newest()
    assert isinstance(record, LogRecord)
    assert (record.kind, record.level, record.location) == ("build", "error", "App.jsx:2")
    assert "Unexpected token" in record.text
    assert [one.event for one in browser.records] == ["open", "message", "message"]
