"""What files are made of: given whole, and taken back as it was."""

import pytest

from gasoline_cdp.operations.running import run_operation
from gasoline_cdp.unlisted.files import FILES
from tests.fakes import log_record, make_context

pytestmark = pytest.mark.requirement("F6-COMPARE")


async def test_a_snapshot_goes_out_and_comes_back() -> None:
    context = make_context(note="The browser crashed.")
    context.telemetry.add(log_record(1, "an error"))
    given = (await run_operation(FILES["snapshot"], context, {"include": ["contracts"]})).data
    assert given["notice"] == "The browser crashed."
    assert given["summary"] == "1 error, 0 requests."
    asked = {"name": "before", "snapshot": given["snapshot"]}
    assert (await run_operation(FILES["load_snapshot"], context, asked)).data == {"name": "before"}
    assert (await run_operation(FILES["load_snapshot"], context, {**asked, "path": "/cart"})).data == {"name": "before"}
    kept = (await run_operation(FILES["baseline"], context, {"name": "before"})).data
    assert kept == {"path": "/cart", "snapshot": given["snapshot"], "of": 1}


async def test_what_is_no_snapshot_is_refused() -> None:
    for snapshot in (None, 5, {"captured_at": "x"}):
        refused = await run_operation(FILES["load_snapshot"], make_context(), {"name": "a", "snapshot": snapshot})
        assert refused.data["error"] == "bad_snapshot_file"


async def test_a_document_is_a_text() -> None:
    made = (await run_operation(FILES["generate"], make_context(), {"format": "openapi"})).data
    assert made["text"].startswith("{")
    assert "OpenAPI" in made["summary"]


async def test_what_reads_cookies_needs_the_pilot_here_too() -> None:
    refused = await run_operation(FILES["snapshot"], make_context(), {"include": ["security"]})
    assert refused.data["error"] == "ai_web_pilot_disabled"
