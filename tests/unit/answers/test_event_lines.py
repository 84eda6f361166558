"""Significant events as lines."""

from typing import Any

from gasoline_cdp.answers.event_lines import digest_lines
from gasoline_cdp.answers.text import write_lines


def event(**changes: Any) -> dict[str, Any]:
    known: dict[str, Any] = {
        "category": "network_errors", "severity": "error", "message": "POST /pay → 500",
        "timestamp": "2026-11-18T07:00:00.000Z",
        "context": {"request_id": "r4", "tab_id": 1, "url": "http://app.test/pay", "status": 500},
    }  # fmt: skip
    return {**known, **changes}


def test_no_events_are_no_lines() -> None:
    assert list(digest_lines({})) == []


def test_events_since_the_last_call() -> None:
    context = {"request_id": "r4", "tab_id": 1, "response_preview": '{"error":\n"no"}'}
    text = write_lines(digest_lines({"total": 3, "entries": [event(context=context), event(count=2)], "left_out": 1}))
    heading, first, preview, second, rest = text.split("\n")
    assert heading == "Since your last call: 3 significant events."
    assert first.endswith('network_errors "POST /pay → 500" r4 tab 1')
    assert preview == '  | {"error": "no"}'
    assert second.endswith("r4 tab 1 ×2")
    assert rest == "1 more: observe(what='errors') has them"
