"""Which records `watch` shows."""

import json
from typing import Any

import pytest

from gasoline_cdp.frontends.cli import watch
from gasoline_cdp.frontends.local import bridge

RECORDS: list[dict[str, Any]] = [
    {"record": "hello", "version": "0.1.0", "browser": "running"},
    {
        "record": "log",
        "level": "error",
        "message": "a",
        "page": "http://localhost/Shop",
        "at": "f (http://cdn/x.js:1:1)",
    },
    {"record": "log", "level": "info", "message": "b", "page": "http://localhost/"},
    {"record": "network", "outcome": "ok", "url": "http://localhost/api"},
    {"record": "network", "outcome": "http_error", "url": "http://localhost/api"},
    {"record": "network", "outcome": "aborted", "url": "http://localhost/api"},
    {"record": "websocket", "event": "message", "url": "ws://localhost/live"},
    {"record": "websocket", "event": "error", "url": "ws://localhost/live"},
    {"record": "missed", "count": 3},
]


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        ({}, [1, 2, 3, 4, 5, 6, 7, 8]),
        ({"errors": True}, [1, 4, 7, 8]),
        ({"only": "logs"}, [1, 2, 8]),
        ({"only": "network"}, [3, 4, 5, 8]),
        ({"only": "websockets"}, [6, 7, 8]),
        ({"only": "network", "errors": True}, [4, 8]),
        ({"url": "shop"}, [1, 8]),
        ({"url": "x.js"}, [1, 8]),
        ({"url": "/API", "errors": True}, [4, 8]),
    ],
)
def test_filters(
    filters: dict[str, Any],
    wanted: list[int],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(bridge, "watch", lambda: iter(RECORDS))
    options = {"errors": False, "only": None, "url": None, "as_json": True, **filters}
    assert watch.run_watch(**options) == 0
    expected = [json.dumps(RECORDS[place]) for place in wanted]
    assert capsys.readouterr().out.splitlines() == expected
