"""Where a test begins and ends, by the clock of whoever tells it."""

import time

import pytest

from gasoline_cdp import limits
from gasoline_cdp.operations.running import run_operation
from gasoline_cdp.unlisted.boundaries import TEST_BOUNDARY
from tests.fakes import make_context

pytestmark = pytest.mark.requirement("F3-SNAPSHOT")


async def test_a_moment_may_be_named() -> None:
    context, moment = make_context(), round(time.time()) - 60
    for given in (moment * 1000, None):
        for action in ("start", "end"):
            marking = {"test_id": "a", "action": action, "timestamp": given}
            assert (await run_operation(TEST_BOUNDARY, context, marking)).data["acknowledged"] is True
    first, second = context.boundaries.runs_of("a")
    assert first.start == first.end == moment
    assert second.start >= moment + 59


async def test_a_name_has_its_bounds() -> None:
    for name in ("", "a" * (limits.TEST_ID_CHARS + 1)):
        refused = (await run_operation(TEST_BOUNDARY, make_context(), {"test_id": name, "action": "start"})).data
        assert refused["details"]["problems"] == [f"test_id must have 1 to {limits.TEST_ID_CHARS} characters"]
