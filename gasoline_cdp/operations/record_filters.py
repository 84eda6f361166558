"""The arguments that select the records of a test, of a browser context or of a browser."""

from typing import Any

import trio
from attrs import frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.operations.context import Context
from gasoline_cdp.store.boundaries import RecordFilter

TEST_ID = "Include only what belongs to this test."
RETRY = "Include only this run of the test: 0 is the first."
WORKER = "Include only tests of this worker."
BROWSER_CONTEXT_ID = "Include only this browser context."
BROWSER = "Include only this browser (b1, b2, …)."


@frozen(kw_only=True)
class FilterArgs:
    """Arguments of operations that read or clear the records of a test."""

    test_id: str | None = wire.arg(TEST_ID, default=None)
    retry: int | None = wire.arg(RETRY, default=None, minimum=0)
    worker: str | None = wire.arg(WORKER, default=None)
    browser_context_id: str | None = wire.arg(BROWSER_CONTEXT_ID, default=None)
    browser: str | None = wire.arg(BROWSER, default=None)


async def flush(wanted: RecordFilter, context: Context) -> None:
    """Wait briefly until what the open pages of a test have done so far is stored. Raises `no_such_test`."""
    if wanted:
        owns = context.boundaries.owns(wanted)
        await context.capture.flush(tab for tab in context.tabs.open() if owns(tab.source))


async def settle_bodies(context: Context) -> None:
    """Wait, but not for long, until bodies that have just arrived are read."""
    with trio.move_on_after(limits.INSPECT_SECONDS):
        await context.capture.bodies.backlog.wait_idle()


def is_named(url_filter: str | None, *urls: str) -> bool:
    """Whether one of these URLs contains the filter."""
    return not url_filter or any(url_filter.lower() in url.lower() for url in urls)


def record_filter(args: Any) -> RecordFilter:
    """The filter that arguments with these names ask for."""
    return RecordFilter(
        test_id=args.test_id,
        retry=args.retry,
        worker=args.worker,
        browser_context_id=args.browser_context_id,
        browser=args.browser,
    )
