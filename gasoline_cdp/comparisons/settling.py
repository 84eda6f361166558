"""Captures the later of two snapshots, after recent actions have had time to show their effects."""

from contextlib import suppress

import trio

from gasoline_cdp import limits
from gasoline_cdp.analysis.compare.snapshots import SessionSnapshot
from gasoline_cdp.analysis.compare.verification import seconds_short
from gasoline_cdp.cdp.connection import CdpClosed, CdpError
from gasoline_cdp.comparisons.session_snapshot import Category, TimeSpan, capture_snapshot
from gasoline_cdp.comparisons.snapshot_checks import SNAPSHOT_CHECKS
from gasoline_cdp.operations.context import Context

# How long to wait for a page to deliver its events. A hung page never answers.
_CATCH_UP_SECONDS = 0.5
_POLL_SECONDS = 0.05


async def settled_snapshot(
    context: Context, span: TimeSpan, before: SessionSnapshot, checks: tuple[Category, ...]
) -> SessionSnapshot:
    """The current state, to compare with `before`. Recent actions get as much time as the issues took before.

    Waits at most `VERIFY_SETTLE_SECONDS`.
    """
    deadline = trio.current_time() + limits.VERIFY_SETTLE_SECONDS
    while True:
        await _catch_up(context, span)
        after = await capture_snapshot(context, span, {})
        wait = seconds_short(before, after)
        if wait is None or trio.current_time() + wait > deadline:
            break
        await trio.sleep(max(wait, _POLL_SECONDS))
    return await capture_snapshot(context, span, SNAPSHOT_CHECKS, checks) if checks else after


async def _catch_up(context: Context, span: TimeSpan) -> None:
    """Wait for pending events of the pages: a page's answer arrives after all its earlier events."""
    tabs = [tab for tab in context.tabs.open() if span.tab_id in (None, tab.tab_id) and not tab.dialog]
    with trio.move_on_after(_CATCH_UP_SECONDS):
        for tab in tabs:
            with suppress(CdpError, CdpClosed):
                await tab.session.send("Runtime.evaluate", {"expression": "0"})
    context.capture.settle()
