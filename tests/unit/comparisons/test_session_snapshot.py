"""A session snapshot tells an error as it is known, and knows it again by what was told at once."""

import pytest

from gasoline_cdp.comparisons.session_snapshot import TimeSpan, capture_snapshot
from tests.fakes import log_record, make_context

pytestmark = pytest.mark.requirement("F6-COMPARE")


async def test_the_deeper_text_is_told_and_the_first_one_is_the_key() -> None:
    context = make_context()
    for seq in (1, 2):
        context.telemetry.add(log_record(seq, "broke {a: {…}}", level="error"))
    before = await capture_snapshot(context, TimeSpan(), {})
    # Of the older one nothing more was learned.
    context.telemetry.annotate(2, {"text": "broke {a: {b: 1}}"})
    after = await capture_snapshot(context, TimeSpan(), {})
    assert [issue.message for issue in before.errors] == ["broke {a: {…}}"]
    assert [(issue.message, issue.count) for issue in after.errors] == [("broke {a: {b: 1}}", 2)]
    assert [issue.key for issue in before.errors] == [issue.key for issue in after.errors]
