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

_NAME_CHARS = 200


@frozen(kw_only=True)
class BoundaryArgs:
    """Arguments of /test-boundary."""

    test_id: str = wire.arg("the test")
    action: Literal["start", "end"] = wire.arg("whether it starts or ends")
    timestamp: Any = wire.arg("ISO time, or milliseconds since 1970 (default: now)", default=None)
    browser_context_id: str | None = wire.arg("a browser context of the test: what it does is the test's", default=None)
    browser: str | None = wire.arg(
        "its browser, as POST /browsers named it; without a context, the whole browser is the test's", default=None
    )
    retry: int | None = wire.arg("0 for the first run of the test, 1 for its first retry", default=None, minimum=0)
    worker: Any = wire.arg("the worker of the test runner, by name or number", default=None)


@frozen(kw_only=True)
class Marked:
    """The boundary that was marked, and its time."""

    acknowledged: bool
    test_id: str
    action: str
    timestamp: str
    # The browser contexts that the run has named so far.
    contexts: int = 0


async def mark_boundary(args: BoundaryArgs, context: Context) -> Marked:
    """Mark the start or end of a test."""
    await trio.lowlevel.checkpoint()
    problems: list[str] = []
    ts = Posted({"timestamp": args.timestamp}, "body", problems).recent_timestamp("timestamp")
    if not 1 <= len(args.test_id) <= limits.TEST_ID_CHARS:
        problems.append(f"test_id must have 1 to {limits.TEST_ID_CHARS} characters")
    for name, text in (("browser_context_id", args.browser_context_id), ("browser", args.browser)):
        if text is not None and not 1 <= len(text) <= _NAME_CHARS:
            problems.append(f"{name} must have 1 to {_NAME_CHARS} characters")
    worker = None if args.worker is None else str(args.worker)
    if isinstance(args.worker, bool | list | dict) or len(worker or "") > _NAME_CHARS:
        problems.append(f"worker must be a number or a text of at most {_NAME_CHARS} characters")
    if problems:
        message = f"The boundary is not well formed: {'; '.join(problems)}."
        raise GasolineError(Code.INVALID_PARAMS, message, problems=problems)
    named = (args.browser or "", args.browser_context_id or "") if args.browser_context_id or args.browser else None
    run = context.boundaries.mark(
        args.test_id,
        args.action,
        ts,
        retry=args.retry,
        worker=worker,
        context=named if args.action == "start" else None,
    )
    context.telemetry.keep_failures()
    context.telemetry.run.test_changes += 1
    return Marked(
        acknowledged=True, test_id=args.test_id, action=args.action, timestamp=iso(ts), contexts=len(run.contexts)
    )


TEST_BOUNDARY = Operation(
    name="/test-boundary",
    args=BoundaryArgs,
    answer=Marked,
    run=mark_boundary,
    needs=Needs(browser=False),
    page_content=False,
)
