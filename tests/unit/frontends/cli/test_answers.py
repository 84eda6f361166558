"""Answers as people read them."""

from io import StringIO
from typing import Any

from rich.console import Console

from gasoline_cdp.frontends.cli.answers import show_answer

TS = "2026-11-16T04:59:45.158Z"


def _shown(data: dict[str, Any]) -> str:
    stream = StringIO()
    show_answer(Console(file=stream, width=100, markup=False, emoji=False, highlight=False), data)
    return stream.getvalue()


def test_entries_are_lines_of_the_live_view() -> None:
    shown = _shown(
        {
            "notice": "The browser crashed.",
            "summary": "2 errors.",
            "entries": [
                {"ts": TS, "level": "error", "kind": "exception", "message": "boom [red]", "tab_id": 1, "count": 3},
                {
                    "ts": TS,
                    "id": "r1",
                    "kind": "request",
                    "method": "POST",
                    "url": "http://localhost/api",
                    "status": 500,
                    "outcome": "http_error",
                    "type": "Fetch",
                    "bytes": 10,
                },
                {"ts": TS, "type": "click", "selectors": {"testId": "buy"}, "fields": {"x": 1}, "url": "http://h/"},
            ],
            "left_out": 4,
            "cursor": "abc",
        }
    )
    lines = shown.splitlines()
    assert lines[0] == "The browser crashed."
    assert lines[1] == "2 errors."
    assert "exception  boom [red]" in lines[2]
    assert lines[2].endswith("×3")
    assert "POST 500" in lines[3]
    assert "click" in lines[4]
    assert "buy  x=1" in lines[4]
    assert lines[5] == "4 records left out. More: --cursor abc"


def test_every_event_of_a_socket_is_a_line() -> None:
    """As `observe(what="websockets")` has them: without what is 0 or empty."""
    socket = {"ts": TS, "id": "ws1", "url": "ws://localhost/live", "type": "websocket", "tab_id": 1}
    reason = "Error during WebSocket handshake: Unexpected response code: 403"
    entries = [
        {**socket, "event": "close"},
        {**socket, "event": "message", "direction": "incoming", "data": "tick", "size": 4},
        {**socket, "event": "message", "direction": "outgoing"},
        {**socket, "event": "error", "details": {"message": reason, "status": 403}},
        {**socket, "event": "open", "details": {"status": 101}},
    ]
    lines = _shown({"entries": entries}).splitlines()
    told = ["ws close", "ws ←", "ws →", "ws error", "ws open"]
    assert [tag in line for tag, line in zip(told, lines, strict=True)] == [True] * 5
    assert reason in lines[3]


def test_a_timeline_is_lines_of_what_happened() -> None:
    entries: list[dict[str, Any]] = [
        {"ts": TS, "event": "error", "type": "exception", "message": "boom", "at": "f (http://h/app.js:8:1)"},
        {"ts": TS, "event": "request", "id": "r2", "method": "GET", "url": "http://localhost/b", "outcome": "failed",
         "failure": "net::ERR_FAILED"},
        {"ts": TS, "event": "request", "id": "r1", "method": "POST", "url": "http://localhost/a", "status": 200,
         "duration_ms": 12.4},
        {"ts": TS, "event": "action", "type": "click", "element": "button Buy", "fields": {"x": 1}},
        {"ts": TS, "event": "warning", "type": "console", "message": "slow"},
    ]  # fmt: skip
    lines = _shown({"entries": [{**entry, "tab_id": 1} for entry in entries]}).splitlines()
    assert [" ".join(line.split()[1:]) for line in lines] == [
        "exception boom app.js:8 f",
        "GET failed /b net::ERR_FAILED",
        "POST 200 /a 12 ms",
        "click button Buy x=1",
        "warning slow",
    ]


def test_entries_that_are_not_all_of_a_kind_we_know_are_all_shown() -> None:
    known = {"ts": TS, "level": "error", "kind": "exception", "message": "boom"}
    shown = _shown({"entries": [known, {"ts": TS, "level": "unheard of"}]})
    assert "boom" in shown
    assert "unheard of" in shown


def test_other_entries_are_a_table_and_the_rest_is_named() -> None:
    shown = _shown(
        {
            "summary": "1 tab.",
            "entries": [{"tab_id": 1, "url": "http://h/", "title": "A", "more": {"a": 1}}],
            "tab_id": 1,
            "dropped": 2,
            "viewport": {"width": 800, "scaled": False, "none": None},
            "list": ["a", "b"],
            "empty": [],
        }
    )
    assert "tab_id  url        title" in shown
    assert "1       http://h/  A" in shown
    assert "tab_id: 1\ndropped: 2\n" in shown
    assert "viewport:\n  width: 800\n  scaled: no\n  none: –\n" in shown
    assert "list:\n  a\n  b\n" in shown
    assert "empty: –" in shown


def test_a_summary_in_numbers_is_a_line() -> None:
    shown = _shown({"summary": {"total": 2, "critical": 0, "scanned": {"network_requests": 6}}, "dropped": 0})
    assert shown == "total 2, critical 0; scanned: network requests 6\n"


def test_how_often_stays_on_the_line() -> None:
    entry = {"ts": TS, "level": "error", "kind": "console", "message": "x" * 200, "at": "http://h/a.js:1:2", "count": 7}
    (line,) = _shown({"entries": [entry]}).splitlines()
    assert line.endswith("a.js:1  ×7")


def test_a_table_keeps_names_whole_and_cuts_sentences() -> None:
    entries = [{"id": "color-contrast", "description": "d" * 60, "helpUrl": f"http://h/{'u' * 50}", "passed": True}]
    heading, row = _shown({"violations": entries}).splitlines()[1:]
    assert row.startswith("color-contrast  ddd")
    assert row.split()[-1] == "yes"
    assert "…" in row
    assert heading.split() == ["id", "description", "helpUrl", "passed"]


def test_findings_are_whole_sentences() -> None:
    violation = {
        "id": "image-alt",
        "impact": "critical",
        "description": "Images must have alternative text",
        "nodeCount": 5,
        "nodes": [{"selector": f"img.{name}", "fix": "Add an alt attribute"} for name in "abcd"],
    }
    finding = {"severity": "warning", "title": "Token [red]", "description": "d" * 120, "recommendation": "Revoke it."}
    lines = [line.rstrip() for line in _shown({"violations": [violation], "findings": [finding]}).splitlines()]
    assert lines[:7] == [
        "violations:",
        "critical  Images must have alternative text",
        "          img.a",
        "          img.b",
        "          img.c",
        "          and 2 more",
        "          → Add an alt attribute",
    ]
    assert lines[7:9] == ["findings:", "warning  Token [red]"]
    assert "".join(lines[9:-1]).replace(" ", "") == "d" * 120
    assert lines[-1] == "         → Revoke it."


def test_a_page_of_an_audit_says_what_is_still_to_come() -> None:
    violation = {
        "id": "image-alt",
        "impact": "critical",
        "nodeCount": 9,
        "fix": "Set alt",
        "nodes": [{"selector": "b"}],
    }
    left_out = {"violations": {"image-alt": 8, "label": 2}, "incomplete": {"region": 1}}
    answer = {"violations": [violation], "left_out": left_out, "cursor": "3-40"}
    assert [line.rstrip() for line in _shown(answer).splitlines()] == [
        "violations:",
        "critical  image-alt",
        "          b",
        "          and 8 more",
        "          → Set alt",
        "Left out: violations: image-alt 8, label 2; incomplete: region 1. More: --cursor 3-40",
    ]
