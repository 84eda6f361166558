"""Everything captured, in one answer that says what happened to the browser."""

import json

import pytest

from gasoline_cdp import wire
from gasoline_cdp.operations.running import run_operation
from gasoline_cdp.unlisted.captured import CAPTURED, CLEAR
from tests.fakes import log_record, make_context

pytestmark = pytest.mark.requirement("F3-SNAPSHOT")


async def test_after_a_crash_a_snapshot_says_so_first() -> None:
    context = make_context(note="The browser crashed and was started again.")
    context.telemetry.add(log_record(1, "an error"))
    answer = await run_operation(CAPTURED, context, {})
    assert next(iter(answer.data.items())) == ("notice", "The browser crashed and was started again.")
    assert [entry["message"] for entry in json.loads(answer.json)["logs"]] == ["an error"]
    assert wire.encode(dict(answer.data)) == answer.json


async def test_clear_forgets_and_counts() -> None:
    context = make_context(note="The browser crashed.")
    context.telemetry.add(log_record(1, "an error"))
    cleared = (await run_operation(CLEAR, context, {})).data
    assert (cleared["cleared"], cleared["entries_removed"]) == (True, 1)
    assert "notice" not in cleared
    assert (await run_operation(CLEAR, context, {"all": True})).data["error"] == "invalid_params"
