"""What a page remembers of its requests, as fields of records."""

from typing import Any

import pytest

from gasoline_cdp import limits
from gasoline_cdp.capture.backfill import parse_loaded

pytestmark = pytest.mark.requirement("F2-ATTACH")

NOW = 1_790_000_100.0


def told(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"origin": 1_790_000_000_000.0, "entries": list(entries)}


def entry(url: str, **changes: Any) -> dict[str, Any]:
    return {"url": url, "initiator": "fetch", "start": 1000.0, "duration": 25.04, "status": 200, **changes}


def test_entries_become_requests_with_the_types_of_the_tree() -> None:
    tree = {"resources": [{"url": "http://app.test/a.css", "type": "Stylesheet", "mimeType": "text/css"}]}
    css, call = parse_loaded(told(entry("http://app.test/a.css"), entry("http://app.test/api", status=404)), tree, NOW)
    assert (css["type"], css["mime"], css["outcome"]) == ("Stylesheet", "text/css", "ok")
    assert (call["type"], call["outcome"], call["status"]) == ("Fetch", "http_error", 404)
    assert (call["ts"], call["duration_ms"]) == (1_790_000_001.0, 25.0)


def test_what_we_saw_ourselves_is_left_out() -> None:
    polled = [entry("http://app.test/api#top", start=start) for start in (1000.0, 2000.0, 3000.0)]
    found = list(parse_loaded(told(*polled), {}, NOW, {"http://app.test/api": 2}))
    assert [fields["ts"] for fields in found] == [1_790_000_001.0]
    tree = {"resources": [{"url": "http://app.test/x.js", "type": "Script"}]}
    assert list(parse_loaded(told(), tree, NOW, {"http://app.test/x.js": 1})) == []


def test_the_tree_adds_what_failed_and_what_frames_loaded() -> None:
    frame: dict[str, Any] = {
        "frame": {"url": "http://other.test/", "mimeType": "text/html"},
        "resources": [],
        "childFrames": None,
    }
    tree = {"resources": [{"url": "http://app.test/x.js", "type": "Script", "failed": True}], "childFrames": [frame]}
    found = {fields["url"]: fields for fields in parse_loaded(told(), tree, NOW)}
    assert found["http://app.test/x.js"]["outcome"] == "failed"
    assert found["http://other.test/"]["type"] == "Document"


def test_an_answer_that_hides_its_status_is_unknown_and_secrets_are_masked() -> None:
    (fields,) = parse_loaded(told(entry("http://app.test/api?token=abcdef123456", status=0)), {}, NOW)
    assert (fields["outcome"], fields["status"]) == ("unknown", None)
    assert "abcdef123456" not in fields["url"]


@pytest.mark.parametrize(
    "answer", [{}, {"entries": 5}, {"entries": [None, 5, {}, {"url": 7, "start": "x"}]}, {"origin": "x"}]
)
def test_nonsense_is_no_request(answer: dict[str, Any]) -> None:
    found = list(parse_loaded(answer, {"resources": [None], "childFrames": [None, {"frame": 5}]}, NOW))
    assert all(isinstance(fields["url"], str) for fields in found)


def test_a_page_cannot_tell_more_than_so_much() -> None:
    entries = [entry(f"http://app.test/{number}") for number in range(limits.BACKFILL_ENTRIES * 2)]
    assert len(list(parse_loaded(told(*entries), {}, NOW))) == limits.BACKFILL_ENTRIES
