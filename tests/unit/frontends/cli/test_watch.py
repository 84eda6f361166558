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
    monkeypatch.setattr(bridge, "watch", lambda *, lines: iter(() if lines else RECORDS))
    options = {"errors": False, "only": None, "url": None, "as_json": True, **filters}
    assert watch.run_watch(**options) == 0
    expected = [json.dumps(RECORDS[place]) for place in wanted]
    assert capsys.readouterr().out.splitlines() == expected


def _watched(
    records: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[list[str], str]:
    monkeypatch.setattr(bridge, "watch", lambda *, lines: iter(records if lines else []))
    assert watch.run_watch(errors=False, only=None, url=None, as_json=False) == 0
    out, err = capsys.readouterr()
    return out.splitlines(), err


def test_a_person_is_shown_the_daemon_s_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = {"time": "10:00:00", "tag": "error", "text": '"a [red]"', "tone": "error"}
    records = [{**RECORDS[0], "answers": "lines"}, {**RECORDS[1], "line": line}, RECORDS[3], RECORDS[8]]
    shown, err = _watched(records, monkeypatch, capsys)
    assert shown == [
        "Watching gasoline-cdp 0.1.0, browser running. Ctrl-C ends the view only.",
        '10:00:00  error         "a [red]"',
        "… 3 records came too fast to show",
        "gasoline-cdp has ended.",
    ]
    assert err == ""


def test_the_records_of_an_older_daemon_are_shown_as_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown, err = _watched(RECORDS[:2], monkeypatch, capsys)
    assert json.loads(shown[1]) == RECORDS[1]
    assert "version 0.1.0, and gives JSON only" in err
