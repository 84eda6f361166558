"""A tool as a value, and the one path by which every tool is called."""

import logging
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import trio
from attrs import Factory, evolve, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.capture.page import Capture
from gasoline_cdp.chrome.status import BrowserStatus
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.probe.evaluate import Scripts
from gasoline_cdp.probe.highlight import Highlights
from gasoline_cdp.store.audits import Audits
from gasoline_cdp.store.boundaries import Boundaries
from gasoline_cdp.store.pilot import Pilot
from gasoline_cdp.store.states import SavedStates
from gasoline_cdp.store.telemetry import Telemetry
from gasoline_cdp.streaming import Streaming
from gasoline_cdp.tools.client import Client, Progress, no_progress
from gasoline_cdp.tools.digest import leave_room, with_digest
from gasoline_cdp.tools.jobs import Jobs
from gasoline_cdp.tools.notes import Notes
from gasoline_cdp.tools.nothing_loaded import NOTHING_LOADED, nothing_loaded, what_to_ask_for
from gasoline_cdp.tools.paging import shrink

log = logging.getLogger(__name__)

# How long answers go on mentioning that the browser went away.
_NOTICE_SECONDS = 60.0


@frozen(kw_only=True)
class Context:
    """What a tool may use. References only. A frontend gives each call its own, with its client and its ear."""

    telemetry: Telemetry
    capture: Capture
    browser: BrowserStatus
    pilot: Pilot
    streaming: Streaming
    started_at: float
    boundaries: Boundaries = Factory(Boundaries)
    strict: bool = False
    jobs: Jobs = Factory(Jobs)
    highlights: Highlights = Factory(Highlights)
    scripts: Scripts = Factory(Scripts)
    states: SavedStates = Factory(SavedStates)
    # Where the person who started us stands: that project's budgets hold.
    directory: Path | None = None
    notes: Notes = Factory(Notes)
    # Where files may be written, if a person said so.
    artifacts: Path | None = None
    client: Client = Factory(Client)
    progress: Progress = no_progress
    audits: Audits = Factory(Audits)


@frozen(kw_only=True)
class Tool:
    """One tool: its words for an assistant, the class of its arguments and of its answer, and its function."""

    name: str
    title: str
    description: str
    args: type
    answer: type
    run: Callable[[Any, Context], Awaitable[object]]
    # The whole time a call may take; of a slow tool, its wait for the tab included.
    deadline: float = limits.TOOL_SECONDS
    # May take longer than a caller wants to wait: beyond `PENDING_SECONDS` the call answers "pending" and goes on.
    slow: bool = False
    pilot: bool = False
    read_only: bool = True
    # Hints for clients that ask a person before a call. Unless told otherwise, what needs the pilot may destroy.
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool = False
    # The answer carries text that a page wrote.
    page_content: bool = True


@frozen
class Image:
    """A picture that goes with an answer."""

    data: bytes
    mime: str


@frozen
class Illustrated:
    """What a tool returns whose answer has pictures."""

    answer: object
    images: tuple[Image, ...]


@frozen
class Answer:
    """What a call gives: JSON values, and whether they tell of a failure; pictures where there are any."""

    data: dict[str, Any]
    is_error: bool = False
    images: tuple[Image, ...] = ()


async def call_tool(tools: dict[str, Tool], context: Context, name: str, arguments: object) -> Answer:
    """Gate, parse, run under the deadline, dump. Never raises, except to be cancelled (or under tests)."""
    try:
        tool = tools.get(name)
        if tool is None:
            raise GasolineError(
                Code.UNKNOWN_TOOL,
                f"There is no tool {name[:60]!r}. Tools: {', '.join(tools)}.",
                tools=list(tools),
            )
        if tool.pilot and not context.pilot.asked(name, context.client.kind):
            raise GasolineError(
                Code.AI_WEB_PILOT_DISABLED,
                f"{name} acts on the page, and the pilot is off. {context.pilot.how_to_switch_on()}",
            )
        stream = context.streaming.of(context.client)
        parsed: Any = wire.parse(tool.args, arguments)
        if getattr(parsed, "what", None) != "status":
            await _wait_for_browser(context.browser)
        if context.browser.check_alive is not None:
            await context.browser.check_alive()
        brief = leave_room(parsed, stream)
        images: tuple[Image, ...] = ()
        if tool.slow:
            answer = await _perform_slowly(tool, brief, context)
        else:
            with trio.fail_after(tool.deadline):
                answer, images = await _perform(tool, brief, context)
        answer = with_digest(answer, parsed, stream)
    except GasolineError as error:
        return failure(error)
    except trio.TooSlowError:
        return failure(
            GasolineError(
                Code.PAGE_HUNG,
                f"{name} did not finish in {tool.deadline if tool else 0:.0f} s. Try again, or reload.",
            )
        )
    except Exception as error:
        log.exception("tool %s failed", name[:60])
        if context.strict:
            raise
        kind = type(error).__name__
        return failure(
            GasolineError(
                Code.INTERNAL_ERROR,
                f"{name[:60]} failed inside gasoline-cdp ({kind}). Nothing captured is lost.",
            )
        )
    return Answer(answer, images=images)


async def _perform(tool: Tool, parsed: Any, context: Context) -> tuple[dict[str, Any], tuple[Image, ...]]:
    context.capture.settle()
    found = await tool.run(parsed, context)
    images: tuple[Image, ...] = ()
    if isinstance(found, Illustrated):
        images, found = found.images, found.answer
    answer: dict[str, Any] = wire.dump(found)
    notice = _notice(context.browser)
    if not notice and tool.page_content and not tool.pilot and nothing_loaded(context.capture, context.telemetry):
        notice = what_to_ask_for(context.browser, pilot=context.pilot.on)
        if answer.get("total") == 0:
            # Otherwise it would say that there are no errors, which nobody knows.
            answer["summary"] = NOTHING_LOADED
    if notice:
        answer = {"notice": notice, **answer}
    if len(wire.encode(answer)) > limits.ANSWER_BYTES_MAX:
        # The last resort: a tool fits its answer itself, and better, as it knows what matters in it.
        answer = shrink(answer, limits.ANSWER_BYTES_MAX)
    return answer, images


async def _perform_slowly(tool: Tool, parsed: Any, context: Context) -> dict[str, Any]:
    """As a job of the daemon's. The tab is settled now: when the job's turn comes, another may be the one used last."""
    tab_id: int | None = None
    if hasattr(parsed, "tab_id"):
        tab_id = context.capture.tabs.pick(parsed.tab_id).tab_id
        parsed = evolve(parsed, tab_id=tab_id)

    async def work(report: Progress) -> dict[str, Any]:
        # Jobs are told of as JSON; no slow tool has pictures.
        answer, _ = await _perform(tool, parsed, evolve(context, progress=report))
        return answer

    answer: dict[str, Any] = wire.dump(
        await context.jobs.perform(tool.name, tab_id, tool.deadline, work, context.progress)
    )
    return answer


async def _wait_for_browser(browser: BrowserStatus) -> None:
    """An empty answer from a browser that still starts, or never came, would read as `nothing is wrong`."""
    if browser.begun is not None and browser.state == "starting":
        with trio.move_on_after(limits.START_WAIT_SECONDS):
            await browser.begun.wait()
    if browser.failure is not None:
        raise browser.failure


def failure(error: GasolineError) -> Answer:
    """An error in the one shape that all frontends use."""
    shape: dict[str, Any] = {"status": "error", "error": error.code.value, "message": error.message}
    if error.details:
        shape["details"] = error.details
    return Answer(shape, is_error=True)


def _notice(browser: BrowserStatus) -> str:
    """What an assistant must know before it trusts an answer: the browser is not there, or was not a moment ago."""
    if browser.state == "running" and time.monotonic() - browser.noted_at > _NOTICE_SECONDS:
        return browser.unreachable
    return browser.note
