"""What pages post: any JSON at all is taken or refused, and never crashes, grows or lies."""

import json
from typing import Any, get_args

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gasoline_cdp import limits, wire
from gasoline_cdp.capture.ingest import Kind
from tests.fakes import make_context

KINDS = get_args(Kind)
NAMES = [
    "ts", "timestamp", "level", "type", "message", "args", "url", "page", "stack", "filename", "lineno", "colno",
    "method", "status", "requestBody", "responseBody", "contentType", "duration", "truncated", "error", "event", "id",
    "direction", "data", "size", "code", "reason", "timing", "network", "longTasks", "entries", "seq", "sender", "key",
]  # fmt: skip
WORDS = [
    "error",
    "warn",
    "exception",
    "open",
    "message",
    "incoming",
    "2026-01-01T00:00:00Z",
    "at f (http://a/b.js:1:1)",
]
scalars = (
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(WORDS) | st.text(st.characters(codec="utf-8"), max_size=40)
)  # fmt: skip
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=5), inner),
    max_leaves=20,
)


@pytest.mark.requirement("F3-INGEST")
@given(kind=st.sampled_from(KINDS), batch=values)
def test_any_json_is_taken_or_refused(kind: Kind, batch: Any) -> None:
    context = make_context()
    batch = orjson.loads(json.dumps(batch)) if _sendable(batch) else {}
    accepted, problems = context.capture.ingest.take(kind, batch, "https://app.test")
    rings = context.telemetry.rings().values()
    stored = sum(len(ring) for ring in rings) + len(context.telemetry.performance)
    assert bool(problems) or accepted > 0 or batch == [] or _empty(batch)
    assert stored >= (1 if accepted else 0)
    assert accepted or not stored
    for ring in rings:
        for record in ring.newest():
            assert record.source.ingested_from == "https://app.test"
            assert record.ts > 0
    assert all(len(problem) < 200 for problem in problems if "must" in problem)
    assert json.loads(wire.encode({"problems": problems}))


def _sendable(batch: Any) -> bool:
    try:
        orjson.loads(json.dumps(batch))
    except (ValueError, orjson.JSONDecodeError):
        return False
    return True


def _empty(batch: Any) -> bool:
    return isinstance(batch, dict) and batch.get("entries") == []


@given(numbers=st.lists(st.integers(1, 50), max_size=60))
def test_missing_batches_are_those_that_never_came(numbers: list[int]) -> None:
    ingest = make_context().capture.ingest
    for number in numbers:
        ingest.take("logs", {"seq": number, "sender": "s", "entries": []}, "o")
    expected = max(numbers, default=0) - len(set(numbers))
    assert ingest.missing == expected


def test_senders_are_bounded_and_so_is_what_is_remembered_of_their_gaps() -> None:
    ingest = make_context().capture.ingest
    for number in range(limits.INGEST_SENDERS + 100):
        ingest.take("logs", {"seq": 2**50, "sender": f"s{number}", "entries": []}, "o")
    assert len(ingest._senders) == limits.INGEST_SENDERS
    assert all(len(sender.missing) <= 1000 for sender in ingest._senders.values())
    assert ingest.missing == limits.INGEST_SENDERS * (2**50 - 1)
