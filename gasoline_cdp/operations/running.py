"""Runs operations: every call takes this path."""

import logging
import math
from typing import Any

import trio
from attrs import evolve

from gasoline_cdp import limits, wire
from gasoline_cdp.browser.status import BrowserStatus
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.answer import Answer, Content, Illustrated, Image, failure
from gasoline_cdp.operations.client import Progress
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.digest import leave_room, with_digest
from gasoline_cdp.operations.notices import content_with_notice
from gasoline_cdp.operations.operation import Needs, Operation, Tool
from gasoline_cdp.operations.pilot_gate import require_pilot
from gasoline_cdp.probe.dom import busy_with_us

log = logging.getLogger(__name__)


async def call_tool(tools: dict[str, Tool], context: Context, name: str, arguments: object) -> Answer:
    """Run the tool with this name."""
    if name not in tools:
        return no_such_tool(tools, name)
    return await run_operation(tools[name], context, arguments)


def no_such_tool(tools: dict[str, Tool], name: str) -> Answer:
    """The answer to a call of a tool that does not exist."""
    message = f"There is no tool {name[:60]!r}. Tools: {', '.join(tools)}."
    return failure(GasolineError(Code.UNKNOWN_TOOL, message, tools=list(tools)))


async def run_operation(operation: Operation, context: Context, arguments: object) -> Answer:
    """Gate, parse, run under the deadline, dump, fit. Never raises, except for cancellation and in strict mode."""
    try:
        parsed, needs = await _prepare(operation, context, arguments)
        # Only answers for assistants carry the events since the last call.
        stream = context.streaming.of(context.client) if isinstance(operation, Tool) else None
        brief = leave_room(parsed, stream)
        if needs.slow:
            answer = await _run_as_job(operation, needs, brief, context)
        else:
            try:
                with trio.fail_after(needs.deadline):
                    answer = await _perform(operation, needs, brief, context)
            except trio.TooSlowError:
                raise _hung(operation.name, needs.deadline, context) from None
        return with_digest(answer, parsed, stream, context.form)
    except GasolineError as error:
        return failure(error)
    except Exception as error:
        log.exception("operation %s failed", operation.name)
        if context.strict:
            raise
        kind = type(error).__name__
        message = f"{operation.name} failed inside gasoline-cdp ({kind}). Nothing captured is lost."
        return failure(GasolineError(Code.INTERNAL_ERROR, message))


async def _prepare(operation: Operation, context: Context, arguments: object) -> tuple[Any, Needs]:
    """The arguments, and what this call needs: the pilot is on, and the browser has started."""
    if operation.every_call.pilot:
        # Before the arguments are even parsed.
        require_pilot(operation.name, context)
    parsed: Any = wire.parse(operation.args, arguments, of=operation.called)
    needs = operation.every_call
    if not isinstance(operation.needs, Needs):
        needs = operation.needs(parsed, context)
        if needs.pilot:
            require_pilot(operation.name, context)
    if needs.browser:
        await _wait_for_browser(context.browser)
    if context.browser.check_alive is not None:
        await context.browser.check_alive()
    return parsed, needs


async def _perform(operation: Operation, needs: Needs, parsed: Any, context: Context) -> Answer:
    """Run the function, and render its result once."""
    context.capture.settle()
    record = await operation.run(parsed, context)
    images: tuple[Image, ...] = ()
    if isinstance(record, Illustrated):
        images, record = record.images, record.answer
    if isinstance(record, Answer):
        # The result of slow work.
        record = record.record
    notice = ""
    listed = isinstance(operation, Tool)
    if listed or needs.browser:
        advise = listed and operation.page_content and not operation.every_call.pilot
        record, notice = content_with_notice(record, context, advise=advise)
    answer = Answer(Content(record, notice, operation.max_bytes), images=images)
    # Render now, so that a failure to render is reported as an internal error.
    answer.size(context.form)
    return answer


async def _run_as_job(operation: Operation, needs: Needs, parsed: Any, context: Context) -> Answer:
    """Run as a job of the daemon. Choose the tab now: the tab used last may be another one when the job starts."""
    tab_id: int | None = None
    if needs.tab == "pinned":
        tab_id = context.tabs.pick(parsed.tab_id).tab_id
        parsed = evolve(parsed, tab_id=tab_id)
    elif needs.tab == "occupied":
        # In these arguments the tab is a filter: without one, all tabs are meant.
        tab_id = context.tabs.pick(needs.tab_id).tab_id

    async def work(report: Progress) -> Answer:
        return await _perform(operation, needs, parsed, evolve(context, progress=report))

    patience = limits.PENDING_SECONDS if operation.may_be_pending else math.inf
    return await context.jobs.perform(operation.name, tab_id, needs.deadline, work, context.progress, patience=patience)


def _hung(name: str, deadline: float, context: Context) -> GasolineError:
    busy = next((tab for tab in context.tabs.open() if tab.analysis), None)
    advice = busy_with_us(busy) if busy else "Try again, or reload the page."
    return GasolineError(Code.PAGE_HUNG, f"{name} did not finish in {deadline:.0f} s. {advice}")


async def _wait_for_browser(browser: BrowserStatus) -> None:
    """Wait until it has started: an empty answer would read as `nothing is wrong`."""
    if browser.begun is not None and browser.state == "starting":
        with trio.move_on_after(limits.START_WAIT_SECONDS):
            await browser.begun.wait()
    if browser.failure is not None:
        raise browser.failure
