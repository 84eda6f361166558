"""Warnings about a whole answer. They come first in it."""

import time
from collections.abc import Iterator
from typing import Any, cast

import attrs

from gasoline_cdp.browser.status import BrowserStatus
from gasoline_cdp.operations.conditions_use import describe_conditions
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.nothing_loaded import NOTHING_LOADED, nothing_loaded, what_to_ask_for

# How long answers go on mentioning that the browser went away.
_NOTICE_SECONDS = 60.0


def content_with_notice(record: object, context: Context, *, advise: bool) -> tuple[object, str]:
    """The answer and a notice about the browser. With `advise`, the notice may say how to get a first page loaded."""
    notice = " ".join(filter(None, (_notice_of(context.browser), *_lost_connections(context))))
    if context.capture.debugger.is_used:
        notice = f"{notice} The debugger is on and slows pages: debug(action='off') ends it.".strip()
    if in_force := describe_conditions(context):
        notice = f"{notice} Under conditions: {in_force}. set_conditions(reset=true) ends them.".strip()
    if not notice and advise and nothing_loaded(context.capture, context.telemetry):
        notice = what_to_ask_for(context.browser, pilot=context.pilot.on)
        if attrs.has(type(record)) and getattr(record, "total", None) == 0:
            # Otherwise it would claim that there are no errors, which is not known.
            record = attrs.evolve(cast("Any", record), summary=NOTHING_LOADED)
    return record, notice


def _notice_of(browser: BrowserStatus) -> str:
    """Why the browser is not reachable, or was not until recently."""
    if browser.untold:
        # It happened while nobody asked.
        browser.untold, browser.noted_at = False, time.monotonic()
    if browser.state == "running" and time.monotonic() - browser.noted_at > _NOTICE_SECONDS:
        return browser.unreachable
    return browser.note


def _lost_connections(context: Context) -> Iterator[str]:
    """Attached browsers of which something is missing."""
    for browser in context.browsers:
        if (browser.gaps_total or browser.state == "reconnecting") and (notice := _notice_of(browser)):
            yield f"Browser {browser.browser_id}: {notice}"
