"""Live lines and reports: in their columns, whatever a page says and however narrow the terminal is."""

import io
import re
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from gasoline_cdp.frontends.cli.terminal import (
    cut,
    live_line,
    open_console,
    short_place,
    short_url,
    show_status,
    size_text,
)


def _log(**changes: Any) -> dict[str, Any]:
    entry = {
        "record": "log",
        "ts": "2026-01-02T03:04:05.678Z",
        "kind": "exception",
        "level": "error",
        "message": "Uncaught TypeError: Cannot read properties of undefined (reading 'percent')",
        "at": "applyCoupon (http://localhost:3000/static/app.js:197:34)",
        "tab_id": 1,
        "page": "http://localhost:3000/",
    }
    return {**entry, **changes}


def _network(**changes: Any) -> dict[str, Any]:
    entry = {
        "record": "network",
        "ts": "2026-01-02T03:04:05.678Z",
        "id": "r1",
        "kind": "network",
        "method": "POST",
        "url": "http://localhost:3000/api/checkout?cart=7",
        "status": 500,
        "outcome": "http_error",
        "type": "Fetch",
        "duration_ms": 3.2,
        "bytes": 271,
        "tab_id": 1,
    }
    return {**entry, **changes}


def _socket(**changes: Any) -> dict[str, Any]:
    entry = {
        "record": "websocket",
        "ts": "2026-01-02T03:04:05.678Z",
        "event": "message",
        "id": "w1",
        "url": "ws://localhost:3000/live",
        "type": "websocket",
        "direction": "incoming",
        "data": '{"type": "price",\n "price": 3.459}',
        "size": 33,
        "tab_id": 1,
    }
    return {**entry, **changes}


def _line(record: dict[str, Any], width: int) -> str:
    text = live_line(record, width)
    assert text is not None
    return text.plain


@pytest.mark.parametrize("width", [1, 10, 20, 40, 60, 80, 120, 300])
@pytest.mark.parametrize(
    "record",
    [
        _log(),
        _log(message="短い日本語のメッセージ" * 20, at="関数 (http://localhost/あ.js:1:1)"),
        _log(message="", at=None),
        _log(message="line one\nline two\ttabbed"),
        _log(at=f"f (http://localhost/{'x' * 300}.js:1:1)"),
        _log(at="a\nname (http://localhost/app.js:1:1)"),
        _network(),
        _network(method="X" * 20, url=f"http://localhost/{'é' * 500}"),
        _network(failure="one\ntwo\tthree", redirect_to="http://[REDACTED]@localhost/"),
        _network(status=None, outcome="failed", failure="net::ERR_CONNECTION_REFUSED", duration_ms=None, bytes=0),
        _socket(),
        _socket(data="x" * 5000),
        _socket(event="open", direction=None, data=None),
        _socket(event="error", data=None, details={"message": "Connection refused"}),
        {"record": "missed", "count": 1},
    ],
)
def test_a_record_is_one_line_and_fits(record: dict[str, Any], width: int) -> None:
    line = _line(record, width)
    assert "\n" not in line
    assert line == line.rstrip()
    if record["record"] != "missed":
        assert cell_len(line) <= width


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"method": "OPTIONS", "status": 204}, "OPTIONS 204 "),
        ({"method": "GET", "status": None, "outcome": "cors_blocked"}, "GET CORS "),
        ({"method": "DELETE", "status": None, "outcome": "aborted"}, "DELETE aborted "),
    ],
)
def test_no_word_of_a_request_is_cut(changes: dict[str, Any], words: str) -> None:
    line = _line(_network(**changes), 80)
    assert words in line
    assert len(line) <= 80


def test_a_failed_request_says_who_made_it_and_what_came_back() -> None:
    line = _line(_network(status=500, at="load (src/api.ts:2:24)", body='{"error": "no table"}'), 120)
    assert '/api/checkout?cart=7  {"error": "no table"}' in line
    assert "api.ts:2  3 ms" in line


def test_a_wide_terminal_names_the_function() -> None:
    assert _line(_log(), 80).endswith("app.js:197")
    assert _line(_log(), 120).endswith("app.js:197 applyCoupon")


def test_columns_stand_under_each_other() -> None:
    lines = [_line(_network(bytes=size, duration_ms=took), 80) for size, took in ((271, 3), (10_000_000, 1206), (0, 9))]
    assert len({line.index(" ms") for line in lines}) == 1
    assert lines[0].endswith("271 B")


def test_sockets_show_their_direction_and_their_end() -> None:
    assert re.search(r'ws ← +{"type": "price", "price": 3.459} +33 B$', _line(_socket(), 80))
    assert "ws →" in _line(_socket(direction="outgoing"), 80)
    assert "sse ←" in _line(_socket(type="eventsource"), 80)
    assert re.search(r"ws open +/live$", _line(_socket(event="open", direction=None, data=None), 80))
    refused = _socket(event="error", data=None, details={"message": "Connection refused"})
    assert "/live  Connection refused" in _line(refused, 80)


def test_what_is_not_shown_live_has_no_line() -> None:
    assert live_line({"record": "body"}, 80) is None
    assert live_line({}, 80) is None


def test_page_text_is_no_markup() -> None:
    out = io.StringIO()
    console = open_console()
    console.file = out
    line = live_line(_log(message="[bold]x[/bold] :smile:", at="[red]f[/] (http://localhost/app.js:1:1)"), 120)
    console.print(line)
    console.print(live_line(_network(url="http://localhost/[red]?[/link]"), 120))
    assert "[bold]x[/bold] :smile:" in out.getvalue()
    assert "app.js:1 [red]f[/]" in out.getvalue()
    assert "/[red]?[/link]" in out.getvalue()


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("ab cd", 4, "ab…"), ("日本語", 4, "日…"), ("abc", 1, "…"), ("abc", 0, "")],
)
def test_text_is_cut_by_columns(text: str, width: int, expected: str) -> None:
    assert cut(text, width) == expected


def test_places_addresses_and_sizes_are_short() -> None:
    assert short_place("applyCoupon (http://localhost/static/app.js:88:12)") == "app.js:88 applyCoupon"
    assert short_place("http://localhost/static/app.js:88:12") == "app.js:88"
    assert short_place("f (http://localhost/app.js:88:12)", function=False) == "app.js:88"
    assert short_place("boom (http://localhost:3000/:6:2)") == "/:6 boom"
    assert short_place("http://example.org/shop/:6:2") == "example.org/shop/:6"
    assert short_place("") == ""
    # A development server's version of a script does not push the line out of sight.
    assert short_place("Order (http://localhost:5173/src/Order.jsx?t=1763000000000:29:7)") == "Order.jsx:29 Order"
    assert short_place("http://localhost/?page=2:6:2") == "/:6"
    assert short_url("http://localhost:3000/a?b=c") == "/a?b=c"
    assert short_url("https://example.org/a") == "example.org/a"
    assert short_url("data:text/plain,x") == "data:text/plain,x"
    assert short_url("http://[::1]:3000/a") == "/a"
    # What redaction leaves of an address with a password in it is no address any more.
    assert short_url("http://[REDACTED]@example.org/a") == "http://[REDACTED]@example.org/a"
    assert [size_text(size) for size in (0, 1023, 1024, 3_000_000)] == ["0 B", "1023 B", "1.0 KB", "2.9 MB"]


def test_the_status_says_what_was_lost() -> None:
    out = io.StringIO()
    status = {
        "version": "0.1.0",
        "pid": 7,
        "uptime_seconds": 130.0,
        "memory_mb": 31.5,
        "browser": {"state": "running", "mode": "launched", "version": "Chrome/1", "pid": 8, "headless": True},
        "tabs": 2,
        "requests_pending": 1,
        "buffers": {"logs": {"received": 1200, "kept": 1000, "dropped": 200, "bytes": 2048, "max_entries": 1000}},
        "bodies": "errors",
        "pilot": False,
        "pilot_events": [
            {"ts": "2026-11-16T04:59:45.158Z", "what": "refused", "by": "mcp", "tool": "execute_javascript"},
            {"ts": "2026-11-16T04:59:40.158Z", "what": "switched_off", "by": "switch_closed"},
            *[{"ts": "2026-11-16T04:59:30.158Z", "what": "allowed", "by": "cli", "tool": "analyze"}] * 8,
        ],
        "pilot_events_total": 42,
        "streaming": {
            "subscribers": [
                {"enabled": True, "events": ["errors"], "sent": 3, "held_back": 2, "repeated": 0, "dropped": 1}
            ],
            "sent": 4,
            "dropped": 1,
        },
    }
    show_status(Console(file=out, width=80), status)
    said = out.getvalue()
    assert "gasoline-cdp 0.1.0  process 7, up 2 min, 31.5 MB" in said
    assert "running: Chrome/1, launched, headless, process 8" in said
    assert "2 open, 1 request under way" in said
    assert "1000 of 1200 kept (2.0 KB), 200 dropped" in said
    assert "pilot off" in said
    assert "execute_javascript refused (mcp)" in said
    assert "switched off (switch closed)" in said
    assert said.count("analyze allowed (cli)") == 3
    assert "and 37 more (the newest 10 with --json)" in said
    assert "1 subscriber, 4 sent, 2 held back, 1 dropped" in said
