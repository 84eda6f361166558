"""Takes the later of two snapshots, once what was tried a moment ago has had its time."""

from contextlib import suppress

import trio

from gasoline_cdp import limits
from gasoline_cdp.analysis.snapshots import Snapshot
from gasoline_cdp.analysis.verification import seconds_short
from gasoline_cdp.cdp.connection import CdpClosed, CdpError
from gasoline_cdp.tools.finders import FINDERS
from gasoline_cdp.tools.moment import Category, Span, take_moment
from gasoline_cdp.tools.spec import Context

# How long a page may take to say that it has said everything; a hung one never does.
_CATCH_UP_SECONDS = 0.5
_LOOK_SECONDS = 0.05


async def settled_moment(context: Context, span: Span, before: Snapshot, checks: tuple[Category, ...]) -> Snapshot:
    """The state now, for a comparison with `before`: what was tried a moment ago is given the time that it took then.

    Waits for `VERIFY_SETTLE_SECONDS` at most.
    """
    deadline = trio.current_time() + limits.VERIFY_SETTLE_SECONDS
    while True:
        await _catch_up(context, span)
        after = await take_moment(context, span, {})
        wait = seconds_short(before, after)
        if wait is None or trio.current_time() + wait > deadline:
            break
        await trio.sleep(max(wait, _LOOK_SECONDS))
    return await take_moment(context, span, FINDERS, checks) if checks else after


async def _catch_up(context: Context, span: Span) -> None:
    """Let what the pages did until now arrive: a page's answer comes after all that it said before."""
    tabs = [tab for tab in context.capture.tabs.open() if span.tab_id in (None, tab.tab_id) and not tab.dialog]
    with trio.move_on_after(_CATCH_UP_SECONDS):
        for tab in tabs:
            with suppress(CdpError, CdpClosed):
                await tab.session.send("Runtime.evaluate", {"expression": "0"})
        await context.capture.actions.wait_idle()
    context.capture.settle()
