"""How one thing that happened reads as a line of the timeline."""

from typing import Any

import pytest
from attrs import evolve

from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.answers.timeline_entries import TimelineEntry

HERE = SharedFacts(origin="http://app.test", tab_id=1)


@pytest.mark.parametrize(
    ("known", "lines"),
    [
        ({"event": "action", "type": "click", "element": 'button "Save"'}, ['click button "Save"']),
        (
            {"event": "request", "id": "r4", "method": "GET", "url": "http://app.test/a", "status": 200,
             "duration_ms": 12.0, "response_shape": {"id": "number"}},
            ["r4 /a 12ms", '  | {"id":"number"}'],
        ),
        (
            {"event": "request", "id": "r5", "method": "PUT", "url": "http://app.test/a", "outcome": "failed",
             "failure": "net::ERR_FAILED"},
            ["r5 PUT failed /a net::ERR_FAILED"],
        ),
        (
            {"event": "error", "type": "exception", "message": "Uncaught Error: no", "at": "f (http://app.test/a.js:1:2)"},
            ['exception "Error: no" a.js:1:2 f'],
        ),
        ({"event": "warning", "type": "console", "message": "old"}, ['warning "old"']),
    ],
)  # fmt: skip
def test_each_kind_has_its_line(known: dict[str, Any], lines: list[str]) -> None:
    entry = TimelineEntry(ts="2026-11-18T07:00:00.123Z", tab_id=1, **known)
    first, *rest = entry.lines(HERE, 300)
    assert first.time.endswith(":00.123")
    assert [str(evolve(first, time="")), *map(str, rest)] == lines
