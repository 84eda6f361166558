"""Marks the start and end of a test."""

from typing import Any, Literal

import trio
from attrs import frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.answers.paging import iso
from gasoline_cdp.capture.posted import Posted
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Needs, Operation


@frozen(kw_only=True)
class BoundaryArgs:
    """Arguments of /test-boundary."""

    test_id: str = wire.arg("the test")
    action: Literal["start", "end"] = wire.arg("whether it starts or ends")
    timestamp: Any = wire.arg("ISO time, or milliseconds since 1970 (default: now)", default=None)


@frozen(kw_only=True)
class Marked:
    """The boundary that was marked, and its time."""

    acknowledged: bool
    test_id: str
    action: str
    timestamp: str


async def mark_boundary(args: BoundaryArgs, context: Context) -> Marked:
    """Mark the start or end of a test."""
    await trio.lowlevel.checkpoint()
    problems: list[str] = []
    ts = Posted({"timestamp": args.timestamp}, "body", problems).recent_timestamp("timestamp")
    if not 1 <= len(args.test_id) <= limits.TEST_ID_CHARS:
        problems.append(f"test_id must have 1 to {limits.TEST_ID_CHARS} characters")
    if problems:
        message = f"The boundary is not well formed: {'; '.join(problems)}."
        raise GasolineError(Code.INVALID_PARAMS, message, problems=problems)
    context.boundaries.mark(args.test_id, args.action, ts)
    context.telemetry.run.test_changes += 1
    return Marked(acknowledged=True, test_id=args.test_id, action=args.action, timestamp=iso(ts))


TEST_BOUNDARY = Operation(
    name="/test-boundary",
    args=BoundaryArgs,
    answer=Marked,
    run=mark_boundary,
    needs=Needs(browser=False),
    page_content=False,
)
